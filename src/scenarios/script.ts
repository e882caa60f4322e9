/** Defines scripts: a conversation's turns, as data. Each turn defines the expected request and the reply. */
import * as z from 'zod'
import { matches } from '../lib/equal.ts'
import { fieldsOf, parseJson, textOf } from '../lib/json.ts'
import { truncate } from '../lib/one-line.ts'
import { mustBe } from '../lib/schema-messages.ts'
import { mapInside, walk } from '../lib/value-path.ts'
import { type Conversation, callText, newUserTexts } from '../resources/conversation.ts'
import { list, record } from '../resources/list.ts'
import {
  compileCondition,
  describeCondition,
  isPattern,
  Pattern,
  patternProblem,
  show,
  TextCondition,
  textCondition,
} from './condition.ts'
import { field, lazyObject, text } from './field.ts'
import { answerFields, faultFields, type ParsedScriptedReply, type ScriptedItem } from './scripted-reply.ts'

export const ResultCheck = z.lazy(() =>
  z.union(
    [text.describe('A substring of the result.'), Pattern, RequiredFields],
    mustBe('a substring, { matches }, or fields of the JSON'),
  ),
)
export type ResultCheck = z.infer<typeof ResultCheck>

const RequiredFields = z.lazy(() =>
  z
    .looseObject({})
    .superRefine((fields, context) => {
      for (const [path, value] of walk(fields)) {
        const message = isPattern(value) ? patternProblem(value) : undefined
        if (message !== undefined) context.addIssue({ code: 'custom', path: [...path, 'matches'], message })
      }
    })
    .describe('Required fields of the JSON result, including nested ones. Other fields are allowed.'),
)

export const TurnExpectation = lazyObject(() => ({
  input: field(TextCondition, 'Substring or regular expression that a new user message must match.'),
  tools: field(list(text).min(1), 'Functions that the request must offer. Others are allowed.'),
  result: field(
    record(text, z.union([ResultCheck, list(ResultCheck).min(1)])),
    "Checks on the results of the previous turn's function calls, by function name. A list has one check per call, in order; a single check must match at least one call.",
  ),
}))
export type TurnExpectation = z.infer<typeof TurnExpectation>

const callForm = "arguments by function name, such as { search: { q: 'tides' } }"

/** Arguments by function, or text for a custom tool. In a list, TypeScript adds each call's functions to the others as optional fields. */
export type FunctionCalls = Readonly<Record<string, object | string | undefined>>
export const FunctionCalls = z.lazy(
  () =>
    // In a vendor's form, the names of the fields would be taken for functions.
    record(text, z.union([z.record(z.string(), z.json()), z.string()])).refine(
      ({ name, toolName = name, type }) => typeof toolName !== 'string' && type !== 'function',
      mustBe(callForm),
    ) as z.ZodType<Record<string, object | string>, FunctionCalls>,
)

export const Turn = lazyObject(() => ({
  ...answerFields(),
  expect: field(TurnExpectation, 'Expectations about the request. Default: none.'),
  call: field(
    z.union([FunctionCalls, list(FunctionCalls).min(1)], mustBe(callForm)),
    "Functions to call: an object that maps each function's name to its arguments, or a custom tool's name to its text. Use a list to call a function more than once.",
  ),
  ...faultFields(),
}))
export type ParsedTurn = z.infer<typeof Turn>
/** A turn of a conversation: expectations about a request, and its reply. */
export type Turn = z.input<typeof Turn>

export const Script = z.lazy(() =>
  list(Turn, mustBe("a list of turns, such as [{ text: 'Hello' }]"))
    .min(1)
    .max(1000)
    .describe('The turns of one conversation, one request each.'),
)
export type Script = z.infer<typeof Script>

export function callsOf({ call = [] }: ParsedTurn): { name: string; args: object }[] {
  const entries = [call].flat().flatMap((calls) => Object.entries(calls))
  return entries.map(([name, args]) => ({ name, args: typeof args === 'string' ? { input: args } : args }))
}

/** @param idOf Generates the id of a function call from its index, unless the script sets one. */
export function answerOf(turn: ParsedTurn, idOf: (index: number) => string) {
  const { expect: _, call: __, fault: ___, text, output = [], ...rest } = turn
  const called = callsOf(turn).map(
    ({ name, args }): ScriptedItem => ({ type: 'function_call', name, arguments: JSON.stringify(args) }),
  )
  // Text follows the output in a reply, but precedes the calls in a turn.
  const isBefore = text !== undefined && called.length > 0
  const message = isBefore ? [{ type: 'message' as const, content: text }] : []
  const calls = new Map<string, string>()
  let index = 0
  const items = [...output, ...message, ...called].map((item) => {
    if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return item
    const id = idOf(index++)
    const { call_id = id, name } = fieldsOf(item)
    calls.set(String(call_id), String(name))
    return { ...item, call_id }
  })
  const reply: ParsedScriptedReply = {
    ...rest,
    ...(items.length > 0 && { output: items }),
    ...(text !== undefined && !isBefore && { text }),
  }
  const said = [...items.flatMap(textsOf), ...(reply.text === undefined ? [] : [reply.text])]
  // Clients retry failed and cancelled answers.
  const arrives = !turn.error && !['failed', 'cancelled'].includes(turn.responseStatus ?? '')
  return { reply: isAnswer(turn) ? reply : undefined, said, calls, arrives }
}

/** Returns true if a turn has a reply. Fields such as `usage` only modify a reply. */
export function isAnswer(turn: ParsedTurn): boolean {
  const { text, output, responseStatus, incompleteReason, error } = turn
  const fields = [text, output, responseStatus, incompleteReason, error]
  return fields.some((field) => field !== undefined) || callsOf(turn).length > 0
}

function textsOf(item: ScriptedItem): string[] {
  const { name, input, content, arguments: args = {} } = fieldsOf(item)
  if (item.type === 'message') return [textOf(content)]
  if (item.type === 'custom_tool_call') return [callText(textOf(name), { input })]
  return item.type === 'function_call' ? [callText(textOf(name), args as string | object)] : []
}

export interface CallResult {
  readonly name: string
  readonly text: string
}

/** Maximum length of a difference, which the journal and the script store. */
const maxDifference = 1000

/** Returns phrases such as `a user message containing 'tides', but received 'Hello'`. */
export function differencesOf(
  { input, tools = [], result = {} }: TurnExpectation = {},
  conversation: Conversation,
  results: readonly CallResult[],
): string[] {
  const differences: string[] = []
  if (input !== undefined) {
    const texts = newUserTexts(conversation)
    const condition = textCondition(input)
    if (!texts.some(compileCondition(condition))) {
      const expected = describeCondition(condition, false, texts.at(-1))
      differences.push(`a user message ${expected}, but received ${texts.map(brief).join(' and ')}`)
    }
  }
  if (tools.some((name) => !conversation.tools.includes(name))) {
    const offered = conversation.tools.join(', ') || 'none'
    differences.push(`the functions ${tools.join(', ')}, but received ${offered}`)
  }
  for (const [name, checks] of Object.entries(result)) {
    const own = results.filter((each) => each.name === name).map(({ text }) => text)
    const isList = Array.isArray(checks)
    const read = ([checks].flat() as ResultCheck[]).map(readCheck)
    const [first] = read
    const isMet = isList
      ? read.length === own.length && read.every(({ holds }, index) => holds(own[index] as string))
      : own.some((text) => first?.holds(text))
    if (isMet) continue
    const others = results
      .filter((each) => each.name !== name)
      .map((each) => `${each.name || 'for an unknown call'}: ${brief(each.text)}`)
    const actual = own.length > 0 ? own.map(brief).join(' and ') : ['none', ...others].join('; ')
    const subject = isList ? `${read.length} results of '${name}',` : `a result of '${name}'`
    const expected = read.map(({ description }) => description).join(' and ')
    differences.push(`${subject} ${expected}, but received ${actual}`)
  }
  return differences.map((difference) => truncate(difference, maxDifference))
}

function readCheck(check: ResultCheck): { description: string; holds(text: string): boolean } {
  if (typeof check === 'string' || isPattern(check)) {
    const condition = textCondition(check)
    return { description: describeCondition(condition), holds: compileCondition(condition) }
  }
  const replace = (inner: unknown) =>
    isPattern(inner) ? { asymmetricMatch: compileCondition(inner) } : inner
  const expected = mapInside(check, replace)
  return {
    description: `with the fields ${show(check)}`,
    holds: (text) => matches(parseJson(text), expected),
  }
}

function brief(text: string): string {
  return show(truncate(text, 300))
}
