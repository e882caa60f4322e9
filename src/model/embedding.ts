/**
 * Vectors of texts: the same text is always at the same place, and a text in which one word has changed is near it.
 */
import { hash } from '../lib/seed.ts'

/** Entries of the vector of features that one word sets. */
const entriesOfWord = 4

/**
 * A unit vector, from seed, model and text alone. Its time grows with the text and with the dimensions.
 *
 * @param key What the space depends on: texts of two spaces have nothing to do with each other.
 * @param dimensions How many numbers.
 */
export function embed(text: string, key: string, dimensions: number): Float32Array {
  const size = 2 ** Math.ceil(Math.log2(Math.max(dimensions, 64)))
  const features = new Float32Array(size)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s]/gu) ?? ['']
  let before = ''
  for (const word of words) {
    addFeature(features, hash(key, word), 1)
    // The order of words counts a little.
    addFeature(features, hash(key, before, word), 0.4)
    before = word
  }
  flipSigns(features, key)
  mix(features)
  return normalised(features.subarray(0, dimensions))
}

/** Sets a few entries, chosen by the digits of a hash. */
function addFeature(features: Float32Array, digits: string, weight: number): void {
  for (let entry = 0; entry < entriesOfWord; entry++) {
    const number = Number.parseInt(digits.slice(entry * 4, entry * 4 + 4), 16)
    const place = (number >>> 1) % features.length
    features[place] = (features[place] as number) + (number & 1 ? weight : -weight)
  }
}

/** Signs that depend on the key, so that the mix is another one in each space. */
function flipSigns(features: Float32Array, key: string): void {
  let digits = ''
  for (let place = 0; place < features.length; place++) {
    if (place % 64 === 0) digits = hash(key, 'signs', place)
    const bits = Number.parseInt(digits[(place % 64) >> 2] as string, 16)
    if (bits & (1 << (place & 3))) features[place] = -(features[place] as number)
  }
}

/** The Walsh-Hadamard transform: every number of the result takes part of every feature; distances stay. */
function mix(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += half * 2) {
      for (let place = start; place < start + half; place++) {
        const left = values[place] as number
        const right = values[place + half] as number
        values[place] = left + right
        values[place + half] = left - right
      }
    }
  }
}

function normalised(values: Float32Array): Float32Array {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1
  return values.map((value) => value / length)
}
