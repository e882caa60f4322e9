import { describe, expect, it, vi } from 'vitest'
import { createGateway, expectSandbox } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

describe('journal.unanswered()', () => {
  it('returns calls until they have a reply', async () => {
    await using server = await startServer()
    const remote = await connectGateway(server.url)
    const { gateway } = server
    gateway.use({ on: 'listProviders', fault: { name: 'latency', ms: '1h' } })
    const aborted = new AbortController()
    const { signal } = aborted
    const reply = fetch(`${server.baseUrl}/providers`, { headers: { authorization: 'Bearer any' }, signal })
    await vi.waitUntil(() => gateway.journal.unanswered().length > 0)
    const [waiting] = await remote.journal.unanswered()
    expect(waiting).toMatchObject({ operation: 'listProviders', status: 0, rules: [{ faults: ['latency'] }] })
    expect(gateway.journal.entries()).toEqual([])
    const text = /The journal has no calls\.\n1 call without a reply.*:\n {2}1\. GET .*, pending/
    expect(() => expectSandbox(gateway).toHaveReceivedTimes('listProviders', 4)).toThrow(text)
    await expect(expectSandbox(remote).toHaveReceived('listProviders')).rejects.toThrow(text)
    await expect(gateway.journal.waitFor('listProviders', { timeout: 1 })).rejects.toThrow(text)
    aborted.abort()
    await expect(reply).rejects.toThrow()
    await vi.waitUntil(() => gateway.journal.unanswered().length === 0)
  })

  it.each([
    ['timeout', 0],
    ['stream-stall', 200],
  ] as const)('returns a call that %s stalls until the client aborts', async (fault, status) => {
    await using server = await startServer()
    const { journal } = server.gateway
    server.gateway.use({ on: 'createResponse', fault })
    const aborted = new AbortController()
    const body = { model: 'aurora/dawn-2', input: 'Hello?', stream: true }
    const reply = open(server, 'POST /responses', { body, signal: aborted.signal })
    await vi.waitUntil(() => journal.size > 0)
    expect(journal.unanswered()).toMatchObject([{ status, delivery: 'pending' }])
    aborted.abort()
    await reply.catch(() => undefined)
    await vi.waitUntil(() => journal.unanswered().length === 0)
  })

  it('returns no calls from before a reset', async () => {
    const gateway = createGateway({ timeScale: 1 })
    gateway.use({ on: '*', fault: { name: 'latency', ms: 50 } })
    const reply = call(gateway, 'GET /providers')
    await vi.waitUntil(() => gateway.journal.unanswered().length === 1)
    gateway.reset()
    expect(gateway.journal.unanswered()).toEqual([])
    await reply
  })
})
