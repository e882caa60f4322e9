/** The call list's search language: `status:429 model:aurora/* slower:2s -rule:busy haiku`. */
import { compileGlob } from '../../../lib/glob.ts'
import { lookUp } from '../../../lib/json.ts'
import type { CallRow } from '../rows.ts'

export interface Term {
  /** Field to search; undefined for a word without a field. */
  field: FieldName | undefined
  value: string
  /** If true, the term must not match. */
  isNegated: boolean
}

interface Field {
  /** Tests a row; undefined for terms that the server searches for. */
  matches?: (call: CallRow, value: string) => boolean
  values: (calls: readonly CallRow[]) => readonly string[]
}

export function ruleName({ rules }: Pick<CallRow, 'rules'>): string {
  return rules.map(({ scenario, index }) => `${scenario}#${index}`).join(', ')
}

const kinds: Record<string, (call: CallRow) => boolean> = {
  error: ({ status, delivery }) => status === 0 || status >= 400 || delivery === 'aborted-by-fault',
  aborted: ({ status, delivery }) => status === 0 || delivery.startsWith('aborted'),
  unmatched: ({ unmatched }) => unmatched,
  'near-miss': ({ nearMissCount }) => nearMissCount > 0,
  warning: ({ warnings }) => warnings > 0,
  pending: ({ delivery }) => delivery === 'pending',
}

const fields = {
  status: {
    matches: ({ status }, value) =>
      /^[1-5]xx$/i.test(value) ? String(status).startsWith(value.slice(0, 1)) : String(status) === value,
    values: (calls) => ['4xx', '5xx', ...calls.map(({ status }) => String(status))],
  },
  op: {
    matches: ({ operation }, value) => isLike(operation ?? 'none', value),
    values: (calls) => calls.map(({ operation }) => operation ?? 'none'),
  },
  model: {
    matches: ({ model }, value) => isLike(model ?? 'none', value),
    // Each model, and all models of its provider.
    values: (calls) =>
      calls.flatMap(({ model }) => (model ? [model, model.replace(/\/[^/]*$/, '/*')] : ['none'])),
  },
  stream: {
    matches: ({ stream }, value) => String(stream) === value,
    values: () => ['true', 'false'],
  },
  slower: {
    matches: ({ durationMs }, value) => (durationMs ?? Number.POSITIVE_INFINITY) > millisecondsOf(value),
    values: () => ['100ms', '1s', '10s'],
  },
  rule: {
    matches: (call, value) =>
      [ruleName(call) || 'none', ...call.rules.map(({ scenario }) => scenario)].some((name) =>
        isLike(name, value),
      ),
    values: (calls) => ['none', ...calls.map(ruleName)],
  },
  is: {
    matches: (call, value) => lookUp(kinds, value)?.(call) ?? false,
    values: () => Object.keys(kinds),
  },
  body: { values: () => [] },
  sandbox: {
    matches: ({ sandbox, sandboxName }, value) => isLike(sandbox, value) || isLike(sandboxName ?? '', value),
    values: (calls) => calls.map(({ sandbox }) => sandbox),
  },
  trace: {
    matches: ({ traceId }, value) => isLike(traceId ?? 'none', value),
    values: (calls) => calls.map(({ traceId }) => traceId ?? ''),
  },
} satisfies Record<string, Field>
type FieldName = keyof typeof fields
export const fieldNames = Object.keys(fields)

const token = /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi

/** Returns words before a colon that are not fields, such as `code` in `code:429`. */
export function unknownFields(text: string): string[] {
  return [...text.matchAll(token)].flatMap(([, , name]) =>
    name && !Object.hasOwn(fields, name.toLowerCase()) ? [name] : [],
  )
}

function isLike(text: string, glob: string): boolean {
  return compileGlob(glob)(text.toLowerCase())
}

function millisecondsOf(text: string): number {
  const [, number = '0', unit] = /^(\d*\.?\d+)(ms|s|m)?$/.exec(text) ?? []
  return Number(number) * ({ s: 1000, m: 60_000 }[unit ?? ''] ?? 1)
}

export function parseSearch(text: string): Term[] {
  return [...text.matchAll(token)].map(([whole, minus, name = '', quoted, plain = '']) => {
    const field = Object.hasOwn(fields, name.toLowerCase()) ? (name.toLowerCase() as FieldName) : undefined
    const value = quoted ?? plain
    if (field) return { field, value, isNegated: minus === '-' }
    return { field, value: name || minus ? whole.replace(/"/g, '') : value, isNegated: false }
  })
}

/** Returns true if a row matches all terms, except those that the server searches for. */
export function matches(call: CallRow, terms: readonly Term[]): boolean {
  return terms.every(({ field, value, isNegated }) => {
    if (!field) return hasText(call, value.toLowerCase())
    const { matches: test }: Field = fields[field]
    return !test || value === '' || test(call, value) !== isNegated
  })
}

const searched = new WeakMap<CallRow, string>()

function searchedText(call: CallRow): string {
  const { method, path, operation, model, id, sandbox, status, rules, input, traceId } = call
  const words = [`${method} ${path}`, operation, model, id, sandbox, status, ruleName(call), input, traceId]
  return [...words, call.sandboxName, ...rules.flatMap(({ faults }) => faults)].join('\n').toLowerCase()
}

function hasText(call: CallRow, text: string): boolean {
  const known = searched.get(call) ?? searchedText(call)
  searched.set(call, known)
  return known.includes(text)
}

const maxCompletions = 12

/** Returns completions of the search: the whole text with different endings for its last term. */
export function completions(text: string, calls: readonly CallRow[]): string[] {
  const last = /\S*$/.exec(text)?.[0] ?? ''
  const before = text.slice(0, text.length - last.length)
  const [, minus = '', name = '', hasField, value = ''] = /^(-?)([a-z]*)(:?)(.*)$/i.exec(last) ?? []
  if (!hasField)
    return fieldNames.filter((field) => field.startsWith(name)).map((field) => `${before}${minus}${field}:`)
  const field: Field | undefined = Object.hasOwn(fields, name) ? fields[name as FieldName] : undefined
  const values = [...new Set(field?.values(calls))].filter(
    (each) => each !== '' && each.toLowerCase().startsWith(value.toLowerCase()),
  )
  return values
    .sort()
    .slice(0, maxCompletions)
    .map((each) => `${before}${minus}${name}:${/\s/.test(each) ? JSON.stringify(each) : each}`)
}
