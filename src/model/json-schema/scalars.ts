/** Generates numbers within bounds, and strings with a given length. */
import type { Schema } from './schema.ts'

/** Magnitude of the bounds that some clients send for unbounded integers. */
const unbounded = Number.MAX_SAFE_INTEGER
const maxTries = 1000

/** Returns a number that all schemas allow, or undefined if none is found. */
export function numberFor(schemas: readonly Schema[], isInteger: boolean, random: () => number) {
  const values = (name: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf') =>
    schemas.flatMap((schema) => schema[name] ?? [])
  const [above, below] = [values('exclusiveMinimum'), values('exclusiveMaximum')]
  const min = Math.max(-Infinity, ...values('minimum'), ...above)
  const max = Math.min(Infinity, ...values('maximum'), ...below)
  const factors = [...values('multipleOf'), ...(isInteger ? [1] : [])]
  const multiple = Math.max(0, ...factors)
  const width = 100 * Math.max(1, multiple)
  const low = min > -unbounded ? min : max < unbounded ? max - width : 1
  const high = max < unbounded ? max : low + width
  const fine = low === high ? Math.abs(low) || 1 : 10 ** (Math.floor(Math.log10(high - low)) - 2)
  const step = multiple || Math.min(1, fine)
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  const start = Math.floor(random() * count)
  const candidates = Array.from({ length: Math.min(Math.max(0, count), maxTries) }, (_, index) =>
    Number(((first + ((start + index) % count)) * step).toFixed(decimalsOf(step))),
  ).filter((each) => each >= low && each <= high && !above.includes(each) && !below.includes(each))
  // Prefer exact multiples, because some validators divide without a tolerance.
  const isMultiple = (tolerance: number) => (each: number) =>
    factors.every((factor) => Math.abs(each / factor - Math.round(each / factor)) <= tolerance)
  return candidates.find(isMultiple(0)) ?? candidates.find(isMultiple(1e-9))
}

function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  return Math.min(100, Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent)))
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
