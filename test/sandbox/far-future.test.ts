/**
 * Times beyond what timers and calendars can hold.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { Clock } from '../../src/lib/clock.ts'
import { startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

const tenYears = 10 * 366 * 86_400_000

describe('sandbox time', () => {
  it('moves ten years at most in one step, and stays where it was for more', () => {
    const { clock } = createGateway({ timeScale: 0 })
    const before = clock.read()
    for (const ms of [tenYears + 1, 9e15, 1e300, Number.POSITIVE_INFINITY, Number.NaN, -1])
      expect(() => clock.advance(ms)).toThrow(RangeError)
    expect(clock.read()).toEqual(before)
    expect(clock.advance(tenYears).elapsedMs).toBe(tenYears)
  })

  it('ends before the calendar does, however many steps are taken', async () => {
    const gateway = createGateway({ timeScale: 0 })
    expect(() => {
      for (let step = 0; step < 30_000; step++) gateway.clock.advance(tenYears)
    }).toThrow('the clock cannot pass the year 9900')
    const reply = await open(gateway, 'GET /providers')
    expect(reply.status).toBe(200)
  })

  it('is refused with 400 over HTTP', async () => {
    await using server = await startServer()
    const advance = (ms: number) =>
      fetch(`${server.url}/__understudy/sandboxes/default/clock/advance`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ms }),
      })
    expect((await advance(9e15)).status).toBe(400)
    expect((await advance(tenYears)).status).toBe(200)
  })
})

describe('a wait of more than 25 days', () => {
  it('does not end at once', async () => {
    const clock = new Clock()
    const left = new AbortController()
    let isOver = false
    const waiting = clock.wait(2 ** 31 + 5, left.signal)?.then(() => {
      isOver = true
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isOver).toBe(false)
    left.abort()
    await waiting
  })
})

describe('a hundred thousand violations', () => {
  it('are a 400 with the first hundred, and how many more', async () => {
    const reply = await call(createGateway(), 'PATCH /workspaces/production', {
      body: { io_logging_api_key_ids: Array(130_000).fill('x') },
    })
    expect(reply.status).toBe(400)
    const { error } = reply.body
    expect(error.metadata.violations).toHaveLength(100)
    expect(error.metadata.more).toBe(129_900)
  })
})
