/**
 * Tests durations and sizes that exceed the limits of timers, dates and replies.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { Clock } from '../../src/lib/clock.ts'
import { startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

const tenYears = 10 * 366 * 86_400_000

describe('the sandbox clock', () => {
  it('advances at most ten years per step and throws for larger steps', () => {
    const { clock } = createGateway({ timeScale: 0 })
    const before = clock.read()
    for (const ms of [tenYears + 1, 9e15, 1e300, Number.POSITIVE_INFINITY, Number.NaN, -1])
      expect(() => clock.advance(ms)).toThrow(RangeError)
    expect(clock.read()).toEqual(before)
    expect(clock.advance(tenYears).elapsedMs).toBe(tenYears)
  })

  it('stops at the last valid date, regardless of the number of steps', async () => {
    const gateway = createGateway({ timeScale: 0 })
    expect(() => {
      for (let step = 0; step < 30_000; step++) gateway.clock.advance(tenYears)
    }).toThrow('the clock cannot pass the year 9900')
    const reply = await open(gateway, 'GET /providers')
    expect(reply.status).toBe(200)
  })

  it('rejects an advance of more than ten years over HTTP with 400', async () => {
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

describe('a wait longer than the 25-day limit of timers', () => {
  it('does not end immediately', async () => {
    const clock = new Clock()
    const controller = new AbortController()
    let isOver = false
    const waiting = clock.wait(2 ** 31 + 5, controller.signal)?.then(() => {
      isOver = true
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isOver).toBe(false)
    controller.abort()
    await waiting
  })
})
