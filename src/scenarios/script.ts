/**
 * Scripts: the turns of one conversation, as data. Each request of the conversation takes the next turn, which answers
 * it, and says what it expects of it.
 */
import * as z from 'zod'
import { shortened } from '../lib/one-line.ts'
import { type Conversation, callText, lastUserText } from '../resources/conversation.ts'
import {
  type Condition,
  compileCondition,
  isPattern,
  Pattern,
  show,
  TextCondition,
  wish,
} from './condition.ts'
import { faultFields, type ScriptedItem, ScriptedReply } from './scripted-reply.ts'

const names = z.lazy(() => z.array(z.string().min(1)).min(1))

/** What a function must have returned. */
export const ResultCheck = z.lazy(() =>
  z
    .union(
      [
        z.string().min(1).describe('A part of the text.'),
        Pattern,
        z.looseObject({}).describe('Fields of the JSON, those inside objects too; more fields may be there.'),
      ],
      { error: 'give a part of the text, { matches }, or fields of the JSON' },
    )
    .describe('A part of the text, a regular expression, or fields of the JSON.'),
)
export type ResultCheck = z.infer<typeof ResultCheck>
/** A part of the text, a regular expression, or fields of the JSON. */
export type ResultCheckInput = z.input<typeof ResultCheck>

export const TurnExpectation = z.lazy(() =>
  z.strictObject({
    input: TextCondition.optional().describe(
      'A part of the last user message, or a regular expression that finds it.',
    ),
    tools: names.optional().describe('Functions that the request must offer; it may offer more.'),
    result: z
      .record(z.string().min(1), z.union([ResultCheck, z.array(ResultCheck).min(1)]))
      .optional()
      .describe(
        'What the functions that the turn before called have returned, by name. A list has one check for each call of that function, in their order; a single check must hold for one of them.',
      ),
  }),
)
export type TurnExpectation = z.infer<typeof TurnExpectation>
/** What the request of a turn must look like. */
export type TurnExpectationInput = z.input<typeof TurnExpectation>

/** What a turn may say of its answer, as a scripted reply says it. */
const answerFields = {
  text: true,
  citations: true,
  output: true,
  interleave: true,
  id: true,
  responseStatus: true,
  incompleteReason: true,
  error: true,
  usage: true,
} as const

const Calls = z.lazy(() => z.record(z.string().min(1), z.record(z.string(), z.json())))

/** One request of the conversation: what it must look like, and what it gets. */
export const Turn = z.lazy(() =>
  ScriptedReply.unwrap()
    .pick(answerFields)
    .extend({
      expect: TurnExpectation.optional().describe('What the request must look like. Default: anything.'),
      text: z
        .string()
        .optional()
        .describe('The text of the reply; behind `output` and before the calls where there are such.'),
      call: z
        .union([Calls, z.array(Calls).min(1)])
        .optional()
        .describe(
          'Functions to call, with their arguments, by name. A list calls one function more than once.',
        ),
      ...faultFields(),
    }),
)
export type Turn = z.infer<typeof Turn>
/** One request of a conversation: what it must look like, and what it gets. */
export type TurnInput = z.input<typeof Turn>

export const Script = z.lazy(() =>
  z.array(Turn).min(1).max(1000).describe('The turns of one conversation: one request each.'),
)
export type Script = z.infer<typeof Script>

/** The calls of a turn, one each. */
export function callsOf({ call = [] }: Turn): { name: string; args: Record<string, unknown> }[] {
  return [call].flat().flatMap((calls) => Object.entries(calls).map(([name, args]) => ({ name, args })))
}

export interface TurnAnswer {
  /** Undefined where the turn has nothing but a fault. */
  readonly reply: ScriptedReply | undefined
  /** What the assistant says in it, one text for each item. */
  readonly said: readonly string[]
  /** Names of the functions called, by call id. */
  readonly calls: ReadonlyMap<string, string>
  /** Whether a client goes on from it: one that failed or was cancelled is asked for again. */
  readonly arrives: boolean
}

/** @param idOf Makes the id of the first call that has none of its own, of the second, … */
export function answerOf(turn: Turn, idOf: (place: number) => string): TurnAnswer {
  const { expect: _, call: __, fault: ___, faults: ____, text, output = [], ...rest } = turn
  const called = callsOf(turn).map(toItem)
  // A reply has its text behind its output; the text of a turn stands before the calls.
  const isBefore = text !== undefined && called.length > 0
  const message = isBefore ? [{ type: 'message' as const, content: text }] : []
  const items = withCallIds([...output, ...message, ...called], idOf)
  const reply: ScriptedReply = {
    ...rest,
    ...(items.length > 0 && { output: items }),
    ...(text !== undefined && !isBefore && { text }),
  }
  const said = [...items.flatMap(textsOf), ...(reply.text === undefined ? [] : [reply.text])]
  const calls = new Map(
    items.flatMap((item) =>
      item.type === 'function_call' ? [[item.call_id ?? '', item.name] as const] : [],
    ),
  )
  // mutation: equivalent: for the types; undefined is not in the list
  const arrives = !turn.error && !['failed', 'cancelled'].includes(turn.responseStatus ?? '')
  return { reply: isAnswer(turn) ? reply : undefined, said, calls, arrives }
}

/** Whether a turn answers anything; the rest of what it says is about an answer. */
export function isAnswer(turn: Turn): boolean {
  const { text, output, responseStatus, incompleteReason, error } = turn
  const isGiven = [text, output, responseStatus, incompleteReason, error].some((field) => field !== undefined)
  return isGiven || callsOf(turn).length > 0
}

function toItem({ name, args }: { name: string; args: object }): ScriptedItem {
  return { type: 'function_call', name, arguments: JSON.stringify(args) }
}

function withCallIds(items: readonly ScriptedItem[], idOf: (place: number) => string): ScriptedItem[] {
  let place = 0
  return items.map((item) => {
    if (item.type !== 'function_call') return item
    const id = idOf(place++)
    return { ...item, call_id: item.call_id ?? id }
  })
}

function textsOf(item: ScriptedItem): string[] {
  if (item.type === 'function_call') return [callText(item.name, item.arguments ?? {})]
  if (item.type !== 'message') return []
  const { content } = item
  if (typeof content === 'string') return [content]
  return [content.map(({ text, refusal }) => text ?? refusal ?? '').join('\n')]
}

/** The return value of one function call. */
export interface CallResult {
  readonly name: string
  readonly text: string
}

/** How a request differs from what its turn expects. */
export interface Misfit {
  /** `the last user message with 'tides' in it, received 'Hello'`; one for each difference. */
  readonly differences: readonly string[]
  /** The parts of `expect` that do not hold, and what the request has in their place. */
  readonly expected: Record<string, unknown>
  readonly received: Record<string, unknown>
}

/**
 * Compares; undefined where everything that is expected holds.
 *
 * @param results What the functions called in the turn before have returned.
 */
export function misfitOf(
  { input, tools = [], result = {} }: TurnExpectation,
  conversation: Conversation,
  results: readonly CallResult[],
): Misfit | undefined {
  const differences: string[] = []
  const expected: Record<string, unknown> = {}
  const received: Record<string, unknown> = {}
  const differ = (field: string, wanted: unknown, found: unknown, difference: string) => {
    expected[field] = wanted
    received[field] = found
    differences.push(difference)
  }

  if (input !== undefined) {
    const text = lastUserText(conversation)
    const condition: ConditionWords = typeof input === 'string' ? { contains: input } : input
    if (!compiled(condition)(text))
      differ(
        'input',
        input,
        text,
        `the last user message ${wish(condition, false, text)}, received ${brief(text)}`,
      )
  }
  const missing = tools.filter((name) => !conversation.tools.includes(name))
  if (missing.length > 0) {
    const offered = conversation.tools.join(', ') || 'none'
    differ('tools', tools, conversation.tools, `the functions ${tools.join(', ')}, received ${offered}`)
  }
  for (const [name, checks] of Object.entries(result)) {
    const texts = results.filter((each) => each.name === name).map(({ text }) => text)
    if (holds(checks, texts)) continue
    const others = results
      .filter((each) => each.name !== name)
      .map((each) => `${each.name}: ${brief(each.text)}`)
    const found = texts.length > 0 ? texts.map(brief).join(' and ') : ['none', ...others].join('; ')
    differ(
      'result',
      { ...(expected['result'] as object), [name]: checks },
      { ...(received['result'] as object), [name]: texts },
      `${inWords(name, checks)}, received ${found}`,
    )
  }
  return differences.length > 0 ? { differences, expected, received } : undefined
}

/** A condition in words, as `{ contains: 'tides' }`. */
type ConditionWords = Extract<Condition, object>

const conditions = new WeakMap<object, (value: unknown) => boolean>()

/** Compiled once for each condition. */
function compiled(condition: ConditionWords): (value: unknown) => boolean {
  const known = conditions.get(condition) ?? compileCondition(condition)
  conditions.set(condition, known)
  return known
}

/** A list has one check for each call, in their order; a single check must hold for one of them. */
function holds(checks: ResultCheck | readonly ResultCheck[], texts: readonly string[]): boolean {
  if (!Array.isArray(checks)) return texts.some((text) => fits(checks as ResultCheck, text))
  return checks.length === texts.length && checks.every((check, index) => fits(check, texts[index] as string))
}

function fits(check: ResultCheck, text: string): boolean {
  const condition = conditionOf(check)
  if (condition) return compiled(condition)(text)
  try {
    return has(JSON.parse(text), check)
  } catch {
    return false
  }
}

/** Whether a value has all fields that are wanted of it, those inside objects too. Lists match item by item. */
function has(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  const condition = conditionOf(wanted)
  if (condition) return compiled(condition)(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(wanted))
    return false
  if (Array.isArray(wanted) && wanted.length !== (value as unknown[]).length) return false
  return Object.entries(wanted).every(
    ([key, inner]) => Object.hasOwn(value, key) && has(Reflect.get(value, key), inner),
  )
}

/** A text is a part of the text; `{ matches }` and its like are conditions as in `when`; the rest are fields. */
function conditionOf(check: string | object): ConditionWords | undefined {
  if (typeof check === 'string') return { contains: check }
  return isPattern(check) ? check : undefined
}

function inWords(name: string, checks: ResultCheck | readonly ResultCheck[]): string {
  const each = [checks].flat() as ResultCheck[]
  const wishes = each.map((check) => {
    const condition = conditionOf(check)
    return condition ? wish(condition) : `with the fields ${show(check)}`
  })
  if (!Array.isArray(checks)) return `a result of '${name}' ${wishes[0]}`
  return `${each.length} results of '${name}', ${wishes.join(' and ')}`
}

/** Enough of a text to recognise it. */
function brief(text: string): string {
  return show(shortened(text, 300))
}
