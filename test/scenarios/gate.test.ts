import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'
import { clientsOf, interleavings } from './interleavings.ts'

const body = { model: 'aurora/dawn-2', input: 'Why tides?', stream: true }

let server: RunningServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => void vi.useRealTimers())

function setup(gateway = createGateway(), sandbox = gateway.createSandbox()) {
  const target = { fetch: gateway.fetch, apiKey: sandbox.apiKey }
  return { target, ...clientsOf(sandbox, target) }
}

const remoteSandbox = async () => (await connectGateway(server.url)).createSandbox()

describe('hold()', () => {
  it.each(Object.entries(interleavings))('%s', async (_name, interleave) => {
    const onSocket = server.gateway.createSandbox()
    for (const clients of [setup(), clientsOf(onSocket, { baseUrl: onSocket.baseUrl })]) {
      await interleave(clients)
      await clients.idle()
    }
  })

  it('keeps the pace of a stream after a pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { sandbox, stream } = setup(createGateway({ latency: { firstToken: 0, perToken: 100 } }))
    sandbox.reply('one two three four five six seven eight')
    using gate = sandbox.hold('text', { at: 'event', after: 1 })
    const { deltas, end } = await stream()
    await vi.advanceTimersByTimeAsync(10_000)
    gate.release()
    await vi.advanceTimersByTimeAsync(10)
    expect(deltas()).toBe(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await end).toBe('complete')
  })

  it('does not count deltas of reasoning', async () => {
    const { sandbox, stream } = setup()
    const thought = { type: 'reasoning', summary: ['One two three'] } as const
    sandbox.reply({ output: [thought, { type: 'message', content: 'four five six' }] })
    using gate = sandbox.hold('text', { at: 'event', after: 2 })
    const { deltas } = await stream()
    await gate.arrived()
    expect(deltas()).toBe(2)
  })

  it('says what arrived instead, and what a gate cannot hold', async () => {
    const { sandbox, target, ask } = setup()
    const gate = sandbox.hold('text', { at: 'event' })
    await ask('one')
    expect(sandbox.unusedRules()).toMatchObject([{ scenario: 'hold' }])
    const message = 'gate.arrived(): waited 1 ms: 0 of 1 arrivals. The journal has 1 call:'
    await expect(gate.arrived(1, { timeout: 1 })).rejects.toThrow(message)
    sandbox.reply({ body: {} })
    await call(target, 'POST /responses', { body })
    const warnings = ['hold() found no event to hold: the reply is not a stream']
    expect(sandbox.journal.last('createResponse')).toMatchObject({ warnings })
  })

  it('is not part of a fork', async () => {
    const gateway = createGateway()
    gateway.hold('text')
    expect(await setup(gateway, gateway.fork()).ask('fork')).toContain('fork')
  })

  it.each([
    [['tekst'], "hold(): on: unknown operation 'tekst'; did you mean 'text'?"],
    [
      [{ on: 'text', fault: 'stream-cut' }],
      "hold(): a gate's rule has no 'fault': activate it with use() next to",
    ],
    [['text', { after: 1 }], "hold(): options.after: needs at: 'event', because it counts a stream's deltas"],
    [['text', 2], 'hold(): options: must be an object, got 2'],
  ])('rejects %j', (args, message) => {
    expect(() => Reflect.apply(createGateway().hold, createGateway(), args)).toThrow(message)
  })
})

describe('hold() of a remote sandbox', () => {
  it('holds a stream before each event, until it is released', async () => {
    const sandbox = await remoteSandbox()
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
  })

  it('holds a request until it is disposed', async () => {
    const sandbox = await remoteSandbox()
    const gate = await sandbox.hold({ on: 'text', when: { input: 'tides' } })
    const reply = call(sandbox, 'POST /responses', { body })
    await gate.arrived()
    await expect(gate.arrived(2, { timeout: 1 })).rejects.toThrow('1 of 2 arrivals')
    await gate[Symbol.asyncDispose]()
    expect(await reply).toMatchObject({ status: 200 })
  })

  it('ends with its sandbox, even if a wait for it is pending', async () => {
    const sandbox = await remoteSandbox()
    const gate = await sandbox.hold('text')
    const reply = call(sandbox, 'POST /responses', { body })
    await gate.arrived()
    const waiting = expect(gate.arrived(2, { timeout: '1m' })).rejects.toThrow('gate ended after 1 of 2 arr')
    await sandbox.dispose()
    await waiting
    expect(await reply).toMatchObject({ status: 200 })
  })
})
