import { InvalidSchema, type Schema } from './schema.ts'

const maxTries = 1000

/** Returns a number that all schemas accept. Throws `InvalidSchema` if no candidate is accepted. */
export function numberFor(
  schemas: readonly Schema[],
  isInteger: boolean,
  random: () => number,
  isAccepted: (value: number) => boolean,
) {
  const values = (name: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf') =>
    schemas.flatMap((schema) => schema[name] ?? [])
  const [above, below] = [values('exclusiveMinimum'), values('exclusiveMaximum')]
  const multiple = Math.max(0, ...values('multipleOf'), ...(isInteger ? [1] : []))
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
  for (let index = 0; index < Math.min(count, maxTries); index++) {
    // Fifteen digits are exact, so that 3 * 0.1 is 0.3.
    const value = Number(((first + ((start + index) % count)) * step).toPrecision(15))
    if (isAccepted(value)) return value
  }
  throw new InvalidSchema('minimum, maximum, multipleOf: no number is within the bounds')
}
