import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'
import { clientsOf, interleavings, settled } from './interleavings.ts'

const body = { model: 'aurora/dawn-2', input: 'Why tides?', stream: true }

describe('hold()', () => {
  it.each(Object.keys(interleavings))('%s', async (name) => {
    const clients = clientsOf(createGateway())
    await interleavings[name]?.(clients)
    await settled(clients)
    expect(clients.sandbox.inFlight).toBe(0)
  })

  it('keeps the pace of a stream after a pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const { sandbox, stream } = clientsOf(createGateway({ latency: { firstToken: 0, perToken: 100 } }))
      sandbox.reply('one two three four five six seven eight')
      using gate = sandbox.hold('text', { at: 'event', after: 1 })
      const { deltas, end } = await stream()
      await vi.advanceTimersByTimeAsync(10_000)
      await gate.arrived()
      gate.release()
      await vi.advanceTimersByTimeAsync(10)
      expect(deltas()).toBe(2)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await end).toBe('complete')
    } finally {
      vi.useRealTimers()
    }
  })

  it('lists the calls if too few arrive in time', async () => {
    const { sandbox, ask } = clientsOf(createGateway())
    using gate = sandbox.hold('listProviders')
    await ask('one')
    const message = 'gate.arrived(): waited 1 ms: 0 of 1 arrivals. The journal has 1 call:'
    await expect(gate.arrived(1, { timeout: 1 })).rejects.toThrow(message)
  })

  it('leaves unstreamed requests to other gates, and warns if a reply has no events', async () => {
    const { sandbox, gateway, ask } = clientsOf(createGateway())
    const gate = sandbox.hold('text', { at: 'event' })
    await ask('one')
    expect(sandbox.unusedRules()).toMatchObject([{ scenario: 'hold' }])
    sandbox.reply({ body: {} }, { times: 1 })
    await call({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'POST /responses', { body })
    const warnings = ['hold() found no event to hold: the reply is not a stream']
    expect(sandbox.journal.last('createResponse')).toMatchObject({ warnings })
    gate.release()
    expect(sandbox.activeScenarios()).toMatchObject([{ name: 'reply' }])
  })

  it('is not part of a fork or a snapshot', async () => {
    const { gateway, sandbox } = clientsOf(createGateway())
    using _gate = sandbox.hold('text')
    expect(await clientsOf(gateway, sandbox.fork()).ask('fork')).toContain('fork')
  })

  it.each([
    [['tekst'], "hold(): on: unknown operation 'tekst'; did you mean 'text'?"],
    [
      [{ on: 'text', fault: 'stream-cut' }],
      "hold(): a gate's rule has no 'fault': activate it with use() next to",
    ],
    [['text', { after: 1 }], "hold(): options.after: needs at: 'event', because it counts a stream's deltas"],
    [
      ['text', { at: 'evnt' }],
      "hold(): options.at: must be 'request' or 'event', got 'evnt'; did you mean 'event'?",
    ],
    [['text', 2], 'hold(): options: must be an object, got 2'],
  ])('rejects %j', (args, message) => {
    expect(() => Reflect.apply(createGateway().hold, createGateway(), args)).toThrow(message)
  })
})

describe('hold() of a remote sandbox', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ timeScale: 0 })
  })
  afterAll(() => server.close())

  it('holds a stream before each event, and a request until the gate is disposed', async () => {
    const sandbox = await (await connectGateway(server.url)).createSandbox()
    const gate = await sandbox.hold('text', { at: 'event', after: 2 })
    const { body: stream } = await open(sandbox, 'POST /responses', { body })
    await gate.arrived()
    expect(await sandbox.journal.unanswered()).toMatchObject([{ status: 200, delivery: 'held-by-gate' }])
    await gate.next()
    await gate.arrived(2, { timeout: '10s' })
    await gate.release()
    expect(await new Response(stream).text()).toContain('[DONE]')
    await gate.release()
    await expect(gate.next()).rejects.toThrow(
      `gate.next(): No active gate '${gate.id}': it was released or reset`,
    )
    await expect(sandbox.hold('tekst' as 'text')).rejects.toThrow("hold(): on: unknown operation 'tekst'")
    let reply: Promise<unknown>
    {
      await using held = await sandbox.hold('text')
      reply = call(sandbox, 'POST /responses', { body })
      await held.arrived()
      await expect(held.arrived(2, { timeout: 1 })).rejects.toThrow('1 of 2 arrivals')
    }
    expect(await reply).toMatchObject({ status: 200 })
  })

  it('ends with its sandbox, even if a wait for it is pending', async () => {
    const sandbox = await (await connectGateway(server.url)).createSandbox()
    const gate = await sandbox.hold({ on: 'text', when: { input: 'tides' } })
    const reply = call(sandbox, 'POST /responses', { body })
    await gate.arrived()
    const waiting = expect(gate.arrived(2, { timeout: '1m' })).rejects.toThrow(
      'the gate ended after 1 of 2 arrivals',
    )
    await sandbox.dispose()
    await waiting
    expect(await reply).toMatchObject({ status: 200 })
  })
})
