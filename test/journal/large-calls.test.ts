/** Tests that a call's size bounds what is checked, kept and shown of it. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'

const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`

describe('POST /responses with 20,000 invalid items', () => {
  const inMessage = (parts: string) => `[{"role":"user","content":${parts}}]`

  it.each([
    ['content parts', { input: inMessage(list(20_000, '{}')) }],
    ['messages', { input: list(20_000, '{"role":1}') }],
    ['tools', { input: '"x"', tools: list(20_000, '{}') }],
    ['includes', { input: '"x"', include: list(20_000, '1') }],
  ])('stops checking %s after some hundred violations', async (_, fields) => {
    const body = Object.entries({ model: '"aurora/dawn-2"', ...fields }).map(
      ([key, value]) => `"${key}":${value}`,
    )
    const reply = await call(createGateway(), 'POST /responses', { body: `{${body.join(',')}}` })
    const { violations, more } = reply.body.error.metadata
    expect(reply.status).toBe(400)
    expect(violations).toHaveLength(100)
    expect(more).toBeGreaterThan(0)
    expect(more).toBeLessThan(1000)
  })
})
