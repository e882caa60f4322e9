/** Tests that an OpenAPI document's samples have plausible values, which another extra proposes. */
import { describe, expect, it } from 'vitest'
import { toFetch } from '../../../src/delivery/fetch.ts'
import { openapi } from '../../../src/extras/openapi/index.ts'
import { GatewayCore } from '../../../src/gateway/gateway.ts'
import { createGateway } from '../../../src/index.ts'
import type { GatewayOptionsInput } from '../../../src/sandbox/options-input.ts'
import { call } from '../../call.ts'

const text = { type: 'string' }
const properties = { id: text, slug: text, city: text, email: text, created_at: text, website: text }
const office = { type: 'object', required: Object.keys(properties), properties }
const offices = { type: 'array', items: office, minItems: 3 }
const responses = (schema: object) => ({
  200: { description: '', content: { 'application/json': { schema } } },
})
const options = {
  openapi: {
    openapi: '3.1.0',
    paths: {
      '/offices': {
        get: { tags: ['Offices'], summary: 'List 3 offices in Rome', responses: responses(offices) },
        post: { tags: ['Offices'], responses: responses(office) },
      },
      '/offices/{slug}': { get: { responses: responses(office) } },
      '/head-office': { get: { responses: responses(office) } },
    },
  },
}
const isDistinct = (values: readonly unknown[]) => new Set(values).size === values.length

describe('the samples of an OpenAPI document', () => {
  it('have values that fit the names of their fields, and distinct ids', async () => {
    const { body } = await call(createGateway(options), 'GET /offices')
    expect(body.length).toBeGreaterThanOrEqual(3)
    for (const { city, email, created_at, website } of body) {
      expect(city).toMatch(/^\p{Lu}[\p{L} ]+$/u)
      expect(email).toMatch(/^[^@ ]+@[^@ ]+\.\w+$/)
      expect(Date.parse(created_at)).toBeGreaterThan(Date.UTC(2000))
      expect(website).toMatch(/^https:\/\//)
    }
    expect(isDistinct(body.map(({ id }: { id: string }) => id))).toBe(true)
    expect(isDistinct(body.map(({ slug }: { slug: string }) => slug))).toBe(true)
  })

  it('are the same in each gateway with the same seed, at any time', async () => {
    const gateways = [createGateway(options), createGateway(options), createGateway({ ...options, seed: 7 })]
    const [first, second, other] = await Promise.all(
      gateways.map((gateway) => call(gateway, 'GET /head-office')),
    )
    expect(second?.text).toBe(first?.text)
    expect(other?.text).not.toBe(first?.text)
    gateways[0]?.clock.advance(2_592_000_000)
    expect((await call(gateways[0] as object, 'GET /head-office')).text).toBe(first?.text)
  })

  it("contain words of the operation's summary without the extra", async () => {
    const gateway = new GatewayCore(options as GatewayOptionsInput, { extras: [openapi] })
    const { body } = await call({ fetch: toFetch(gateway) }, 'GET /offices')
    expect(body[0]).toMatchObject({ city: expect.stringMatching(/^(list|3|offices|in|rome)( |$)/i) })
  })
})
