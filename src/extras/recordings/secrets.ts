/**
 * Finds secrets in text with one character per byte: known values in all encodings, keys by format, and the values of
 * secret fields, even in base64. Placeholders have the same length as the secret, to preserve offsets and split
 * points.
 */
import {
  hidden,
  isSecretName,
  keyPatterns,
  namePatterns,
  plainName,
  type SecretPattern,
  secretsIn,
  viewsOf,
} from '../../http/secrets.ts'
import { fromBase64, toLatin1, utf8AsLatin1 } from '../../lib/bytes.ts'
import { hash } from '../../lib/seed.ts'

export interface KnownSecret {
  /** The value's origin, such as `environment GATEWAY_KEY`, but never the value itself. */
  readonly kind: string
  readonly value: string
}

export interface FinderSetup {
  /** Known secrets. Default: none. */
  readonly values?: readonly KnownSecret[]
  /** Patterns in addition to known key formats. Default: none. */
  readonly patterns?: readonly SecretPattern[]
  /** Names of secret fields in addition to the known ones. Default: none. */
  readonly fields?: readonly string[]
}

export interface SecretFound {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly placeholder: string
  readonly isBase64?: true
}

/** Number of characters of base64 to search at once, and to share with the next ones. Both are multiples of four. */
const maxRun = 1024 * 1024
const base64Overlap = 64 * 1024

export class SecretFinder {
  readonly #patterns: readonly SecretPattern[]
  readonly #needles = new Map<string, { kind: string; placeholder: string }>()
  readonly #knownValues: RegExp | undefined

  constructor({ values = [], patterns = [], fields = [] }: FinderSetup = {}) {
    const more = new Set(['sessionid', ...fields.map(plainName)])
    const isSecret = (name: string) => isSecretName(name) || more.has(plainName(name))
    this.#patterns = [...keyPatterns, ...patterns, ...namePatterns(isSecret)]
    for (const { kind, value } of values)
      for (const [needle, placeholder] of needlesOf(value))
        if (!this.#needles.has(needle)) this.#needles.set(needle, { kind, placeholder })
    const needles = [...this.#needles.keys()].sort((left, right) => right.length - left.length)
    if (values.length > 0) this.#knownValues = new RegExp(needles.map(escaped).join('|'), 'g')
  }

  find(text: string): SecretFound[] {
    const matches = [...this.#values(text), ...this.#byPattern(text), ...this.#inBase64(text)]
    matches.sort((left, right) => left.start - right.start || right.end - left.end)
    const secrets: SecretFound[] = []
    for (const match of matches) {
      const last = secrets.at(-1)
      if (!last || match.start >= last.end) secrets.push(match)
      else if (match.end > last.end && !match.isBase64 && !last.isBase64) {
        const { start, kind } = last
        secrets[secrets.length - 1] = {
          start,
          end: match.end,
          kind,
          placeholder: placeholderFor(text.slice(start, match.end)),
        }
      }
    }
    return secrets
  }

  replace(text: string, note?: (kind: string) => void): string {
    // Overlapping secrets are found once the first one has been replaced.
    for (let round = 0; round < 4; round++) {
      const secrets = this.find(text)
      if (secrets.length === 0) break
      let replaced = ''
      let at = 0
      for (const { start, end, kind, placeholder } of secrets) {
        replaced += text.slice(at, start) + placeholder
        at = end
        note?.(kind)
      }
      text = replaced + text.slice(at)
    }
    return text
  }

  *#values(text: string): Generator<SecretFound> {
    if (!this.#knownValues) return
    for (const { text: shown, placeOf } of viewsOf(text)) {
      for (const match of shown.matchAll(this.#knownValues)) {
        const needle = this.#needles.get(match[0])
        const start = placeOf(match.index)
        const end = placeOf(match.index + match[0].length)
        if (needle) yield { start, end, ...needle, placeholder: needle.placeholder.padEnd(end - start, 'x') }
      }
    }
  }

  *#byPattern(text: string): Generator<SecretFound> {
    for (const place of secretsIn(text, this.#patterns)) {
      const secret = text.slice(place.start, place.end)
      if (!isPlaceholder(secret)) yield { ...place, placeholder: placeholderFor(secret) }
    }
  }

  /** Finds unknown keys in base64, at all four alignments. */
  *#inBase64(text: string): Generator<SecretFound> {
    // A match of several million characters overflows the stack, so the end of a run is searched for.
    const other = /[^A-Za-z0-9+/_-]/g
    for (const { index } of text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24}/g)) {
      other.lastIndex = index
      const run = text.slice(index, other.exec(text)?.index)
      for (let at = 0; at < run.length; at += maxRun - base64Overlap) {
        const slice = run.slice(at, at + maxRun)
        for (const offset of [0, 1, 2, 3]) yield* this.#atOffset(slice.slice(offset), index + at + offset)
      }
    }
  }

  *#atOffset(run: string, place: number): Generator<SecretFound> {
    // A single trailing character does not encode a byte.
    const part = run.length % 4 === 1 ? run.slice(0, -1) : run
    const plain = toLatin1(fromBase64(part.replaceAll('-', '+').replaceAll('_', '/')))
    for (const { start, end, kind, placeholder } of this.#byPattern(plain)) {
      const from = Math.floor(start / 3) * 3
      const to = Math.min(plain.length, Math.ceil(end / 3) * 3)
      const without = plain.slice(from, start) + placeholder + plain.slice(end, to)
      const encoded = btoa(without).replace(/=+$/, '')
      const found = place + (from / 3) * 4
      yield {
        start: found,
        end: found + encoded.length,
        kind: `${kind} in base64`,
        placeholder: part.includes('-') || part.includes('_') ? urlSafe(encoded) : encoded,
        isBase64: true,
      }
    }
  }
}

/** Returns a placeholder, by default of the secret's length. Equal secrets get equal placeholders. */
export function placeholderFor(secret: string, length = secret.length): string {
  return `redacted.${hash('secret', secret).slice(0, 4)}.`.padEnd(length, 'x').slice(0, length)
}

export function isPlaceholder(value: string): boolean {
  return (
    value === hidden ||
    /^redacted\.[0-9a-f]{0,4}$|^redacted\.[0-9a-f]{4}\.x*$/.test(value) ||
    'redacted'.startsWith(value)
  )
}

/** Replaces every placeholder with the same word, for comparisons. */
export function withoutPlaceholders(text: string): string {
  return text.replace(/redacted\.[0-9a-f]{4}\.x*/g, 'redacted')
}

/** Returns a value in all encodings used in bodies and URLs, each with its placeholder. */
function needlesOf(value: string): Map<string, string> {
  const needles = new Map<string, string>()
  const json = JSON.stringify(value).slice(1, -1)
  const twice = JSON.stringify(json).slice(1, -1)
  // Percent-encoding is decoded before the search. Forms have a plus sign instead of a space.
  const forms = [value, json, twice, value.replaceAll(' ', '+')]
  for (const form of forms) {
    const needle = utf8AsLatin1(form)
    needles.set(needle, placeholderFor(value, needle.length))
  }
  const bytes = utf8AsLatin1(value)
  const replacement = placeholderFor(value, bytes.length)
  for (const before of [0, 1, 2]) {
    const core = base64Core(bytes, before)
    const placeholder = base64Core(replacement, before)
    needles.set(core, placeholder)
    needles.set(urlSafe(core), urlSafe(placeholder))
  }
  return needles
}

/** Returns the base64 that depends only on the text, which starts at byte `before` of a group of three. */
function base64Core(latin1: string, before: number): string {
  const encoded = btoa('\0'.repeat(before) + latin1)
  const from = [0, 2, 3][before] as number
  const whole = Math.floor(((before + latin1.length) * 8) / 6)
  return encoded.slice(from, whole)
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_')
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
