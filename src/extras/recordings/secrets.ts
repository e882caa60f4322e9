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
import { toLatin1 } from '../../lib/bytes.ts'
import { RecentMap } from '../../lib/recent-map.ts'
import { hash } from '../../lib/seed.ts'

export interface KnownSecret {
  /** The value's origin, such as `environment GATEWAY_KEY`, but never the value itself. */
  readonly kind: string
  readonly value: string
}

export interface FinderSetup {
  readonly values?: readonly KnownSecret[]
  /** Patterns in addition to known key formats. Default: none. */
  readonly patterns?: readonly SecretPattern[]
  /** Names of secret fields in addition to the known ones. Default: none. */
  readonly fields?: readonly string[]
}

interface SecretFound {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly placeholder: string
}

/** Number of base64 characters per slice, and the overlap with the next slice. Both are multiples of four. */
const maxRun = 1024 * 1024
const base64Overlap = 64 * 1024

/** Maximum length of short texts, such as headers. The latest 1,000 short and 3 long clean texts are cached. */
const maxShort = 16 * 1024

export class SecretFinder {
  readonly #patterns: readonly SecretPattern[]
  // A recording is searched part by part, and again as a whole.
  readonly #clean = new RecentMap<true>(1000)
  #longAndClean: readonly string[] = []

  constructor({ values = [], patterns = [], fields = [] }: FinderSetup = {}) {
    const more = new Set(['sessionid', ...fields.map(plainName)])
    const isSecret = (name: string) => isSecretName(name) || more.has(plainName(name))
    const known = values.map(({ kind, value }) => ({ kind, expression: expressionOf(value) }))
    this.#patterns = [...known, ...keyPatterns, ...patterns, ...namePatterns(isSecret)]
  }

  find(text: string): SecretFound[] {
    if (this.#clean.get(text) || this.#longAndClean.includes(text)) return []
    let end = 0
    const secrets = [...this.#byPattern(text), ...this.#inBase64(text)]
      .sort((left, right) => left.start - right.start || right.end - left.end)
      .filter((found) => {
        if (found.start < end) return false
        end = found.end
        return true
      })
    if (secrets.length > 0) return secrets
    if (text.length <= maxShort) this.#clean.set(text, true)
    else this.#longAndClean = [text, ...this.#longAndClean].slice(0, 3)
    return []
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

  *#byPattern(text: string): Generator<SecretFound> {
    for (const place of secretsIn(text, this.#patterns)) {
      const secret = text.slice(place.start, place.end)
      if (!isPlaceholder(secret)) yield { ...place, placeholder: placeholderFor(secret) }
    }
  }

  /** Finds secrets in base64, at all four alignments. */
  *#inBase64(text: string): Generator<SecretFound> {
    // A match of several million characters overflows the stack, so the end of a run is searched for.
    const other = /[^A-Za-z0-9+/_-]/g
    let pieces: Decoded[] = []
    let size = 0
    for (const { index } of text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16}/g)) {
      other.lastIndex = index
      const run = text.slice(index, other.exec(text)?.index)
      // A hash, such as a recording's own.
      if (run.search(/[^\da-f]/) < 0) continue
      for (let at = 0; at < run.length; at += maxRun - base64Overlap) {
        const slice = run.slice(at, at + maxRun)
        for (const offset of [0, 1, 2, 3]) pieces.push(decoded(slice.slice(offset), index + at + offset))
        size += slice.length
        if (size < maxShort) continue
        for (const piece of pieces) yield* this.#inPiece(piece)
        pieces = []
        size = 0
      }
    }
    // Short pieces are searched at once first. A parameter starts at the beginning of a piece or after an ampersand.
    const views = [...viewsOf(pieces.map(({ plain }) => plain).join('&'))]
    const matches = ({ expression, hint = expression }: SecretPattern) =>
      views.some((view) => view.text.search(hint) >= 0)
    if (!this.#patterns.some(matches)) return
    for (const piece of pieces) yield* this.#inPiece(piece)
  }

  *#inPiece({ part, plain, place }: Decoded): Generator<SecretFound> {
    for (const inside of this.#byPattern(plain)) {
      const from = Math.floor(inside.start / 3) * 3
      const to = Math.min(plain.length, Math.ceil(inside.end / 3) * 3)
      const without = plain.slice(from, inside.start) + inside.placeholder + plain.slice(inside.end, to)
      const usual = btoa(without).replace(/=+$/, '')
      const encoded = /[-_]/.test(part) ? usual.replaceAll('+', '-').replaceAll('/', '_') : usual
      const start = place + (from / 3) * 4
      const end = start + encoded.length
      yield { start, end, kind: `${inside.kind} in base64`, placeholder: encoded }
    }
  }
}

interface Decoded {
  readonly part: string
  readonly plain: string
  readonly place: number
}

function decoded(run: string, place: number): Decoded {
  // A single trailing character does not encode a byte.
  const part = run.length % 4 === 1 ? run.slice(0, -1) : run
  return { part, plain: atob(part.replaceAll('-', '+').replaceAll('_', '/')), place }
}

/** Returns a placeholder of the secret's length. Equal secrets get equal placeholders. */
export function placeholderFor(secret: string): string {
  const { length } = secret
  return `redacted.${hash('secret', secret).slice(0, 4)}.`.padEnd(length, 'x').slice(0, length)
}

export function isPlaceholder(value: string): boolean {
  return (
    value === hidden ||
    /^redacted\.[0-9a-f]{0,4}$|^redacted\.[0-9a-f]{4}\.x*$/.test(value) ||
    'redacted'.startsWith(value)
  )
}

export function withoutPlaceholders(text: string): string {
  return text.replace(/redacted\.[0-9a-f]{4}\.x*/g, 'redacted')
}

/** Matches a value as written in bodies and URLs. Base64 and percent-encoding are decoded before the search. */
function expressionOf(value: string): RegExp {
  const json = JSON.stringify(value).slice(1, -1)
  const twice = JSON.stringify(json).slice(1, -1)
  // Forms have a plus sign instead of a space.
  const forms = [value, json, twice, value.replaceAll(' ', '+')].map(utf8AsLatin1)
  const longestFirst = forms.sort((left, right) => right.length - left.length)
  return new RegExp(longestFirst.map(escaped).join('|'), 'g')
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

export function utf8AsLatin1(text: string): string {
  return toLatin1(new TextEncoder().encode(text))
}
