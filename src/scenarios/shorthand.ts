/**
 * The everyday rules, without writing a scenario: answer with this text, fail with that status.
 */
import type { FaultInput } from '../faults/index.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { renamed } from '../lib/renamed.ts'
import { misnomer, textOperations } from './names.ts'
import type { RuleInput, ScenarioInput } from './scenario.ts'
import type { ScriptedReplyInput } from './scripted-reply.ts'

type HowOften = Pick<RuleInput, 'when' | 'times' | 'after' | 'every' | 'probability'>

/** When a scripted text is given, and what comes with it. */
export interface ReplyOptions extends HowOften, Pick<ScriptedReplyInput, 'status' | 'headers' | 'citations'> {
  /** Operations that answer with text. Default: `text`, all of them. */
  on?: RuleInput['on']
}

/** Replies with a text, or with a whole reply, to every request of an operation that answers with text, unless the options limit it. */
export function replyScenario(reply: string | ScriptedReplyInput, options: ReplyOptions = {}): ScenarioInput {
  if (typeof reply === 'function')
    throw new TypeError(
      'reply() takes a text or a reply here: a function works in the process of the gateway only',
    )
  if (typeof reply !== 'string' && (typeof reply !== 'object' || reply === null || Array.isArray(reply)))
    throw new TypeError(
      `reply() takes a text or a reply first, as in reply('Hello', { times: 2 }), not ${shown(reply)}`,
    )
  assertOptions('reply', reply, options, replyOptions)
  const { on = textOperations, status, headers, citations, ...often } = options
  const given = { status, headers, citations }
  return {
    name: 'reply',
    rules: [{ on, ...often, reply: { ...given, ...(typeof reply === 'string' ? { text: reply } : reply) } }],
  }
}

type StatusFault = Extract<FaultInput, { name: 'status' }>

/** When a call fails, and what its envelope holds. */
export interface FailOptions extends HowOften, Omit<StatusFault, 'name' | 'status'> {
  /** Operation id, `POST /path` of a path that no operation describes, or `*`. Default: `*`. */
  on?: RuleInput['on']
}

/** Answers with the error envelope. Every call, unless told otherwise. */
export function failScenario(status: number, options: FailOptions = {}): ScenarioInput {
  if (typeof status !== 'number')
    throw new TypeError(`fail() takes a status first, as in fail(503, { times: 2 }), not ${shown(status)}`)
  assertOptions('fail', status, options, failOptions)
  const { on = '*', when, times, after, every, probability, ...envelope } = options
  const often = { when, times, after, every, probability }
  return { name: 'fail', rules: [{ on, ...often, fault: { name: 'status', status, ...envelope } }] }
}

/** Requests that a script is for, and what follows its last turn. */
export interface ScriptOptions {
  /** What follows the last turn. Default: `fail`, which refuses the call. */
  onEnd?: RuleInput['onEnd']
  /** Which requests it is about. Default: all. */
  when?: RuleInput['when']
  /** Operations that answer with text. Default: `text`, all of them. */
  on?: RuleInput['on']
}

/** Answers one conversation turn by turn. */
export function scriptScenario(
  turns: NonNullable<RuleInput['script']>,
  options: ScriptOptions = {},
): ScenarioInput {
  assertOptions('script', turns, options, ['onEnd', 'when', 'on'])
  const { onEnd, when, on = textOperations } = options
  return { name: 'script', rules: [{ on, when, script: turns, onEnd }] }
}

const howOften = ['on', 'when', 'times', 'after', 'every', 'probability'] as const
const replyOptions: readonly (keyof ReplyOptions)[] = [...howOften, 'status', 'headers', 'citations']
const failOptions: readonly (keyof FailOptions)[] = [
  ...howOften,
  'message',
  'metadata',
  'gateway_metadata',
  'user_id',
  'headers',
]

function shown(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Where no compiler looks, `fail(503, 2)` is written for `fail(503, { times: 2 })`. */
function assertOptions(verb: string, what: unknown, options: unknown, names: readonly string[]): void {
  if (typeof options === 'object' && options !== null) {
    const unknown = Object.keys(options).find((name) => !names.includes(name))
    if (unknown === undefined) return
    throw new TypeError(
      `${verb}(): ${renamed(unknown, names) ?? `unknown option '${unknown}'${misnomer(unknown, names) ?? didYouMean(unknown, names)}`}`,
    )
  }
  const call = (second: unknown) => `${verb}(${JSON.stringify(what)}, ${second})`
  const meant = typeof options === 'number' ? `{ times: ${options} }` : '{ times: 2 }'
  throw new TypeError(`${call(String(options))}: the second argument is an object, as in ${call(meant)}`)
}
