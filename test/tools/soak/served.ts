/** Runs a server in a separate process, started by `load.ts`, and reports its memory on request. */
import { type ServerOptions, startServer } from '../../../src/serve.ts'

const options: ServerOptions = JSON.parse(process.argv[2] ?? '{}')
const server = await startServer({ timeScale: 0, ...options })
process.on('message', () => {
  globalThis.gc?.()
  const resources = process.getActiveResourcesInfo()
  process.send?.({
    ...process.memoryUsage(),
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    timers: resources.filter((name) => name === 'Timeout').length,
  })
})
process.send?.({ url: server.url, port: server.port })
