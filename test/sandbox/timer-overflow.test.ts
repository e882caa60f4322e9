/** Tests durations and sizes that exceed the limits of timers, dates and replies. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

describe('the sandbox clock', () => {
  it('stops at the last valid date', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const before = gateway.clock.read()
    for (const ms of [-1, Number.NaN, 9e15, 1e300, Number.POSITIVE_INFINITY])
      expect(() => gateway.clock.advance(ms)).toThrow(RangeError)
    expect(gateway.clock.read()).toEqual(before)
    gateway.clock.advance(Date.UTC(9900, 0, 1) - Date.parse(before.now))
    expect((await open(gateway, 'GET /providers')).status).toBe(200)
    expect(() => gateway.clock.advance(1)).toThrow('up to the year 9900')
  })

  it('rejects an advance past the year 9900 over HTTP with 400', async () => {
    await using server = await startServer()
    const advance = (ms: number) =>
      fetch(`${server.url}/__understudy/sandboxes/default/clock/advance`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ms }),
      })
    expect((await advance(9e15)).status).toBe(400)
    expect((await advance(60_000)).status).toBe(200)
  })
})
