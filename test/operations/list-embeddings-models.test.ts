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

  it('returns prices as decimal strings, and null for fields that do not apply to embeddings models', async () => {
    const { body } = await call('GET /embeddings/models')
    for (const model of body.data) {
      for (const price of Object.values(model.pricing)) expect(price).toMatch(/^\d+(\.\d+)?$/)
      expect(model.supported_parameters).toEqual([])
      for (const field of ['default_parameters', 'per_request_limits', 'supported_voices']) {
        expect(model[field]).toBeNull()
      }
      expect(model.knowledge_cutoff).toBeNull()
      expect(model.expiration_date).toBeNull()
    }
  })
})
