import { createGateway } from 'gateway-understudy'
import providers from 'gateway-understudy/fixtures/providers.json' with { type: 'json' }
import { expect, test } from 'vitest'

test('starts with the fixtures', async () => {
  const gateway = createGateway()
  expect(await gateway.db.providers.list()).toHaveLength(providers.length)
  expect(await gateway.db.providers.get('aurora')).toMatchObject({ name: 'Aurora', headquarters: 'US' })
})

test('starts with your own records', async () => {
  const ours = { slug: 'ours', name: 'Ours', privacy_policy_url: null }
  const gateway = createGateway({ fixtures: { providers: [ours] } })
  expect(await gateway.db.providers.list()).toMatchObject([ours])
})

test('generates records from the seed', async () => {
  const gateway = createGateway({ recordCounts: { providers: 60 } })
  await gateway.db.providers.create({ slug: 'one-more' })
  expect(await gateway.db.providers.list()).toHaveLength(61)
})
