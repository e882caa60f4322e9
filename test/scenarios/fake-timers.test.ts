/** Tests that a test runner's fake timers drive latency, stream pacing and the sandbox's elapsed time. */
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

describe('fake timers', () => {
  it('end a latency fault after the same amount of fake time', async () => {
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

  it('pace the events of a slow stream', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: '*', fault: { name: 'slow-stream', firstToken: 1000, perToken: 1000 } })
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

  it('advance rate limit windows', async () => {
    const { gateway, ask } = setup()
    gateway.use({ on: '*', rateLimit: { requests: 1, per: 5000 }, fault: 'rate-limit' })
    const statuses = [(await ask()).status, (await ask()).status]
    await vi.advanceTimersByTimeAsync(5000)
    expect([...statuses, (await ask()).status]).toEqual([200, 429, 200])
  })

  it('continue the elapsed time of a gateway created before them', async () => {
    vi.useRealTimers()
    const { gateway } = setup()
    const before = gateway.clock.read().elapsedMs
    vi.useFakeTimers()
    const under = gateway.clock.read().elapsedMs
    expect(under).toBeGreaterThanOrEqual(before)
    await vi.advanceTimersByTimeAsync(1000)
    expect(gateway.clock.read().elapsedMs).toBe(under + 1000)
  })
})
