import { expect, it } from 'vitest'
import { EmbeddingsModel } from '../../src/resources/model.ts'
import { describeAdapters } from '../describe-adapters.ts'

describeAdapters('GET /embeddings/models', ({ call }) => {
  it('returns all embeddings models', async () => {
    const { status, body } = await call('GET /embeddings/models')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data'])
    expect(body.data).toHaveLength(8)
    for (const model of body.data) expect(EmbeddingsModel.parse(model)).toEqual(model)
  })
})
