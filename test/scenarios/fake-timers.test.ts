/**
 * Waits use the timers of the moment: under the fake timers of a test runner, latency and the pace of a stream go
 * on as the test moves its time, and elapsed time with them.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { open } from '../call.ts'

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function setup() {
  const gateway = createGateway()
  const ask = (stream = false) => open(gateway, 'POST /responses', { body: { ...question, stream } })
  return { gateway, ask }
}

describe('under fake timers', () => {
  it('latency ends when the test has moved its time so far', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: '*', fault: { name: 'latency', ms: 60_000 } })
    let status: number | undefined
    void ask().then((response) => {
      status = response.status
    })
    await vi.advanceTimersByTimeAsync(59_999)
    expect(status).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await vi.waitFor(() => expect(status).toBe(200))
  })

  it('a slow stream gives its events as the test moves its time', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: '*', fault: { name: 'slow-stream', firstEventMs: 1000, everyMs: 1000 } })
    const response = await ask(true)
    let text = ''
    void response.body?.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write(chunk) {
          text += chunk
        },
      }),
    )
    const events = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return text.match(/^data: /gm)?.length ?? 0
    }
    expect([await events(999), await events(1), await events(2000)]).toEqual([0, 1, 3])
  })

  it('windows of elapsed time go on with the time of the test', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: '*', rateLimit: { requests: 1, per: 5000 }, fault: 'rate-limit' })
    const statuses = [(await ask()).status, (await ask()).status]
    await vi.advanceTimersByTimeAsync(5000)
    expect([...statuses, (await ask()).status]).toEqual([200, 429, 200])
  })

  it('elapsed time goes on from where it was, for a gateway that was there before them', async () => {
    vi.useRealTimers()
    const { gateway } = setup()
    const before = gateway.clock.read().elapsedMs
    vi.useFakeTimers()
    const under = gateway.clock.read().elapsedMs
    expect(under).toBeGreaterThanOrEqual(before)
    await vi.advanceTimersByTimeAsync(1000)
    expect(gateway.clock.read().elapsedMs).toBe(under + 1000)
  })

  it('timeScale 0 makes waits instant all the same', async () => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on: '*', fault: { name: 'latency', ms: 60_000 } })
    expect((await open(gateway, 'GET /providers')).status).toBe(200)
  })
})
