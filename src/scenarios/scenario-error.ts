/** Describes the problems with a scenario, in terms of the call or file that it came from. */
import type * as z from 'zod'
import { faultNames, faultOf } from '../faults/index.ts'
import { pathOf } from '../http/violations.ts'
import { matchAcrossCopies } from '../lib/copies.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { lookUp } from '../lib/json.ts'
import { oneLine, truncate } from '../lib/one-line.ts'
import { about, inWords, shown } from '../lib/schema-messages.ts'
import { readAt } from '../lib/value-path.ts'
import { isShorthand, misnomer } from './names.ts'
import { ScriptedReply } from './scripted-reply.ts'
import type { FailOptions, ReplyOptions, ScriptOptions } from './shorthand.ts'

export type Path = (string | number)[]

export interface Problem {
  path: Path
  /** One line that names the rule and the field. */
  message: string
}

export const maxProblems = 100

/** Thrown for an invalid scenario. The one-line message describes the first problem and mentions any others. */
export class ScenarioError extends Error {
  /** Always `ScenarioError`. */
  override name = 'ScenarioError'
  /** All problems, with their location in the scenario. */
  readonly problems: readonly Problem[]

  constructor(allProblems: readonly Problem[]) {
    const problems = allProblems.map(({ path, message }) => ({ path, message: oneLine(message) }))
    const [first, second, ...more] = problems
    const others = more.length > 0 ? `${more.length + 1} more problems` : second?.message
    super(`${first?.message}${others === undefined ? '' : ` (and ${others})`}`)
    this.problems = problems
  }
}
matchAcrossCopies('ScenarioError', ScenarioError)

/** @param says Text after the field name, or a full sentence if there is no field. */
export function problemAt(path: Path, says: string, input: unknown): Problem {
  return { path, message: `${placeOf(path, input)}${fieldOf(path, input)}${says}` }
}

const frequency = ['on', 'when', 'times', 'after', 'probability'] as const

const options = {
  reply: [...frequency, 'status', 'headers', 'citations'],
  fail: [...frequency, 'message', 'headers', 'metadata', 'gateway_metadata', 'user_id'],
  script: ['on', 'when', 'onEnd'],
} satisfies Record<string, (keyof ReplyOptions | keyof FailOptions | keyof ScriptOptions)[]>

/** For unknown fields, the message has a line with a hint for each, such as `; did you mean 'times'?`. */
export function wording(issue: z.core.$ZodRawIssue, scenario: unknown): string | undefined {
  const shape = Object.keys(Object(issue.inst?._zod.def)['shape'] ?? {})
  // Only a script's turn has this field.
  if (typeof issue.input === 'string' && shape.includes('expect'))
    return `Must be an object; write { text: ${shown(issue.input)} }`
  if (issue.code !== 'unrecognized_keys') return inWords(issue)
  const known = (shape.includes('times') && lookUp<readonly string[]>(options, scenario)) || shape
  const object = Object(issue.input) as Record<string, unknown>
  const { fault } = object
  const name = faultNames.find((each) => each === (fault ?? object['name']))
  const params = shape.includes('times') && name !== undefined ? faultOf(name).params().shape : {}
  const hints = issue.keys.slice(0, maxProblems).map((key) => {
    if (known === options.reply && Object.hasOwn(ScriptedReply.unwrap().shape, key))
      return `; write reply({ ${['text', 'body', 'frames'].includes(key) ? '' : 'text, '}${key} }, …)`
    return Object.hasOwn(params, key)
      ? `; write ${fault === undefined ? "on: 'text', " : ''}fault: { name: '${name}', ${key}: ${shown(object[key])} }`
      : (misnomer(key, shape) ?? didYouMean(key, known))
  })
  return hints.join('\n')
}

type Issue = z.core.$ZodIssue

/** Converts a schema's issues. Unknown fields come first, because a misspelt field is often reported as missing too. */
export function problemsOf(issues: readonly Issue[], input: unknown, above: Path = []): Problem[] {
  const isUnknown = ({ code }: Issue) => Number(code === 'unrecognized_keys')
  return issues
    .toSorted((left, right) => isUnknown(right) - isUnknown(left))
    .slice(0, maxProblems)
    .flatMap((issue) => {
      const path = [...above, ...issue.path] as Path
      if (issue.code === 'invalid_key') return problemsOf(issue.issues, input, path)
      const branch = issue.code === 'invalid_union' ? likelyBranch(issue.errors) : undefined
      if (branch) return problemsOf(branch, input, path)
      if (issue.code !== 'unrecognized_keys') {
        const subject = path.length === 0 ? 'a scenario' : ''
        return problemAt(path, about(subject, issue.message), input)
      }
      const hints = issue.message.split('\n')
      return hints.map((hint, index): Problem => {
        const key = String(issue.keys[index])
        const at = [...path, key]
        return { path: at, message: `${placeOf(at, input)}unknown field '${fieldOf(at, input)}'${hint}` }
      })
    })
}

/** Returns the issues of the branch with the fewest problems, or undefined for a tie. */
function likelyBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const rejectsValue = (issue: Issue): boolean =>
    issue.path.length === 0 &&
    (issue.code === 'invalid_type' ||
      issue.code === 'invalid_value' ||
      (issue.code === 'invalid_union' && issue.discriminator === undefined && !likelyBranch(issue.errors)))
  const weight = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  const [first, second] = branches
    .filter((issues) => !issues.some(rejectsValue))
    .sort((left, right) => weight(left) - weight(right))
  return first && second && weight(first) === weight(second) ? undefined : first
}

/** Returns `rule 1 of 'outage': ` or as much of it as is known; an empty string for scenarios that a call generated. */
function placeOf(path: Path, input: unknown): string {
  const name = readAt(input, ['name'])
  if (isShorthand(name)) return ''
  const scenario = typeof name === 'string' ? `'${truncate(name, 100)}'` : 'the scenario'
  if (typeof path[1] === 'number') return `rule ${path[1] + 1} of ${scenario}: `
  return typeof name === 'string' ? `scenario ${scenario}: ` : ''
}

/** Returns the path as the rule's author wrote it: `sequence[0].fault`, or `status` for `fail()`. */
function fieldOf(path: Path, input: unknown): string {
  const name = readAt(input, ['name'])
  let below = typeof path[1] === 'number' ? path.slice(2) : path
  const effect = { fail: 'fault', reply: 'reply' }[String(name)]
  if (below.length > 1 && below[0] === effect) below = below.slice(1)
  if (name === 'script' && below[0] === 'script') below = ['turns', ...below.slice(1)]
  return pathOf('', below).replace(/^\./, '')
}
