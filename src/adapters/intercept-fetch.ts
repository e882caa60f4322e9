/**
 * What becomes of a request that `fetch` or undici dispatches: a handler of the user's own answers it, or the
 * gateway, or it is refused, or it goes its way.
 */
import { DispatchedCall, readDispatched } from './intercept-call.ts'
import { type InterceptSetup, verdictOn } from './intercept-destination.ts'
import type { Intercept } from './intercept-dispatcher.ts'
import { answerDispatched, Delivery, deliver } from './intercept-reply.ts'
import { controlled, type DispatchOptions, type Handler } from './intercept-undici.ts'

export function onDispatch(setup: InterceptSetup): Intercept {
  return (options, handler, pass) => {
    if (options.upgrade || options.method === 'CONNECT') return pass(options)
    const call = new DispatchedCall(options)
    if (!setup.handlers.mayAnswer(call.url)) return answer(setup, call, handler) ? true : pass(options)
    askHandlers(setup, call, options, handler, pass).catch((error) =>
      new Delivery(call, controlled(handler)).fail(error),
    )
    return true
  }
}

/** False where the call goes its way. */
function answer(setup: InterceptSetup, call: DispatchedCall, handler: Handler): boolean {
  const verdict = verdictOn(setup, call)
  if (verdict === 'pass') return false
  const delivery = new Delivery(call, controlled(handler))
  if (verdict === 'answer') void answerDispatched(setup.gateway, call, delivery)
  else delivery.fail(verdict)
  return true
}

async function askHandlers(
  setup: InterceptSetup,
  call: DispatchedCall,
  options: DispatchOptions,
  handler: Handler,
  pass: (options: DispatchOptions) => boolean,
): Promise<void> {
  const { method, headers, url } = call
  const bytes = await readDispatched(call.body)
  const body = bytes.byteLength > 0 ? (bytes as Uint8Array<ArrayBuffer>) : null
  const answered = await setup.handlers.answer(new Request(url, { method, headers, body }))
  if (answered instanceof Response) return deliver(answered, new Delivery(call, controlled(handler)))
  const again = { ...options, body }
  if (answered === 'pass' || !answer(setup, new DispatchedCall(again), handler)) pass(again)
}
