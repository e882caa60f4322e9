/** A server in a process of its own, which tells its memory when it is asked. Started by `unlucky.ts` and `chaos.ts`. */
import { startServer } from '../../src/serve.ts'

const server = await startServer({
  timeScale: 0,
  headersTimeoutMs: 1000,
  bodyTimeoutMs: 1000,
  scenarios: process.argv.slice(2),
})
process.on('message', () => {
  globalThis.gc?.()
  const resources = process.getActiveResourcesInfo()
  process.send?.({
    ...process.memoryUsage(),
    held: server.gateway.sandboxes.held.bytes,
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    timers: resources.filter((name) => name === 'Timeout').length,
  })
})
process.send?.({ url: server.url, port: server.port })
