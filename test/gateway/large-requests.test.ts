/**
 * Tests large lists and objects in requests: no stack overflows, and capped lists of warnings and violations.
 * `npm run soak` measures how processing time grows with size.
 */
import { describe, expect, it } from 'vitest'
import { keys, list, message, send, unknownTools, withFields } from '../tools/soak/growth.ts'

const timeout = 30_000

describe('warnings about unknown names', () => {
  it('stop at 50 for a body with 20,000 unknown keys, and count up to 10,000', { timeout }, async () => {
    const { status, warnings } = await send('POST /responses', withFields(keys(20_000)))
    expect(status).toBe(200)
    expect(warnings).toHaveLength(51)
    expect(warnings[50]).toBe('and 9,950 more')
  })

  it('stop at 50 for a template with 9,000 unknown tags, and count the rest', { timeout }, async () => {
    const body = list(9_000, (index) => `{{ body.a${index} }}`).join('')
    const { warnings } = await send('GET /providers', { rule: { reply: { body } } })
    expect(warnings).toHaveLength(51)
    expect(warnings[49]).toContain('body.a49')
    expect(warnings[50]).toBe('and 8,950 more')
  })

  it('number at most 51 for 5,000 tools of an unknown type', { timeout }, async () => {
    const { status, warnings } = await send('POST /responses', withFields({ tools: unknownTools(5_000) }))
    expect(status).toBe(200)
    expect(warnings.length).toBeLessThanOrEqual(51)
  })
})

describe('POST /responses', () => {
  it('accepts 100,000 messages', { timeout }, async () => {
    const { status } = await send('POST /responses', withFields({ input: list(100_000, () => message) }))
    expect(status).toBe(200)
  })
})

it('rejects a query of more than 100,000 characters, before its parameters are read', async () => {
  const { status } = await send(`GET /providers?${'a=1&'.repeat(25_001)}`)
  expect(status).toBe(414)
})
