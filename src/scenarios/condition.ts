/**
 * The conditions of a rule, its `when`: their schema, and a test for each. A failed test explains itself only when
 * somebody reads the near misses.
 */
import * as z from 'zod'
import { hidden, hideInValue, isSecretField, isSecretHeader } from '../http/secrets.ts'
import { equal } from '../lib/equal.ts'
import { compileGlob } from '../lib/glob.ts'
import { readAt, readPath, reads } from '../lib/value-path.ts'
import { compilePattern, Pattern, searchedPart } from './pattern.ts'
import { asksForStream, bodyField, type Conditioned, inputTextOf, modelOf } from './rule-request.ts'

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
      .union([z.int().min(1), z.array(z.int().min(1)).min(1)])
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
    tests.push(valueTest(`query '${name}'`, read, condition, isSecretField(name)))
  }
  for (const [name, condition] of Object.entries(when.headers ?? {})) {
    const read = (request: Conditioned) => own(request.headers, name.toLowerCase())
    tests.push(valueTest(`header '${name}'`, read, condition, isSecretHeader(name)))
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
  const secret = path.some(isSecretField)
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
