/** The call list's search language: `status:429 model:aurora/* slower:2s -rule:busy haiku`. */
import { nearest } from '../../../lib/did-you-mean.ts'
import { compileGlob } from '../../../lib/glob.ts'
import { lookUp } from '../../../lib/json.ts'
import { isShorthand } from '../../../scenarios/names.ts'
import type { CallRow } from '../rows.ts'
import { isError } from './parts.tsx'

export interface Term {
  /** The term as typed. */
  text: string
  /** Name of a field, or a path in bodies such as `error.code`. Empty for a word. */
  name: string
  value: string
  /** If true, the term must not match. */
  isNegated: boolean
  /** Word before a colon that is not a field name. The whole term is then treated as a word. */
  unknown?: string | undefined
}

interface Field {
  /** Example and its meaning, for the help. */
  help: Help
  /** Returns the values of a call. At least one value must match. Undefined for terms that the server searches for. */
  read?: (call: CallRow) => readonly string[]
  /** Returns true for further matches, such as by part of a value. */
  matches?: (call: CallRow, value: string) => boolean
  /** Valid values. Default: all. */
  expects?: RegExp
}

/** Names each rule by its scenario or, if a test passed it inline, by its activation. */
export function ruleName({ rules }: Pick<CallRow, 'rules'>): string {
  return rules.map((rule) => `${titleOf(rule.activation, rule.scenario)}#${rule.index}`).join(', ')
}

export function titleOf(activation: string, scenario: string): string {
  return isShorthand(scenario) ? activation : scenario
}

function namesOf({ scenario, activation, index }: CallRow['rules'][number]): string[] {
  return [scenario, activation].flatMap((name) => [name, `${name}#${index}`])
}

const kinds: Record<string, readonly [meaning: string, test: (call: CallRow) => boolean]> = {
  error: ['errors: a status of 400 or above, a reply cut short, or an error event', isError],
  warning: ['requests with a warning', ({ warnings }) => warnings.length > 0],
  unmatched: ['requests that no operation or rule matched', ({ unmatched }) => unmatched],
  'near-miss': ['requests that a rule nearly matched', ({ nearMissCount }) => nearMissCount > 0],
  aborted: ['replies cut short', ({ status, delivery }) => status === 0 || delivery.startsWith('aborted')],
  pending: ['calls in progress', ({ delivery }) => delivery === 'pending'],
}

const kindNames = Object.keys(kinds)

const fields = {
  status: {
    help: ['status:429', 'a status; 5xx means 500 to 599'],
    read: ({ status }) => [String(status), `${Math.floor(status / 100)}xx`],
    expects: /^(0|[1-5](\d\d|xx))$/i,
  },
  is: {
    help: ['is:error', kinds['error']?.[0] ?? ''],
    read: (call) => kindNames.filter((kind) => kinds[kind]?.[1](call)),
    expects: new RegExp(`^(${kindNames.join('|')})$`),
  },
  op: {
    help: ['op:createResponse', 'an operation'],
    read: ({ operation }) => [operation ?? 'none'],
  },
  model: {
    help: ['model:aurora/*', 'a model; * stands for any characters'],
    read: ({ model }) => [model ?? 'none'],
  },
  stream: {
    help: ['stream:true', 'requests for an event stream'],
    read: ({ stream }) => [String(stream)],
    expects: /^(true|false)$/,
  },
  slower: {
    help: ['slower:2s', 'calls that took longer'],
    matches: ({ durationMs }, value) => (durationMs ?? Number.POSITIVE_INFINITY) > millisecondsOf(value),
    expects: /^\d*\.?\d+(ms|s|m)?$/,
  },
  rule: {
    help: ['rule:none', 'a scenario such as busy, its rule busy#2, or an inline rule such as rule~3'],
    read: ({ rules }) => (rules.length === 0 ? ['none'] : rules.flatMap(namesOf)),
  },
  sandbox: {
    help: ['sandbox:default', 'a sandbox by its id, or by a part of its name'],
    read: ({ sandbox, sandboxName }) => [sandbox, sandboxName ?? ''],
    matches: ({ sandboxName }, value) => compileGlob(`*${value}*`)((sandboxName ?? '').toLowerCase()),
  },
  warning: {
    help: ['warning:unknown', 'a text in a warning, such as for a misspelt field'],
    matches: ({ warnings }, value) => warnings.some((each) => compileGlob(`*${value}*`)(each.toLowerCase())),
  },
  trace: {
    help: ['trace:none', 'a trace id in the traceparent header'],
    read: ({ traceId }) => [traceId ?? 'none'],
  },
  body: { help: ['body:"any text"', 'a text in the request or the reply'] },
} satisfies Record<string, Field>
const fieldNames = Object.keys(fields)
export const fieldList = ` Fields: ${fieldNames.join(', ')}.`

type Help = readonly [example: string, meaning: string]
const kindsHelp = Object.entries(kinds).map(([kind, [meaning]]): Help => [`is:${kind}`, meaning])

/** Examples of search terms, with their meaning. */
export const help: readonly Help[] = [
  ['harbour', 'a word anywhere in a call: its path, input, bodies, warnings'],
  ...Object.entries<Field>(fields).flatMap(([name, { help }]) => (name === 'is' ? kindsHelp : [help])),
  ['error.code:429', 'a field in a body; a single name has a dot, as in .seed:7'],
  ['-status:200', 'a minus excludes calls'],
]

const token = /(-?)(?:([a-z]+|[a-z_]*\.[\w.-]*\w):(?!\/\/))?(?:"([^"]*)"?|(\S+))/gi

export function parseSearch(text: string): Term[] {
  return [...text.matchAll(token)].map(([whole, minus = '', before = '', quoted, plain = '']) => {
    const isPath = before.includes('.')
    const name = isPath ? before : before.toLowerCase()
    const isKnown = isPath || name === '' || Object.hasOwn(fields, name)
    const value = isKnown ? (quoted ?? plain) : whole.slice(minus.length).replace(/"/g, '')
    return {
      text: whole,
      name: isKnown ? name : '',
      value,
      isNegated: minus !== '',
      unknown: isKnown ? undefined : name,
    }
  })
}

export interface Mistake {
  text: string
  /** The valid term nearest to the mistake. */
  meant: string
  /** If true, no field has a similar name. */
  isFar?: boolean
}

/** Finds terms with an unknown field, an invalid value, or a value that only resembles one in the calls. */
export function mistakes(terms: readonly Term[], calls: readonly CallRow[]): Mistake[] {
  return terms.flatMap(({ text, name, value, isNegated, unknown }) => {
    const minus = isNegated ? '-' : ''
    if (unknown !== undefined) {
      const near = nearest(unknown, fieldNames, unknown.length / 3)
      const meant = `${minus}${near ?? `.${unknown}`}${text.slice(text.indexOf(':'))}`
      return [{ text, meant, isFar: near === undefined }]
    }
    const empty = name === '' && value.endsWith(':') && lookUp<Field>(fields, value.slice(0, -1))
    if (empty) return [{ text, meant: `${minus}${empty.help[0]}` }]
    const field = lookUp<Field>(fields, name)
    if (!field || name === 'body' || value === '') return []
    const { expects, read, help } = field
    if (expects ? expects.test(value) : calls.some((call) => isIn(field, call, value))) return []
    const values = name === 'is' ? kindNames : calls.flatMap((call) => read?.(call) ?? [])
    const near = nearest(value, [...new Set(values)].slice(0, maxCandidates))
    if (near === undefined && !expects) return []
    return [{ text, meant: `${minus}${near === undefined ? help[0] : `${name}:${near}`}` }]
  })
}

function isIn({ read, matches }: Field, call: CallRow, value: string): boolean {
  const isLike = compileGlob(value)
  return read?.(call).some((each) => isLike(each.toLowerCase())) || (matches?.(call, value) ?? false)
}

/** Maximum number of values to compare with a mistyped one. */
const maxCandidates = 200

function millisecondsOf(text: string): number {
  const [, number = '0', unit] = /^(\d*\.?\d+)(ms|s|m)?$/.exec(text) ?? []
  return Number(number) * ({ s: 1000, m: 60_000 }[unit ?? ''] ?? 1)
}

/** Returns true for terms that the server searches for: words, and texts in bodies. */
export function isInBodies({ name, value }: Term): boolean {
  // A method in upper case is part of the request line.
  if (name === '') return value.length > 1 && !/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(value)
  return value !== '' && (name === 'body' || name.includes('.'))
}

/** @param found If true, the server has found the term in the call. */
export function matches(call: CallRow, { name, value, isNegated }: Term, found: boolean): boolean {
  const field = lookUp<Field>(fields, name)
  const isMatch =
    found || (name === '' ? textOf(call).includes(value.toLowerCase()) : field && isIn(field, call, value))
  return value === '' || Boolean(isMatch) !== isNegated
}

const texts = new WeakMap<CallRow, string>()

/** Returns the text to search for words. Called early, because preparing thousands of rows at once is slow. */
export function textOf(call: CallRow): string {
  const known = texts.get(call)
  if (known !== undefined) return known
  const { method, path, operation, model, id, sandbox, sandboxName, status, rules, input, traceId } = call
  const faults = rules.flatMap(({ faults }) => faults)
  const words = [operation, model, id, sandbox, sandboxName, status, ruleName(call), input, traceId]
  const text = [`${method} ${path}`, ...words, ...faults].join('\n').toLowerCase()
  texts.set(call, text)
  return text
}
