/** Seeded random numbers. Each number is derived from labels, so adding a number does not change the others. */

/** Returns 16 hexadecimal digits. Labels are delimited: `('ab', 'c')` differs from `('a', 'bc')`. */
export function hash(...labels: ReadonlyArray<string | number>): string {
  const [high, low] = mix(labels)
  // Converted as one 64-bit number, because `toString` of 32-bit numbers is three times slower above 2^31.
  return ((BigInt(high) << 32n) | BigInt(low)).toString(16).padStart(16, '0')
}

export function random(...labels: ReadonlyArray<string | number>): () => number {
  const [high, low] = mix(labels)
  return sfc32(high, low, high ^ 0x9e3779b9, 1)
}

export function draw(...labels: ReadonlyArray<string | number>): number {
  return random(...labels)()
}

export function uuid(...labels: ReadonlyArray<string | number>): string {
  const digits = hash('uuid', ...labels) + hash('uuid/2', ...labels)
  const variant = '89ab'[Number(`0x${digits[16]}`) & 3]
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`
}

/** FNV-1a with two primes and Murmur's avalanche, in 32-bit integers for speed on the hot path. */
function mix(labels: ReadonlyArray<string | number>): [number, number] {
  let high = 0x811c9dc5 | 0
  let low = 0x9747b28c | 0
  for (let position = 0; position < labels.length; position++) {
    const label = labels[position] as string | number
    const text = typeof label === 'number' ? `#${label}` : label
    const { length } = text
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index)
      high = Math.imul(high ^ unit, 0x01000193)
      low = (Math.imul(low ^ unit, 0x5bd1e995) + 0x6b43a9b5) | 0
    }
    high = Math.imul(high ^ 0x1f0001, 0x01000193)
    low = Math.imul(low ^ 0x1f0001, 0x5bd1e995)
  }
  return [avalanche(high ^ (low >>> 15)), avalanche(low ^ (high >>> 13))]
}

function avalanche(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** Small Fast Counting generator, 32 bits, by Chris Doty-Humphrey. */
function sfc32(a: number, b: number, c: number, counter: number): () => number {
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 0x1_0000_0000
  }
  for (let round = 0; round < 12; round++) next()
  return next
}
