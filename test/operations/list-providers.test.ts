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
})
