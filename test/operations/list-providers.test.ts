import { expect, it } from 'vitest'
import { Provider } from '../../src/resources/provider.ts'
import { describeAdapters } from '../describe-adapters.ts'

describeAdapters('GET /providers', (entrance) => {
  const { call } = entrance

  it('returns all providers in data, without other fields', async () => {
    const { status, headers, body } = await call('GET /providers')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(Object.keys(body)).toEqual(['data'])
    expect(body.data).toHaveLength(12)
    for (const provider of body.data) expect(Provider.parse(provider)).toEqual(provider)
  })

  it('omits optional fields that a provider does not have', async () => {
    const { body } = await call('GET /providers')
    expect(body.data.some((provider: object) => !('datacenters' in provider))).toBe(true)
    expect(body.data.some((provider: Provider) => provider.datacenters === null)).toBe(true)
  })

  it('returns a created provider last', async () => {
    await entrance.sandbox.db.providers.create({ name: 'Mine', slug: 'mine', privacy_policy_url: null })
    const { body } = await call('GET /providers')
    expect(body.data.at(-1)).toEqual({ name: 'Mine', slug: 'mine', privacy_policy_url: null })
  })

  it('reflects updates and deletions immediately', async () => {
    const { providers } = entrance.sandbox.db
    await call('GET /providers')
    await providers.update('aurora', { headquarters: 'NZ' })
    await providers.delete('borealis')
    const { body } = await call('GET /providers')
    expect(body.data[0]).toMatchObject({ slug: 'aurora', headquarters: 'NZ' })
    expect(body.data).toHaveLength(11)
    expect(body.data.map(({ slug }: Provider) => slug)).not.toContain('borealis')
  })

  it('responds with 400 to a repeated query parameter', async () => {
    const { status, body } = await call('GET /providers?limit=1&limit=2')
    expect(status).toBe(400)
    expect(body.error.metadata.violations).toEqual([
      { path: 'query.limit', message: 'Given more than once', rule: 'repeated' },
    ])
  })
})

describeAdapters(
  'GET /providers with `recordCounts` of 60',
  { recordCounts: { providers: 60 } },
  ({ call }) => {
    it('returns generated providers after those in the fixtures', async () => {
      const { body } = await call('GET /providers')
      expect(body.data).toHaveLength(60)
      expect(body.data[0].slug).toBe('aurora')
      expect(new Set(body.data.map(({ slug }: Provider) => slug)).size).toBe(60)
      for (const provider of body.data) expect(Provider.safeParse(provider).error).toBeUndefined()
    })
  },
)

describeAdapters(
  'GET /providers with `recordCounts` of 0',
  { recordCounts: { providers: 0 } },
  ({ call }) => {
    it('returns an empty list', async () => {
      expect((await call('GET /providers')).body).toEqual({ data: [] })
    })
  },
)
