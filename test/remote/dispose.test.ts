/** Tests how a remote sandbox is disposed while its calls are in flight. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectGateway, type RemoteGateway } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'

let server: RunningServer
let gateway: RemoteGateway
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
  gateway = await connectGateway(server.url)
})
afterAll(() => server.close())

describe('remoteSandbox.dispose() with a call in flight', () => {
  it('rejects if the call fails', async () => {
    const other = await gateway.createSandbox()
    const seen = other.use('flakey').catch(() => {})
    await expect(other.dispose()).rejects.toThrow(
      `A call in sandbox '${other.id}' was still in flight at dispose() and failed: Unknown scenario 'flakey'; did you mean 'flaky'? (await the call)`,
    )
    await seen
    await expect(other.usage()).rejects.toMatchObject({ status: 410 })
  })

  it('waits for the call', async () => {
    const other = await gateway.createSandbox()
    const use = other.use('flaky')
    await other.dispose()
    expect((await use).name).toBe('flaky')
  })

  it('does not wait for journal.waitFor()', async () => {
    const other = await gateway.createSandbox()
    other.journal.waitFor('listProviders', { timeout: 600_000 }).catch(() => {})
    await other.dispose()
    await expect(other.usage()).rejects.toMatchObject({ status: 410 })
  })
})
