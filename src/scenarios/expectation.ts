/**
 * What a turn of a script expects of its request, compared with what the request has.
 */
import { shortened } from '../lib/one-line.ts'
import { type Conversation, lastUserText } from '../resources/conversation.ts'
import { type Condition, compileCondition, show, wish } from './condition.ts'
import { isPattern } from './pattern.ts'
import type { ResultCheck, TurnExpectation } from './script.ts'

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
