/**
 * Finds secrets in text that has one character for each byte: known values in all their encodings, keys by their
 * form, values by the name of their field, also inside base64. What it finds it can replace by a placeholder of the
 * same length, so that offsets and split points stay.
 */

import { hidden } from '../http/secrets.ts'
import { fromBase64, toLatin1, utf8AsLatin1 } from '../lib/bytes.ts'
import { hash } from '../lib/seed.ts'
import { fieldPatterns, keyPatterns, placePatterns, type SecretPattern } from './secret-patterns.ts'

export interface KnownSecret {
  /** Where it came from, `environment GATEWAY_KEY`; never the value. */
  readonly kind: string
  readonly value: string
}

export interface FinderSetup {
  /** Values that must not appear, whatever they look like. Default: none. */
  readonly values?: readonly KnownSecret[]
  /** Patterns beside those of known keys. Default: none. */
  readonly patterns?: readonly SecretPattern[]
  /** Names of secret fields beside the known ones. Default: none. */
  readonly fields?: readonly string[]
}

export interface Finding {
  readonly start: number
  readonly end: number
  readonly kind: string
  /** What may stand there instead, of the same length. */
  readonly placeholder: string
}

/** Longest run of base64 that is decoded to look for keys of unknown value; known values are found in any length. */
const maxRun = 1024 * 1024

export class SecretFinder {
  readonly #patterns: readonly SecretPattern[]
  readonly #needles = new Map<string, { kind: string; placeholder: string }>()
  readonly #known: RegExp | undefined
  /** Characters of the longest known value that has a line break; a blank line does not end such a one. */
  readonly longestLines: number = 0

  constructor({ values = [], patterns = [], fields = [] }: FinderSetup = {}) {
    this.#patterns = [...keyPatterns, ...placePatterns, ...patterns, ...fieldPatterns(fields)]
    for (const { kind, value } of values) {
      if (/[\r\n]/.test(value)) this.longestLines = Math.max(this.longestLines, 3 * value.length)
      for (const [needle, placeholder] of needlesOf(value))
        if (!this.#needles.has(needle)) this.#needles.set(needle, { kind, placeholder })
    }
    const needles = [...this.#needles.keys()].sort((left, right) => right.length - left.length)
    if (needles.length > 0) this.#known = new RegExp(needles.map(escaped).join('|'), 'g')
  }

  /** Every secret, in order and without overlaps. */
  find(text: string): Finding[] {
    const found = [...this.#values(text), ...this.#byPattern(text), ...this.#inBase64(text)]
    found.sort((left, right) => left.start - right.start || right.end - left.end)
    const apart: Finding[] = []
    for (const finding of found) if (finding.start >= (apart.at(-1)?.end ?? 0)) apart.push(finding)
    return apart
  }

  /** The text with placeholders for its secrets, of the same length. */
  replace(text: string, note?: (kind: string) => void): string {
    // What overlaps a finding comes to light when that one is replaced.
    for (let round = 0; round < 4; round++) {
      const found = this.find(text)
      if (found.length === 0) break
      let replaced = ''
      let at = 0
      for (const { start, end, kind, placeholder } of found) {
        replaced += text.slice(at, start) + placeholder
        at = end
        note?.(kind)
      }
      text = replaced + text.slice(at)
    }
    return text
  }

  *#values(text: string): Generator<Finding> {
    if (!this.#known) return
    for (const match of text.matchAll(this.#known)) {
      const known = this.#needles.get(match[0])
      if (known) yield { start: match.index, end: match.index + match[0].length, ...known }
    }
  }

  *#byPattern(text: string): Generator<Finding> {
    for (const { kind, expression } of this.#patterns) {
      for (const match of text.matchAll(expression)) {
        const { secret = match[0], name } = match.groups ?? {}
        if (isPlaceholder(secret)) continue
        const start = match.index + match[0].lastIndexOf(secret)
        const placeholder = placeholderFor(secret)
        yield { start, end: start + secret.length, kind: name ? `${kind} ${name}` : kind, placeholder }
      }
    }
  }

  /** Secrets of unknown value inside base64, which may begin at any of its four places. */
  *#inBase64(text: string): Generator<Finding> {
    for (const { 0: run, index } of text.matchAll(/[A-Za-z0-9+/_-]{24,}/g)) {
      if (run.length > maxRun) continue
      for (let offset = 0; offset < 4; offset++) {
        // A single character at the end stands for no byte.
        const rest = run.length - offset
        const part = run.slice(offset, offset + (rest % 4 === 1 ? rest - 1 : rest))
        const plain = toLatin1(fromBase64(part.replaceAll('-', '+').replaceAll('_', '/')))
        for (const { start, end, kind, placeholder } of this.#byPattern(plain)) {
          const from = Math.floor(start / 3) * 3
          const to = Math.min(plain.length, Math.ceil(end / 3) * 3)
          const without = plain.slice(from, start) + placeholder + plain.slice(end, to)
          const place = index + offset + (from / 3) * 4
          const encoded = btoa(without).replace(/=+$/, '')
          yield {
            start: place,
            end: place + encoded.length,
            kind: `${kind} in base64`,
            placeholder: part.includes('-') || part.includes('_') ? urlSafe(encoded) : encoded,
          }
        }
      }
    }
  }
}

/** A stable stand-in of the same length: the same secret always has the same one. */
export function placeholderFor(secret: string, length = secret.length): string {
  return `redacted.${hash('secret', secret).slice(0, 4)}.`.padEnd(length, 'x').slice(0, length)
}

/** Whether a value is a placeholder already. */
export function isPlaceholder(value: string): boolean {
  if (value === hidden) return true
  return (
    /^redacted\.[0-9a-f]{4}\.x*$/.test(value) ||
    /^redacted\.[0-9a-f]{0,4}$/.test(value) ||
    'redacted'.startsWith(value)
  )
}

/** All placeholders of a text as one and the same word: what a comparison looks at. */
export function withoutPlaceholders(text: string): string {
  return text.replace(/redacted\.[0-9a-f]{4}\.x*/g, 'redacted')
}

/** The encodings in which a value may stand in a body or a URL, each with its placeholder. */
function needlesOf(value: string): Map<string, string> {
  const needles = new Map<string, string>()
  const json = JSON.stringify(value).slice(1, -1)
  const twice = JSON.stringify(json).slice(1, -1)
  const url = encodeURIComponent(value)
  const forms = [
    value,
    json,
    twice,
    json.replaceAll('/', '\\/'),
    url,
    url.replace(/%../g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
  ]
  for (const form of forms) {
    const needle = utf8AsLatin1(form)
    needles.set(needle, placeholderFor(value, needle.length))
  }
  const bytes = utf8AsLatin1(value)
  const stand = placeholderFor(value, bytes.length)
  for (let before = 0; before < 3; before++) {
    const core = base64Core(bytes, before)
    const other = base64Core(stand, before)
    needles.set(core, other)
    needles.set(urlSafe(core), urlSafe(other))
  }
  return needles
}

/** The characters of base64 that depend on the text alone, when so many bytes stand before it in its group of three. */
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
