import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

describe('POST /embeddings', () => {
  it.each([
    ['one word', 'x'.repeat(9_000_000), []],
    ['many words', 'a-'.repeat(200_000), ['body.input[0] is embedded by its first 300000 words']],
  ])('embeds long texts: %s', async (_, input, warnings) => {
    const gateway = createGateway()
    const body = { model: 'openai/text-embedding-3-small', input, dimensions: 16 }
    expect((await call(gateway, 'POST /embeddings', { body })).status).toBe(200)
    const expected = expect.arrayContaining(warnings)
    expect(gateway.journal.last('createEmbeddings')?.warnings).toEqual(expected)
  })
})

it('POST /rerank compares long words', async () => {
  const body = { model: 'cohere/rerank-v3.5', query: 'x'.repeat(9_000_000), documents: ['a', 'b'] }
  expect((await call(createGateway(), 'POST /rerank', { body })).status).toBe(200)
})
