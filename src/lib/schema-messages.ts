import type * as z from 'zod'
import { didYouMean, meantBy } from './did-you-mean.ts'
import { oneLine, truncate } from './one-line.ts'

export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(value, { error: inWords })
}

/** Passed as `error` to `schema.safeParse`. Returns a message such as `Must be a number, got '0'`. */
export function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, input } = issue
  if (input === undefined && code !== 'unrecognized_keys') return 'Is required'
  const got = `, got ${shown(input)}`
  if (code === 'unrecognized_keys') {
    const known = Object.keys(Object(issue.inst?._zod.def)['shape'] ?? {})
    return `Unknown field${issue.keys.length === 1 && known[0] ? didYouMean(String(issue.keys), known) : ''}`
  }
  if (code === 'invalid_type') return `Must be ${typeName(issue.expected)}${got}`
  if (code === 'invalid_value') {
    const values = issue.values.map(String)
    return `Must be ${oneOf(issue.values.map(shown))}${got}${typeof input === 'string' ? meantBy(input, values) : ''}`
  }
  if (code === 'too_small' || code === 'too_big') {
    const problem = limit(issue)
    if (problem.endsWith('empty')) return problem
    // The length tells more than `a list`, or the beginning of a text.
    return Array.isArray(input) || String(input).length > maxShown
      ? `${problem}, got ${Object(input).length}`
      : problem + got
  }
  if (code === 'not_multiple_of') return `Must be a multiple of ${issue.divisor}${got}`
  // The value is not shown, because a URL may contain a password.
  if (code === 'invalid_format' && issue.format === 'url') return 'Must be a URL'
  if (code === 'invalid_format') return `Must be ${formatName(issue)}${got}`
  if (code !== 'invalid_union') return undefined
  if (issue.discriminator !== undefined) {
    const kind = Reflect.get(Object(input), issue.discriminator)
    const names = Array.from(Object(issue.options) as Iterable<unknown>).filter((each) => each !== undefined)
    return kind === undefined ? 'Is required' : `Must be ${oneOf(names.map(shown))}, got ${shown(kind)}`
  }
  const forms = issue.errors.flatMap(([first]) => {
    if (!first || first.path.length > 0) return []
    if (first.code === 'invalid_value') return first.values.map(shown)
    return first.code === 'invalid_type' ? [typeName(first.expected)] : []
  })
  return forms.length === 0 ? undefined : `Must be ${oneOf([...new Set(forms)])}${got}`
}

/** Returns a schema's options, for messages such as `Must be a scenario or a rule, got a list`. */
export function mustBe(what: string) {
  return {
    error({ code, input }: { readonly code?: string | undefined; readonly input?: unknown }) {
      if (code === 'unrecognized_keys') return undefined
      return input === undefined ? `Is required: ${what}` : `Must be ${what}, got ${shown(input)}`
    },
  }
}

/** Joins a field and its problem: `options.port must be 0 to 65535, got 70000`. */
export function about(field: string, problem: string): string {
  const text = problem.charAt(0).toLowerCase() + problem.slice(1)
  return `${field}${/^(must|is|has|needs) /.test(text) ? ' ' : ': '}${text}`
}

const maxShown = 60

/** Also accepts regular expressions from another realm, but not proxies, which have no source. */
export function isRegExp(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]'
}

export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${truncate(oneLine(value), maxShown)}'`
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list'
  if (typeof value !== 'object' || value === null || isRegExp(value)) return String(value)
  const { name = 'Object' } = Object(value.constructor)
  if (name !== 'Object') return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${truncate(oneLine(String(name)), 60)}`
  return Object.keys(value).length === 0 ? '{}' : 'an object'
}

/** Joins words as in `a, b or c`. Words after the fifth are only counted. */
function oneOf(words: readonly string[]): string {
  if (words.length > 5) return `one of ${words.slice(0, 5).join(', ')} and ${words.length - 5} more`
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  null: 'null',
  object: 'an object',
  record: 'an object',
}

function typeName(type: string): string {
  return typeNames[type] ?? `a ${type}`
}

type Limit = Extract<z.core.$ZodRawIssue, { code: 'too_small' | 'too_big' }>

function limit(issue: Limit): string {
  const { origin, inclusive } = issue
  const bound = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum)
  const unit = { string: 'character', array: 'item', record: 'field' }[String(origin)]
  const isLeast = issue.code === 'too_small'
  if (unit === undefined) {
    if (!inclusive) return `Must be ${isLeast ? 'more' : 'less'} than ${bound}`
    return isLeast ? `Must be ${bound} or more` : `Must be at most ${bound}`
  }
  if (isLeast && bound === 1) return 'Must not be empty'
  return `Must have at ${isLeast ? 'least' : 'most'} ${bound} ${unit}${bound === 1 ? '' : 's'}`
}

function formatName(issue: Extract<z.core.$ZodRawIssue, { code: 'invalid_format' }>): string {
  if (issue.format === 'regex') return `a string that matches ${String(issue.pattern)}`
  if (issue.format === 'starts_with') return `a string that starts with '${String(issue.prefix)}'`
  return `a valid ${issue.format}`
}
