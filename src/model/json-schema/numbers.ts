import { InvalidSchema, type Schema } from './schema.ts'

const maxTries = 1000

/** Returns a number within the bounds, which all schemas accept if one of the candidates does. Throws `InvalidSchema`. */
export function numberFor(
  schemas: readonly Schema[],
  isInteger: boolean,
  random: () => number,
  isAccepted: (value: number) => boolean,
) {
  const values = (name: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf') =>
    schemas.flatMap((schema) => schema[name] ?? [])
  const [above, below] = [values('exclusiveMinimum'), values('exclusiveMaximum')]
  const factors = [...values('multipleOf'), ...(isInteger ? [1] : [])]
  const multiple = Math.max(0, ...factors)
  const width = 100 * Math.max(1, multiple)
  const min = Math.max(-Infinity, ...values('minimum'), ...above)
  const max = Math.min(Infinity, ...values('maximum'), ...below)
  // Some clients send the largest safe integers as bounds of unbounded ones.
  const isBounded = max < Number.MAX_SAFE_INTEGER
  const low = min > Number.MIN_SAFE_INTEGER ? min : isBounded ? max - width : 1
  const high = isBounded ? max : low + width
  const fine = low === high ? Math.abs(low) || 1 : 10 ** (Math.floor(Math.log10(high - low)) - 2)
  const step = multiple || Math.min(1, fine)
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  // Integers without bounds are small, because many of them are counts or scores.
  const isSmall = isInteger && !isBounded && min <= Number.MIN_SAFE_INTEGER
  const start = Math.floor(random() * (isSmall ? Math.min(5, count) : count))
  const candidates = Array.from({ length: Math.min(Math.max(0, count), maxTries) }, (_, index) =>
    // Fifteen digits are exact, so that 3 * 0.1 is 0.3.
    Number(((first + ((start + index) % count)) * step).toPrecision(15)),
  )
  const isWithin = (each: number) =>
    each >= low && each <= high && !above.includes(each) && !below.includes(each)
  const isMultiple = (each: number) =>
    factors.every((factor) => Math.abs(each / factor - Math.round(each / factor)) <= 1e-9)
  const possible = candidates.filter((each) => isWithin(each) && isMultiple(each))
  const found = possible.find(isAccepted) ?? possible[0]
  if (found !== undefined) return found
  throw new InvalidSchema('minimum, maximum, multipleOf: no number is within the bounds')
}
