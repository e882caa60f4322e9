/** Generates numbers within bounds, and strings with a given length, format or pattern. */
import * as z from 'zod'
import { uuid } from '../../lib/seed.ts'
import type { SchemaObject } from '../../resources/json-schema.ts'
import type { Pattern } from './pattern.ts'
import { numbersAt, textAt } from './schema.ts'

type Random = () => number

/**
 * Returns the range that all schemas allow. It is open at bounds that are excluded. In draft 4, `exclusiveMinimum`
 * and `exclusiveMaximum` are booleans.
 */
export function rangeOf(schemas: readonly SchemaObject[]) {
  const excluded = (flag: string, bound: string) => [
    ...numbersAt(schemas, flag),
    ...numbersAt(
      schemas.filter((schema) => schema[flag] === true),
      bound,
    ),
  ]
  const [above, below] = [excluded('exclusiveMinimum', 'minimum'), excluded('exclusiveMaximum', 'maximum')]
  const min = Math.max(-Infinity, ...numbersAt(schemas, 'minimum'), ...above)
  const max = Math.min(Infinity, ...numbersAt(schemas, 'maximum'), ...below)
  return { min, max, isOpenBelow: above.includes(min), isOpenAbove: below.includes(max) }
}

/** Returns true if a value is a multiple of a factor, with a tolerance for floating-point division. */
export function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

/** Magnitude of the bounds that some clients send for unbounded integers. */
const unbounded = Number.MAX_SAFE_INTEGER

/** Returns a number that all schemas allow, or undefined if there is none. */
export function numberFor(schemas: readonly SchemaObject[], isInteger: boolean, random: Random) {
  const { min, max, isOpenBelow, isOpenAbove } = rangeOf(schemas)
  const factors = numbersAt(schemas, 'multipleOf').filter((factor) => factor > 0)
  if (isInteger) factors.push(1)
  const multiple = factors.length > 0 ? factors.reduce(commonMultiple) : undefined
  const usualWidth = 100 * Math.max(1, multiple ?? 1)
  const low = min > -unbounded ? min : max < unbounded ? max - usualWidth : 1
  const high = max < unbounded ? max : low + usualWidth
  if (low === high && multiple === undefined) return isOpenBelow || isOpenAbove ? undefined : low
  const step = multiple ?? Math.min(1, 10 ** (Math.floor(Math.log10(high - low)) - 2))
  const numberAfter = (steps: number) => Number((steps * step).toFixed(decimalsOf(step)))
  let first = Math.ceil(low / step - 1e-9)
  let last = Math.floor(high / step + 1e-9)
  if (isOpenBelow ? numberAfter(first) <= low : numberAfter(first) < low) first++
  if (isOpenAbove ? numberAfter(last) >= high : numberAfter(last) > high) last--
  if (!(first <= last)) return undefined
  const drawn = first + Math.floor(random() * (last - first + 1))
  // Prefer exact multiples, because some validators divide without a tolerance.
  for (let steps = drawn; steps <= Math.min(last, drawn + 20); steps++)
    if (factors.every((factor) => Number.isInteger(numberAfter(steps) / factor))) return numberAfter(steps)
  return numberAfter(drawn)
}

function commonMultiple(left: number, right: number): number {
  const scale = 10 ** Math.max(decimalsOf(left), decimalsOf(right))
  let [a, b] = [Math.round(left * scale), Math.round(right * scale)]
  const product = a * b
  while (b > 0) [a, b] = [b, a % b]
  return product / a / scale
}

function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  return Math.min(100, Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent)))
}

interface Format {
  /** @param word Lowercase ASCII letters, digits and hyphens. */
  make(word: string, random: Random): string
  /** Tests whether a string has the format. Default: every string does. */
  shape?: { test(text: string): boolean }
}

const dateTime = new RegExp(z.regexes.datetime({ offset: true }), 'i')
const date = (random: Random) => `2025-${twoDigits(random, 1, 12)}-${twoDigits(random, 1, 28)}`
const time = (random: Random) => `${[24, 60, 60].map((count) => twoDigits(random, 0, count - 1)).join(':')}Z`
const twoDigits = (random: Random, min: number, max: number) =>
  String(between(random, min, max)).padStart(2, '0')
const between = (random: Random, min: number, max: number) => min + Math.floor(random() * (max - min + 1))
const url = (word: string) => `https://example.com/${word}`

const formats: Readonly<Record<string, Format>> = {
  'date-time': { make: (_, random) => `${date(random)}T${time(random)}`, shape: dateTime },
  date: { make: (_, random) => date(random), shape: z.regexes.date },
  time: { make: (_, random) => time(random), shape: { test: (text) => dateTime.test(`2025-01-01T${text}`) } },
  duration: { make: (_, random) => `PT${between(random, 1, 59)}M`, shape: z.regexes.duration },
  email: { make: (word) => `${word}@example.com`, shape: z.regexes.html5Email },
  hostname: { make: (word) => `${word}.example.com`, shape: z.regexes.hostname },
  ipv4: { make: (_, random) => `192.0.2.${between(random, 1, 254)}`, shape: z.regexes.ipv4 },
  ipv6: {
    make: (_, random) => `2001:db8::${between(random, 1, 0xfffe).toString(16)}`,
    shape: z.regexes.ipv6,
  },
  uri: { make: url, shape: /^[a-z][a-z\d+.-]*:\S+$/i },
  url: { make: url },
  'uri-reference': { make: (word) => `/${word}` },
  'json-pointer': { make: (word) => `/${word}` },
  uuid: { make: (_, random) => uuid('format', random()), shape: z.regexes.guid },
  byte: { make: (word) => btoa(word) },
}

const formatNamed = (name = '') => (Object.hasOwn(formats, name) ? formats[name] : undefined)

/** Returns true if a string has the format. Unknown formats accept every string. */
export function isOfFormat(format: string, text: string): boolean {
  const shape = formatNamed(format)?.shape
  // Longer strings are rejected untested, because some expressions take quadratic time. Generated strings are
  // shorter.
  return !shape || (text.length <= 500 && shape.test(text))
}

/** Returns a string in a schema's format, based on the given words, or undefined if no schema has a format. */
export function textOfFormat(
  schemas: readonly SchemaObject[],
  maxLength: number,
  words: string,
  random: Random,
) {
  const names = schemas.map((schema) => textAt(schema, 'format')?.replace(/^idn-/, '').replace(/^iri/, 'uri'))
  const format = names.map((name) => formatNamed(name)).find(Boolean)
  const word = (words.toLowerCase().match(/[a-z\d]+/g) ?? ['something']).join('-').slice(0, 40)
  const text = format?.make(word, random)
  return text !== undefined && text.length > maxLength ? format?.make('x', random) : text
}

/** Returns a string that matches all patterns or, if none is found, the last attempt. */
export function textOfPatterns(
  patterns: readonly Pattern[],
  minLength: number,
  maxLength: number,
  random: Random,
) {
  let text = ''
  // A few extra rounds look natural, no extra rounds produce the shortest text, and many reach a minimum length.
  for (const extra of [3, 0, 1, 8, 30, minLength, minLength]) {
    for (const pattern of patterns) {
      text = pattern.write(random, extra)
      text += 'a'.repeat(Math.max(0, minLength - [...text].length))
      if ([...text].length <= maxLength && patterns.every((each) => each.test(text))) return text
    }
  }
  return text
}

/** Truncates or repeats a string to reach a length within the limits. */
export function fitLength(text: string, minLength: number, maxLength: number): string {
  const characters = [...text]
  if (characters.length > maxLength)
    return characters.slice(0, maxLength).join('').trimEnd().padEnd(minLength, 's')
  if (characters.length >= minLength) return text
  const repeated = [...`${text} `.repeat(Math.ceil(minLength / (characters.length + 1)))]
  return `${repeated.slice(0, minLength - 1).join('')}s`
}
