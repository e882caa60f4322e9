/** Interleavings of calls and gates. None of them sleeps. */
import { expect, vi } from 'vitest'
import type { Sandbox } from '../../src/index.ts'
import { call, open, type Target } from '../call.ts'

export type Clients = ReturnType<typeof clientsOf>

/** Returns clients of a sandbox that is in this process. */
export function clientsOf(sandbox: Sandbox, target: Target) {
  const model = 'aurora/dawn-2'
  return {
    sandbox,
    /** Returns the reply's text. */
    async ask(input: string, signal = new AbortController().signal): Promise<string> {
      const { body } = await call(target, 'POST /responses', { body: { model, input }, signal })
      return body.output[0].content[0].text
    },
    /** Starts a stream. `deltas` counts the deltas received so far, `end` resolves at its end. */
    async stream(signal = new AbortController().signal) {
      const body = { model, input: 'Why tides?', stream: true }
      const response = await open(target, 'POST /responses', { body, signal })
      let text = ''
      const read = async () => {
        for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk)
        return 'complete'
      }
      const end = read().catch(() => 'failed')
      return { deltas: () => text.split('"type":"response.output_text.delta"').length - 1, end }
    },
    /** Returns the deliveries of the calls in progress. */
    held: () => sandbox.journal.unanswered().map(({ delivery }) => delivery),
    /** Waits until all calls are over. */
    idle: () => until(() => sandbox.inFlight === 0),
  }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

const long = { timeout: '10s' } as const

export const interleavings: Record<string, (clients: Clients) => Promise<void>> = {
  async 'two agents race, and the first to arrive is the first to go on'({ sandbox, ask }) {
    using gate = sandbox.hold('text')
    const order: string[] = []
    const agents = ['a', 'b'].map(async (name, place) => {
      if (place > 0) await gate.arrived(place, long)
      await ask(name)
      order.push(name)
    })
    await gate.arrived(2, long)
    gate.next()
    await agents[0]
    expect(order).toEqual(['a'])
    gate.next()
    await agents[1]
  },
  async 'Stop between two deltas ends the stream'({ sandbox, stream, idle }) {
    using gate = sandbox.hold('text', { at: 'event', after: 2 })
    const stop = new AbortController()
    const { deltas, end } = await stream(stop.signal)
    await gate.arrived(1, long)
    gate.next()
    await gate.arrived(2, long)
    await until(() => deltas() === 3)
    stop.abort()
    expect([await end, deltas()]).toEqual(['failed', 3])
    await idle()
    expect(sandbox.journal.entries()).toMatchObject([{ delivery: 'aborted-by-client' }])
  },
  async 'a retry of a held attempt goes on without it'({ sandbox, ask, held, idle }) {
    using gate = sandbox.hold('text')
    const timeout = new AbortController()
    const first = ask('once', timeout.signal).catch(() => 'timeout')
    await gate.arrived(1, long)
    timeout.abort()
    expect(await first).toBe('timeout')
    await idle()
    const retry = ask('twice')
    await gate.arrived(2, long)
    expect(held()).toEqual(['held-by-gate'])
    gate.next()
    expect(await retry).toContain('twice')
  },
  async 'disposal releases a held call, and ends a wait'({ sandbox, ask }) {
    const gate = sandbox.hold('text')
    const reply = ask('one')
    await gate.arrived(1, long)
    const waiting = expect(gate.arrived(2, long)).rejects.toThrow('the gate ended after 1 of 2 arrivals')
    sandbox.dispose()
    expect(await reply).toContain('one')
    await waiting
    gate.release()
  },
  async 'reset and restore release held calls, and end the gate'({ sandbox, ask }) {
    for (const end of ['reset', 'restore'] as const) {
      const gate = sandbox.hold('text')
      const snapshot = sandbox.snapshot()
      const reply = ask('one')
      await gate.arrived(1, long)
      sandbox[end](snapshot)
      expect([await reply, await ask('two')]).toHaveLength(2)
      expect(sandbox.activeScenarios()).toEqual([])
    }
  },
  async 'a barrier of three holds two calls until the third arrives'({ sandbox, ask, held }) {
    using gate = sandbox.hold('text', { together: 3 })
    const replies = ['a', 'b'].map((name) => ask(name))
    await gate.arrived(2, long)
    expect(held()).toEqual(['held-by-gate', 'held-by-gate'])
    expect(await Promise.all([...replies, ask('c')])).toHaveLength(3)
    await sandbox.journal.waitFor('createResponse', { count: 3 })
  },
  async 'next() before the arrival lets one call through'({ sandbox, ask, held }) {
    using gate = sandbox.hold('text')
    gate.next()
    expect(await ask('one')).toContain('one')
    const second = ask('two')
    await gate.arrived(2, long)
    expect(held()).toEqual(['held-by-gate'])
    gate.release()
    await second
  },
  async 'a release while calls arrive lets all of them through'({ sandbox, ask }) {
    const gate = sandbox.hold('text')
    const replies = ['a', 'b', 'c'].map((name) => ask(name))
    await gate.arrived(1, long)
    replies.push(ask('d'))
    gate.release()
    expect(await Promise.all(replies)).toHaveLength(4)
  },
  async 'two gates hold one call until both let it through'({ sandbox, ask, held }) {
    using first = sandbox.hold('createResponse')
    using second = sandbox.hold({ on: '*', when: { input: 'both' } })
    const reply = ask('both')
    await Promise.all([first.arrived(1, long), second.arrived(1, long)])
    second.next()
    expect(held()).toEqual(['held-by-gate'])
    first.next()
    expect(await reply).toContain('both')
  },
  async 'a stream is held before the event after which it is cut'({ sandbox, stream }) {
    sandbox.use({ on: 'text', fault: { name: 'stream-cut', afterDeltas: 3 } })
    using gate = sandbox.hold('text', { at: 'event', after: 2 })
    const { deltas, end } = await stream()
    await gate.arrived(1, long)
    await until(() => deltas() === 2)
    gate.next()
    expect([await end, deltas()]).toEqual(['complete', 3])
  },
  async 'latency begins when the gate lets a call through'({ sandbox, ask }) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      sandbox.use({ on: 'text', fault: { name: 'latency', ms: 50 } })
      using gate = sandbox.hold('text')
      const reply = ask('late')
      await gate.arrived(1, long)
      await vi.advanceTimersByTimeAsync(1000)
      gate.release()
      while (vi.getTimerCount() === 0) await undefined
      expect(sandbox.journal.size).toBe(0)
      await vi.advanceTimersByTimeAsync(50)
      expect(await reply).toContain('late')
    } finally {
      vi.useRealTimers()
    }
  },
}
