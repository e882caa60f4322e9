/**
 * Interception in a Node process, loud about a call that would leave this machine for the real gateway.
 */
import { setupServer } from 'msw/node'
import { readAddress } from '../gateway/address.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { toCall } from './fetch.ts'
import { toHandlers } from './msw.ts'

/** What `setupServer` returns: `use()` for handlers of your own, `close()` when done. */
export type Interception = ReturnType<typeof setupServer>

/** Starts to intercept. Calls to anybody else go their way. */
export function intercept(gateway: GatewayCore): Interception {
  const server = setupServer(...toHandlers(gateway))
  const check = (request: Request) => assertNotForGateway(gateway, request)
  // MSW 3 asks the first, MSW 2 the second; each passes over the other.
  const unhandled: object = {
    onUnhandledFrame: ({ frame }: { frame: { data: { request?: Request } } }) =>
      frame.data.request && check(frame.data.request),
    onUnhandledRequest: check,
  }
  server.listen(unhandled)
  return server
}

/**
 * Breaks the connection of a request that nothing answers here, but the real gateway would; the journal has it as
 * a 404. What is thrown is what MSW lets the client see.
 */
async function assertNotForGateway(gateway: GatewayCore, request: Request): Promise<void> {
  const { hostname, origin, pathname } = new URL(request.url)
  const { baseUrl } = gateway.options
  const { route } = readAddress(pathname)
  if (loopback.test(hostname)) return
  if (baseUrl === undefined ? route === undefined : origin !== new URL(baseUrl).origin) return

  const record = await handle(gateway, toCall(request))
  record.settled('cut')
  const asked = `${request.method} ${route ?? pathname}`
  const known = gateway.operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const wayOut = baseUrl === undefined ? ' (if not, set baseUrl to where the gateway is)' : ''
  const message = `${request.method} ${request.url} would leave this machine for the gateway${wayOut}. No operation is '${asked}'${didYouMean(asked, known)}`
  console.error(message)
  throw Response.error()
}

/** An application's own servers. */
const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/
