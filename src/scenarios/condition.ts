/**
 * The conditions of a rule, its `when`: their schema, what they look at, and a test for each. A failed test explains
 * itself only when the near misses are read. Regular expressions run in JavaScript's engine; those that could keep it busy
 * are refused when the rule is added.
 */
import * as z from 'zod'
import { hidden, hideInValue, isSecretName } from '../http/secrets.ts'
import { backtracking } from '../lib/backtracking.ts'
import { equal } from '../lib/equal.ts'
import { compileGlob } from '../lib/glob.ts'
import { count } from '../lib/numbers.ts'
import { readAt, readPath, reads } from '../lib/value-path.ts'

/** The part of a request that conditions are about. */
export interface Conditioned {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The last of each parameter: an operation refuses one that is repeated. */
  readonly query: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON; undefined where there is none. */
  readonly body: unknown
}

export interface RuleRequest extends Conditioned {
  /** Operation id; undefined for a path that no operation describes. */
  readonly operation: string | undefined
  /** If true, its operation answers with text. Default: false. */
  readonly answersWithText?: boolean
  /** Upper case: `POST`. */
  readonly method: string
  /** The path below the base address, `/chat/completions`; undefined where it does not lie below one. */
  readonly route: string | undefined
  /** Hash of method, path, query and body: the same for the same request. */
  readonly contentKey: string
  /** How often the same request came before; 0 the first time. */
  readonly occurrence: number
  /** Refused by its path, method, key, body or content type: only rules for every call are about it. Default: false. */
  readonly isRefused?: boolean
}

/** A field of the body at its top level. */
export function bodyField(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined
  return Reflect.get(body, name)
}

/** Whether it asks for an event stream. Spec: POST /responses, `stream`. */
export function asksForStream(body: unknown): boolean {
  return bodyField(body, 'stream') === true
}

export function modelOf(body: unknown): string | undefined {
  const model = bodyField(body, 'model')
  return typeof model === 'string' ? model : undefined
}

const inputTexts = new WeakMap<object, string>()

/** All text of `input`, one message a line; of `messages` where the path is one of chat completions. */
export function inputTextOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return ''
  const text =
    inputTexts.get(body) ?? texts(bodyField(body, 'input') ?? bodyField(body, 'messages')).join('\n')
  inputTexts.set(body, text)
  return text
}

/** The texts in an input: itself, the items of a list, the `content` of a message, the `text` of a part. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(texts)
  if (typeof value !== 'object' || value === null) return []
  return [...texts(Reflect.get(value, 'text')), ...texts(Reflect.get(value, 'content'))]
}

/** Characters. */
const maxPattern = 200

export const Pattern = z.lazy(() =>
  z.strictObject({
    matches: z
      .string()
      .min(1)
      .max(maxPattern)
      .describe(
        'A regular expression of JavaScript without look-around and back-references, found anywhere in the text.',
      ),
    flags: z.string().max(8).optional().describe('Flags of the regular expression. Default: none.'),
  }),
)
export type Pattern = z.infer<typeof Pattern>
/** A regular expression, as data. */
export type PatternInput = z.input<typeof Pattern>

/** Tells a pattern from an object with fields of the same names. */
export function isPattern(value: object): value is Pattern {
  const { matches, flags, ...rest } = value as Record<string, unknown>
  const isText = typeof matches === 'string' && (flags === undefined || typeof flags === 'string')
  return isText && Object.keys(rest).length === 0
}

/** A pattern that can be searched for in the first `maxText` characters of any text. */
interface Compiled {
  readonly expression: RegExp
  readonly maxText: number
}

/** Reading a pattern takes some milliseconds, and happens when it is checked and when it is compiled. */
const known = new Map<string, Compiled | string>()
const maxKnown = 1000

/** Returns the problem of a pattern that cannot be used. */
function read({ matches, flags = '' }: Pattern): Compiled | string {
  const key = `/${matches}/${flags}`
  const result = known.get(key) ?? compile(matches, flags)
  if (known.size >= maxKnown) known.clear()
  known.set(key, result)
  return result
}

function compile(matches: string, flags: string): Compiled | string {
  if (flags.includes('v')) return `the flag 'v' is not supported: use 'u'`
  let expression: RegExp
  try {
    // With `g` and `y` an expression remembers where it was.
    expression = new RegExp(matches, flags)
    expression = new RegExp(matches, flags.replace(/[gy]/g, ''))
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/, '')
  }
  const found = backtracking(expression)
  return 'problem' in found ? found.problem : { expression, maxText: found.maxText }
}

/** Returns the test of a checked pattern. */
export function compilePattern(pattern: Pattern): (text: string) => boolean {
  const compiled = read(pattern)
  if (typeof compiled === 'string') throw new Error(compiled)
  const { expression, maxText } = compiled
  return (text) => expression.test(text.length > maxText ? text.slice(0, maxText) : text)
}

/** How much of a value was searched, where that is not all of it. */
export function searchedPart(pattern: Pattern, value: unknown): string {
  const compiled = read(pattern)
  if (typeof compiled === 'string' || typeof value !== 'string' || value.length <= compiled.maxText) return ''
  return ` in its first ${compiled.maxText} characters`
}

/** Returns the problem of a pattern that cannot be used. */
export function patternProblem(pattern: Pattern): string | undefined {
  const problem = read(pattern)
  return typeof problem === 'string' ? problem : undefined
}

const Part = z.lazy(() =>
  z
    .strictObject({ contains: z.string().min(1).describe('A part of the text.') })
    .describe('A part of the text.'),
)

/** What a text must be like. */
export const TextCondition = z.lazy(() => z.union([z.string().min(1), Part, Pattern]))

const scalar = z.lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null()]))

/** A condition on one value: the value itself, or what it should be like. */
export const Condition = z.lazy(() =>
  z
    .union(
      [
        scalar,
        z
          .strictObject({ equals: z.json().describe('Any JSON value, compared deeply.') })
          .describe('Any JSON value, compared deeply.'),
        Part,
        Pattern,
        z
          .strictObject({ present: z.boolean().describe('Whether it is there at all.') })
          .describe('There at all, or not there at all.'),
      ],
      { error: 'a condition is a value, or one of equals, contains, matches, present' },
    )
    .describe('The value itself, or one of equals, contains, matches, present.'),
)
export type Condition = z.infer<typeof Condition>
/** The value itself, or one of equals, contains, matches, present. */
export type ConditionInput = z.input<typeof Condition>

const named = z.lazy(() => z.record(z.string().min(1), Condition))

export const When = z.lazy(() =>
  z.strictObject({
    model: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe('Globs of model names: `aurora/*`. One of several is enough.'),
    input: TextCondition.optional().describe(
      'A part of the input text, or a regular expression that finds it.',
    ),
    stream: z.boolean().optional().describe('Whether the request asks for an event stream.'),
    headers: named.optional().describe('By name; case does not matter in names.'),
    query: named.optional().describe('Query parameters by name.'),
    params: named.optional().describe('Path parameters by name: `slug`.'),
    body: named
      .optional()
      .describe('Fields of the body by path: `tools.0.type`; `*` stands for any of them.'),
    state: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe('The state of the sandbox that `setState` of some rule has set; `started` at first.'),
    call: z
      .union([count(1), z.array(count(1)).min(1)])
      .optional()
      .describe('The number of the call among those that meet the other conditions, from 1.'),
  }),
)
export type When = z.infer<typeof When>
/** Which requests a rule is about. */
export type WhenInput = z.input<typeof When>

/** One condition of a rule, compiled. */
export interface Test {
  passes(request: Conditioned): boolean
  /** What it wants and what the request has, as the end of a sentence. */
  explain(request: Conditioned): string
}

/** The tests of a `when`, cheapest first. `call` and `state` are not among them: they depend on what came before. */
export function compileWhen(when: When): Test[] {
  const tests: Test[] = []
  if (when.stream !== undefined) tests.push(streamTest(when.stream))
  if (when.model !== undefined) tests.push(modelTest([when.model].flat()))
  for (const [name, condition] of Object.entries(when.params ?? {})) {
    tests.push(valueTest(`parameter '${name}'`, (request) => own(request.params, name), condition))
  }
  for (const [name, condition] of Object.entries(when.query ?? {})) {
    const read = (request: Conditioned) => own(request.query, name)
    tests.push(valueTest(`query '${name}'`, read, condition, isSecretName(name)))
  }
  for (const [name, condition] of Object.entries(when.headers ?? {})) {
    const read = (request: Conditioned) => own(request.headers, name.toLowerCase())
    tests.push(valueTest(`header '${name}'`, read, condition, isSecretName(name)))
  }
  for (const [path, condition] of Object.entries(when.body ?? {})) tests.push(bodyTest(path, condition))
  if (when.input !== undefined) {
    const condition = typeof when.input === 'string' ? { contains: when.input } : when.input
    tests.push(valueTest('input text', ({ body }) => inputTextOf(body), condition))
  }
  return tests
}

/** Whether the request asks for a stream; implied by faults that only a stream can show. */
export function streamTest(wanted: boolean): Test {
  return {
    passes: ({ body }) => asksForStream(body) === wanted,
    explain: ({ body }) =>
      `wants a request with stream ${wanted}, the request has ${show(bodyField(body, 'stream'))}`,
  }
}

function modelTest(globs: readonly string[]): Test {
  const matchers = globs.map(compileGlob)
  return {
    passes({ body }) {
      const model = modelOf(body)?.toLowerCase()
      return model !== undefined && matchers.some((matches) => matches(model))
    },
    explain: ({ body }) =>
      `wants model ${globs.map((glob) => `'${glob}'`).join(' or ')}, the request has ${show(modelOf(body))}`,
  }
}

/** @param secret Whether neither value may be told. */
function valueTest(
  what: string,
  read: (request: Conditioned) => unknown,
  condition: Condition,
  secret = false,
): Test {
  const holds = compileCondition(condition)
  return {
    passes: (request) => holds(read(request)),
    explain(request) {
      const value = read(request)
      return `wants ${what} ${wish(condition, secret, value)}, the request has ${show(value, secret)}`
    },
  }
}

function bodyTest(text: string, condition: Condition): Test {
  const path = readPath(text)
  const secret = path.some(isSecretName)
  if (!path.includes('*')) {
    return valueTest(`body field '${text}'`, (request) => readAt(request.body, path), condition, secret)
  }
  const holds = compileCondition(condition)
  return {
    passes(request) {
      const values = reads(request.body, path)
      return values.length === 0 ? holds(undefined) : values.some(holds)
    },
    explain(request) {
      const values = reads(request.body, path).map((value) => show(value, secret))
      return `wants a body field '${text}' ${wish(condition, secret)}, the request has ${values.join(', ') || 'none'}`
    },
  }
}

export function compileCondition(condition: Condition): (value: unknown) => boolean {
  if (typeof condition !== 'object' || condition === null) return (value) => equal(value, condition)
  if ('equals' in condition) return (value) => equal(value, condition.equals)
  if ('contains' in condition)
    return (value) => typeof value === 'string' && value.includes(condition.contains)
  if ('present' in condition) return (value) => (value !== undefined) === condition.present
  const matches = compilePattern(condition)
  return (value) => typeof value === 'string' && matches(value)
}

/** A condition in words: `'en'`, `with 'weather' in it`; with what was searched of a value. */
export function wish(condition: Condition, secret = false, value?: unknown): string {
  if (typeof condition !== 'object' || condition === null) return show(condition, secret)
  if ('equals' in condition) return `equal to ${show(condition.equals, secret)}`
  if ('present' in condition) return condition.present ? 'to be there' : 'to be absent'
  if (secret) return `like ${hidden}`
  if ('contains' in condition) return `with '${condition.contains}' in it`
  return `like /${condition.matches}/${condition.flags ?? ''}${searchedPart(condition, value)}`
}

/** A value in words, whole: a reader who cannot see it cannot fix the rule. Secrets are hidden all the same. */
export function show(value: unknown, secret = false): string {
  if (value === undefined) return 'none'
  if (secret) return hidden
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(hideInValue(value))
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
