/** Generates numbers within bounds, and strings with a given length. */
import type { Schema } from './schema.ts'

type Random = () => number

/** Magnitude of the bounds that some clients send for unbounded integers. */
const unbounded = Number.MAX_SAFE_INTEGER

/** Returns a number that all schemas allow, or undefined if there is none. */
export function numberFor(schemas: readonly Schema[], isInteger: boolean, random: Random) {
  const values = (name: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf') =>
    schemas.flatMap((schema) => schema[name] ?? [])
  const [above, below] = [values('exclusiveMinimum'), values('exclusiveMaximum')]
  const min = Math.max(-Infinity, ...values('minimum'), ...above)
  const max = Math.min(Infinity, ...values('maximum'), ...below)
  const factors = [...values('multipleOf'), ...(isInteger ? [1] : [])]
  const multiple = factors.length > 0 ? factors.reduce(commonMultiple) : undefined
  const usualWidth = 100 * Math.max(1, multiple ?? 1)
  const low = min > -unbounded ? min : max < unbounded ? max - usualWidth : 1
  const high = max < unbounded ? max : low + usualWidth
  const step =
    multiple ??
    (low === high ? Math.abs(low) || 1 : Math.min(1, 10 ** (Math.floor(Math.log10(high - low)) - 2)))
  const numberAfter = (steps: number) => Number((steps * step).toFixed(decimalsOf(step)))
  let first = Math.ceil(low / step - 1e-9)
  let last = Math.floor(high / step + 1e-9)
  if (above.includes(min) ? numberAfter(first) <= low : numberAfter(first) < low) first++
  if (below.includes(max) ? numberAfter(last) >= high : numberAfter(last) > high) last--
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

/** Truncates or repeats a string to reach a length within the limits. */
export function fitLength(text: string, minLength: number, maxLength: number): string {
  const characters = [...text]
  if (characters.length > maxLength)
    return characters.slice(0, maxLength).join('').trimEnd().padEnd(minLength, 's')
  if (characters.length >= minLength) return text
  const repeated = [...`${text} `.repeat(Math.ceil(minLength / (characters.length + 1)))]
  return `${repeated.slice(0, minLength - 1).join('')}s`
}
