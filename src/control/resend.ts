/**
 * A call of the journal, asked again.
 */
import { deliver } from '../delivery/deliver.ts'
import { type Call, discard } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { sandboxBaseUrl } from '../gateway/locate.ts'
import { GatewayError } from '../http/errors.ts'
import { hidden } from '../http/secrets.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/**
 * Asks again what a call asked, in the sandbox of its journal, and returns when the reply begins. Throws 409 for a body
 * that was too long to keep.
 */
export async function resend(
  gateway: GatewayCore,
  sandbox: Sandbox,
  record: CallRecord,
): Promise<CallRecord> {
  const { method, path, route, search, headers, requestBody } = record
  if (requestBody.cut > 0)
    throw new GatewayError(409, `The body of '${record.id}' was too long for the journal to keep it whole`)
  const { text } = requestBody
  const { authorization } = headers
  const isUnknown =
    authorization === undefined ? headers['x-api-key'] === undefined : authorization.includes(hidden)
  const call: Call = {
    method,
    path: route === undefined ? path : `${sandboxBaseUrl('/api/v1', sandbox.id)}${route}`,
    search,
    headers: isUnknown ? { ...headers, authorization: `Bearer ${keyOf(gateway, sandbox)}` } : headers,
    readBody: async () => new TextEncoder().encode(text),
    sink: discard,
  }
  const again = await handle(gateway, call)
  // Delivered like the first, but not awaited.
  void deliver(again.reply, discard, again)
  return again
}

function keyOf({ options }: GatewayCore, { apiKey }: Sandbox): string {
  return options.apiKeys?.[0] ?? apiKey
}
