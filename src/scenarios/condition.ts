/** Defines rule conditions (`when`): their schema, and a compiled test for each. */
import * as z from 'zod'
import { hidden, hideInValue, isSecretName } from '../http/secrets.ts'
import { backtracking } from '../lib/backtracking.ts'
import { equal } from '../lib/equal.ts'
import { compileGlob } from '../lib/glob.ts'
import { fieldsOf } from '../lib/json.ts'
import { count } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import { readAll, readAt, readPath } from '../lib/value-path.ts'
import {
  assistantOutputs,
  type Conversation,
  type ConversationItem,
  messageItems,
  newUserTexts,
} from '../resources/conversation.ts'
import { list, record } from '../resources/list.ts'
import { field, text } from './field.ts'

/** Parts of a request that conditions read. Path parameters are decoded; header names are in lower case. */
export interface Conditioned {
  readonly params: Readonly<Record<string, string>>
  /** Contains the last value of a repeated parameter, but operations reject such a request. */
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** If true, the request asks for a stream, or the reply is a recorded stream. */
  readonly asksForStream: boolean
}

export interface RuleRequest extends Conditioned {
  /** Operation id; undefined for a path without an operation. */
  readonly operation: string | undefined
  readonly generatesText?: boolean
  /** Prefix of function call ids. Default: `call_`. */
  readonly callPrefix?: string | undefined
  readonly method: string
  /** Path relative to the base URL, such as `/chat/completions`; undefined for paths outside it. */
  readonly route: string | undefined
  readonly contentKey: string
  readonly occurrence: number
  /** Models tried so far, including the current one, if the request names several. */
  readonly triedModels?: readonly string[]
  /** Rate limits that have counted the request. Set if a request names several models, each of which is matched. */
  readonly countedLimits?: Set<object> | undefined
  /** If true, the request was already rejected, and only rules for `*` match it. */
  readonly isRejected?: boolean
}

export function asksForStream(body: unknown): boolean {
  return fieldsOf(body)['stream'] === true
}

export function modelOf(body: unknown): string | undefined {
  const { model } = fieldsOf(body)
  return typeof model === 'string' ? model : undefined
}

const inputTexts = new WeakMap<object, readonly string[]>()

/** Returns the user's texts since the assistant's last output or, if there are none, those of the last user message. */
function inputTextsOf(body: unknown): readonly string[] {
  if (typeof body !== 'object' || body === null) return []
  const { input, messages, prompt } = fieldsOf(body)
  const items = () => [input ?? messages ?? prompt].flat().flatMap(itemsOf)
  const texts = inputTexts.get(body) ?? newUserTexts({ items: items(), tools: [] })
  inputTexts.set(body, texts)
  return texts
}

function itemsOf(item: unknown): ConversationItem[] {
  const { role = 'user', type = 'message', content = item } = fieldsOf(item)
  // A call is output of the assistant, as a message is.
  if (/_call$|^reasoning$/.test(String(type))) return messageItems('assistant', '')
  return type === 'message' ? messageItems(String(role), content) : []
}

export const maxPattern = 200

export const Pattern = z.lazy(() =>
  z
    .strictObject({
      matches: z
        .string()
        .min(1)
        .max(maxPattern, { abort: true })
        .describe('An unanchored regular expression without backreferences.'),
      flags: field(z.string().max(8), "The regular expression's flags. Default: none."),
    })
    .superRefine((pattern, context) => {
      const problem = patternProblem(pattern)
      if (problem !== undefined) context.addIssue({ code: 'custom', path: ['matches'], message: problem })
    }),
)
export type Pattern = z.infer<typeof Pattern>
export type PatternInput = z.input<typeof Pattern>

/** Returns true for a pattern, false for other objects with fields such as `matches`. */
export function isPattern(value: unknown): value is Pattern {
  const fields = fieldsOf(value)
  if (typeof fields['matches'] !== 'string' || !/string|undefined/.test(typeof fields['flags'])) return false
  return Object.keys(Object(value)).every((name) => name === 'matches' || name === 'flags')
}

/** Cached patterns: compiling takes milliseconds, and both checking and matching need the result. */
const cache = new Map<string, ReturnType<typeof compile>>()
const maxCached = 10_000

function compilePattern({ matches, flags = '' }: Pattern) {
  const key = `/${matches}/${flags}`
  const compiled = cache.get(key) ?? compile(matches, flags)
  if (cache.size >= maxCached) cache.clear()
  cache.set(key, compiled)
  return compiled
}

/** Returns the expression, and the maximum length of text that it may search. */
function compile(matches: string, flags: string) {
  if (flags.includes('v')) throw new Error(`the 'v' flag is not supported: use 'u'`)
  const result = backtracking(new RegExp(matches, flags))
  if ('problem' in result) throw new Error(result.problem)
  // The `g` and `y` flags would make the expression stateful.
  return { expression: new RegExp(matches, flags.replace(/[gy]/g, '')), maxText: result.maxText }
}

export function patternProblem(pattern: Pattern): string | undefined {
  if (pattern.matches.length > maxPattern) return `Must have at most ${maxPattern} characters`
  try {
    compilePattern(pattern)
    return undefined
  } catch (error) {
    const problem = (error as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/, '')
    return `the regular expression /${pattern.matches}/${pattern.flags ?? ''} cannot be used: ${problem}`
  }
}

const texts = z.lazy(() => z.union([text, list(text).min(1).max(1000)]))
const Part = z.lazy(() => z.strictObject({ contains: text.describe('A substring of the value.') }))

export const TextCondition = z.lazy(() =>
  z.union([text, Part, Pattern], mustBe('text, { contains } or { matches }')),
)

/** Expands a string condition, which searches for a substring. */
export function textCondition(text: z.infer<typeof TextCondition>): Extract<Condition, object> {
  return typeof text === 'string' ? { contains: text } : text
}

export const Condition = z.lazy(() =>
  z
    .union(
      [
        z.union([z.string(), z.number(), z.boolean(), z.null()]),
        z.strictObject({ equals: z.json().describe('Any JSON value, compared deeply.') }),
        Part,
        Pattern,
        z.strictObject({ present: z.boolean().describe('Requires a value if true, or no value if false.') }),
      ],
      mustBe('a value, or an object with equals, contains, matches or present'),
    )
    .describe('The value itself, or one of equals, contains, matches, present.'),
)
export type Condition = z.infer<typeof Condition>
/** The value itself, or one of equals, contains, matches, present. */
export type ConditionInput = z.input<typeof Condition>

const named = z.lazy(() => record(text, Condition))

export const When = z.lazy(() =>
  z.strictObject(
    {
      model: field(texts, 'Model name globs, such as `aurora/*`. At least one must match.'),
      input: field(
        TextCondition,
        "Text of the user's latest message: a substring, or `{ matches: 'regex', flags: 'i' }`. For a system prompt, use `body`, as in `{ 'messages.0.content': { contains: 'title' } }`.",
      ),
      stream: field(z.boolean(), 'If true, matches requests for an event stream; if false, all others.'),
      headers: field(named, 'Headers by name; names are case-insensitive.'),
      query: field(named, 'Query parameters by name.'),
      params: field(named, 'Path parameters by name, such as `slug`.'),
      body: field(named, 'Body fields by path, such as `tools.0.type`. `*` matches any key or index.'),
      turn: field(
        z.union(
          [z.enum(['first', 'tool-result']), count(1)],
          mustBe("'first', 'tool-result' or a number from 1"),
        ),
        "Position in the conversation: `first` (no assistant output yet), `tool-result` (the last item is a tool's result), or the number of user messages so far.",
      ),
      state: field(texts, "Sandbox state, as set by a rule's `setState`. Initially `started`."),
      call: field(
        z.union([count(1), list(count(1)).min(1).max(1000)]),
        '1-based index among the calls that match the other conditions.',
      ),
    },
    mustBe("an object such as { model: 'aurora/*' }"),
  ),
)
export type ParsedWhen = z.infer<typeof When>
export type When = z.input<typeof When>

export function turnsOf(conversation: Conversation): NonNullable<ParsedWhen['turn']>[] {
  const { items } = conversation
  const users = items.filter((item) => item.kind === 'message' && item.role === 'user').length
  return [
    ...(assistantOutputs(conversation).length === 0 ? (['first'] as const) : []),
    ...(items.at(-1)?.kind === 'result' ? (['tool-result'] as const) : []),
    users,
  ]
}

export interface Test {
  passes(request: Conditioned): boolean
  /** Describes the expected and actual values, to end a sentence. */
  explain(request: Conditioned): string
}

/** Compiles the conditions in `when`, cheapest first. Excludes `call` and `state`, which depend on earlier calls, and `turn`. */
export function compileWhen({ stream, model, body = {}, input, ...named }: ParsedWhen): Test[] {
  const tests: Test[] = []
  if (stream !== undefined) tests.push(streamTest(stream))
  if (model !== undefined) tests.push(modelTest([model].flat()))
  const nouns = { params: 'parameter', query: 'query', headers: 'header' } as const
  for (const part of ['params', 'query', 'headers'] as const) {
    for (const [name, condition] of Object.entries(named[part] ?? {})) {
      const path = [part === 'headers' ? name.toLowerCase() : name]
      const read = (request: Conditioned) => valuesAt(request[part], path)
      tests.push(valueTest(`${nouns[part]} '${name}'`, read, condition, isSecretName(name)))
    }
  }
  for (const [text, condition] of Object.entries(body)) {
    const path = readPath(text)
    const subject = `${path.includes('*') ? 'a ' : ''}body field '${text}'`
    tests.push(valueTest(subject, ({ body }) => valuesAt(body, path), condition, path.some(isSecretName)))
  }
  if (input !== undefined)
    tests.push(valueTest('input text', ({ body }) => inputTextsOf(body), textCondition(input)))
  return tests
}

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (path.includes('*')) return readAll(value, path)
  const found = readAt(value, path)
  return found === undefined ? [] : [found]
}

/** Returns a test for the body's `stream` field. If a fault implies the condition, a recorded stream also passes. */
export function streamTest(expected: boolean, isImplied = false): Test {
  const read: Read = ({ body, asksForStream }) => [(isImplied && asksForStream) || fieldsOf(body)['stream']]
  const holds = (stream: unknown) => (stream === true) === expected
  const describe = () => `a request with stream ${expected}`
  return toTest(read, holds, describe)
}

function modelTest(globs: readonly string[]): Test {
  const matchers = globs.map(compileGlob)
  const holds = (model: unknown) =>
    typeof model === 'string' && matchers.some((matches) => matches(model.toLowerCase()))
  const names = globs.map((glob) => `'${glob}'`).join(' or ')
  const describe = () => `model ${names}`
  return toTest(({ body }) => [modelOf(body)], holds, describe)
}

function valueTest(subject: string, read: Read, condition: Condition, secret: boolean = false): Test {
  const describe = (value: unknown) => `${subject} ${describeCondition(condition, secret, value)}`
  return toTest(read, compileCondition(condition), describe, secret)
}

type Read = (request: Conditioned) => readonly unknown[]
type Holds = (value: unknown) => boolean

function toTest(read: Read, holds: Holds, describe: (value: unknown) => string, secret = false): Test {
  return {
    passes(request) {
      const values = read(request)
      return values.length === 0 ? holds(undefined) : values.some(holds)
    },
    explain(request) {
      const values = read(request)
      const actual = values.map((value) => show(value, secret)).join(', ') || 'none'
      return `expected ${describe(values[0])}, but the request has ${actual}`
    },
  }
}

export function compileCondition(condition: Condition): Holds {
  if (typeof condition !== 'object' || condition === null) return (value) => equal(value, condition)
  if ('equals' in condition) return (value) => equal(value, condition.equals)
  if ('contains' in condition)
    return (value) => typeof value === 'string' && value.includes(condition.contains)
  if ('present' in condition) return (value) => (value !== undefined) === condition.present
  const { expression, maxText } = compilePattern(condition)
  return (value) => typeof value === 'string' && expression.test(value.slice(0, maxText))
}

/** Describes a condition, as in `equal to 'en'`, with a note if only part of the value was searched. */
export function describeCondition(condition: Condition, secret = false, value?: unknown): string {
  if (typeof condition !== 'object' || condition === null) return `equal to ${show(condition, secret)}`
  if ('equals' in condition) return `equal to ${show(condition.equals, secret)}`
  if ('present' in condition) return condition.present ? 'to be present' : 'to be absent'
  if (secret) return `matching ${hidden}`
  if ('contains' in condition) return `containing '${condition.contains}'`
  const { maxText } = compilePattern(condition)
  const isLong = typeof value === 'string' && value.length > maxText
  const part = isLong ? ` in its first ${maxText} characters` : ''
  return `matching /${condition.matches}/${condition.flags ?? ''}${part}`
}

/** Formats a value in full, so that the reader can fix the rule. Hides secrets. */
export function show(value: unknown, secret = false): string {
  if (value === undefined) return 'none'
  if (secret) return hidden
  return typeof value === 'string' ? `'${hideInValue(value)}'` : JSON.stringify(hideInValue(value))
}
