/**
 * What becomes of a request of a `node:http` client: a handler of the user's own answers it, or the gateway, or it
 * is refused, or it goes its way.
 */
import type { ClientRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { toFetch } from './fetch.ts'
import { toRecord } from './intercept-call.ts'
import { type InterceptSetup, type Outgoing, verdictOn } from './intercept-destination.ts'
import { type Arrival, passOn, sendResponse, type Verdict } from './intercept-http.ts'
import { serveNode } from './node.ts'

export function onRequest(setup: InterceptSetup): (request: ClientRequest, url: URL) => Verdict {
  const { gateway, handlers } = setup
  return (request, url) => {
    const { method } = request
    const outgoing = { method, url, headers: toRecord(request.getHeaders()) }
    const asksHandlers = handlers.mayAnswer(url)
    const verdict = asksHandlers ? 'answer' : verdictOn(setup, outgoing)
    if (verdict !== 'answer') return verdict
    // It arrives at the other end of its connection, where nothing tells any more whose code has made it.
    const sandbox = gateway.sandboxes.ofCaller()
    const answer = async (arrival: Arrival): Promise<unknown> =>
      asksHandlers
        ? askHandlers(setup, outgoing, arrival)
        : serveNode(gateway, arrival.request, arrival.response)
    return (arrival) => {
      const answered = gateway.sandboxes.current.run(sandbox, () => answer(arrival))
      answered.catch(() => arrival.response.socket?.destroy())
    }
  }
}

async function askHandlers(setup: InterceptSetup, outgoing: Outgoing, arrival: Arrival): Promise<void> {
  const { method, url, headers } = outgoing
  const bytes = new Uint8Array(await buffer(arrival.request))
  const toRequest = () =>
    new Request(url, { method, headers, body: method === 'GET' || method === 'HEAD' ? null : bytes })
  const answered = await setup.handlers.answer(toRequest())
  if (answered instanceof Response) return sendResponse(arrival, answered)
  const verdict = answered === 'pass' ? 'pass' : verdictOn(setup, outgoing)
  if (verdict === 'pass') passOn(arrival, bytes)
  else if (verdict === 'answer') await sendResponse(arrival, await toFetch(setup.gateway)(toRequest()))
  else arrival.response.socket?.destroy()
}
