/** Embeddings: unit vectors derived from seed, model and text. */

import * as z from 'zod'
import { invalidRequest } from '../../http/errors.ts'
import { ok } from '../../http/reply.ts'
import { toLatin1 } from '../../lib/bytes.ts'
import { hash } from '../../lib/seed.ts'
import { callUsage, pricingOf } from '../../model/catalogue.ts'
import { searchKey } from '../../model/text/words.ts'
import { countTokens } from '../../model/tokens.ts'
import { defineOperation } from '../../operation.ts'
import { noTokens } from '../../resources/answer.ts'
import { CreateResponseBody } from '../../resources/create-response-body.ts'
import { list } from '../../resources/list.ts'

const content = () =>
  z.looseObject({ content: list(z.looseObject({ type: z.string(), text: z.string().optional() })) })

export const EmbeddingsRequest = z.lazy(() =>
  z
    .looseObject({
      model: CreateResponseBody.unwrap().shape.model,
      input: z
        .union([
          z.string(),
          z
            .array(z.union([z.string(), content()]))
            .min(1)
            .max(2048),
          list(z.int()).min(1),
          list(list(z.int()).min(1)).min(1).max(2048),
        ])
        .describe('One input or up to 2,048 inputs, as strings or tokens.'),
      dimensions: z
        .int()
        .min(1)
        .max(8192)
        .nullish()
        .describe('Default: 3,072 for text-embedding-3-large, otherwise 1,536.'),
      encoding_format: z.enum(['float', 'base64']).nullish().describe('Default: float.'),
      user: z.string().nullish(),
      input_type: z.string().nullish(),
    })
    .meta({ id: 'EmbeddingsRequest', description: 'Request body of POST /embeddings.' }),
)
type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>
export type CreateEmbeddingsRequest = z.input<typeof EmbeddingsRequest>

const EmbeddingsList = z.lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal('list'),
    model: z.string(),
    data: z.array(
      z.strictObject({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
)

/** Embeds text. Texts with many words in common are close to each other. Case and English word endings are ignored. */
export const createEmbeddings = defineOperation({
  id: 'createEmbeddings',
  method: 'post',
  path: '/embeddings',
  doc: { summary: 'Create embeddings', tag: 'Embeddings' },
  input: { body: EmbeddingsRequest },
  output: EmbeddingsList,
  assumes: { model: 'modelName' },
  async resolve({ body, sandbox, requestKey, used, warn }) {
    const { model, dimensions, encoding_format } = body
    const usual = /\btext-embedding-3-large$/.test(model) ? 3072 : 1536
    const size = dimensions ?? usual
    const texts = textsOf(body.input)
    // A reply has at most as many values as 2,048 inputs with the default dimensions.
    if (texts.length * size > 2048 * usual) {
      const message = `${texts.length} inputs with ${size} dimensions exceed the maximum per request: send fewer inputs`
      throw invalidRequest([{ path: 'body.input', message, rule: 'too_big' }])
    }
    const space = hash(sandbox.seed, 'embedding', model)
    const most = Math.floor(maxWords / texts.length)
    const data = texts.map((text, index) => {
      const words = firstWords(text, most + 1)
      if (words.length > most) warn(`body.input[${index}] is embedded by its first ${most} words`)
      const vector = embed(words.slice(0, most), space, size)
      const embedding = encoding_format === 'base64' ? encoded(vector) : Array.from(vector)
      return { object: 'embedding' as const, index, embedding }
    })
    const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
    const usage = { ...noTokens, inputTokens: tokens }
    used(callUsage(model, usage, await pricingOf(model, sandbox.tables)))
    const id = `emb-${hash(requestKey, 'embeddings')}`
    return ok({
      id,
      object: 'list' as const,
      model,
      data,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    })
  },
})

function textsOf(input: EmbeddingsRequest['input']): string[] {
  if (typeof input === 'string') return [input]
  if (input.every((each) => typeof each === 'number')) return [input.join(' ')]
  return input.map((each) => {
    if (typeof each === 'string') return each
    if (Array.isArray(each)) return each.join(' ')
    return (each as z.infer<ReturnType<typeof content>>).content.map(({ text = '' }) => text).join('\n')
  })
}

function encoded(vector: Float32Array): string {
  const bytes = new Uint8Array(vector.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [place, value] of vector.entries()) view.setFloat32(place * 4, value, true)
  return btoa(toLatin1(bytes))
}

/** Number of entries that each feature (a word or a pair of words) affects before mixing. */
const entriesOfWord = 4

/** Maximum number of words to embed in a request. Each word takes 3 µs. */
const maxWords = 300_000
/** A longer match could overflow the stack. */
const word = /[\p{L}\p{N}]{1,1000}|[^\s]/gu

function firstWords(text: string, count: number): string[] {
  const words: string[] = []
  for (const [match] of text.matchAll(word)) if (words.push(searchKey(match)) >= count) break
  return words
}

/** @param key Key of the vector space. Vectors in different spaces are unrelated. */
function embed(words: readonly string[], key: string, dimensions: number): Float32Array {
  const size = 2 ** Math.ceil(Math.log2(Math.max(dimensions, 64)))
  const features = new Float32Array(size)
  let before = ''
  for (const word of words.length > 0 ? words : ['']) {
    // Long words say most about the subject. Word order has a small weight.
    const weight = Math.min(word.length || 1, 8)
    addFeature(features, hash(key, word), weight)
    addFeature(features, hash(key, before, word), 0.4 * weight)
    before = word
  }
  flipSigns(features, key)
  mix(features)
  return normalised(features.subarray(0, dimensions))
}

/** Adds the weight to a few entries or subtracts it from them. The hash's digits select the entries and the signs. */
function addFeature(features: Float32Array, digits: string, weight: number): void {
  for (let entry = 0; entry < entriesOfWord; entry++) {
    const number = Number.parseInt(digits.slice(entry * 4, entry * 4 + 4), 16)
    const place = (number >>> 1) % features.length
    features[place] = (features[place] as number) + (number & 1 ? weight : -weight)
  }
}

/** Flips signs depending on the key, so that each space mixes features differently. */
function flipSigns(features: Float32Array, key: string): void {
  let digits = ''
  for (let place = 0; place < features.length; place++) {
    if (place % 64 === 0) digits = hash(key, 'signs', place)
    const bits = Number.parseInt(digits[(place % 64) >> 2] as string, 16)
    if (bits & (1 << (place & 3))) features[place] = -(features[place] as number)
  }
}

/** Walsh-Hadamard transform: every value depends on every feature, and relative distances are preserved. */
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
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  // A short vector may consist of zeros.
  return values.map((value) => value / length || 0)
}
