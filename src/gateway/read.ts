/** Step 6: reads a request's body, checks its size, encoding and media type, and reads the conversation. */
import { decodeBody } from '../http/body.ts'
import { GatewayError } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { compileGlob } from '../lib/glob.ts'
import type { AnyOperation, OtherBody } from '../operation.ts'
import type { Conversation } from '../resources/conversation.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { Call, ReadConversation } from './call.ts'

/** Returns the error, if any. @param other Media types to accept. Default: only JSON. @param limit In bytes. */
export async function readBody(
  call: Call,
  record: CallRecord,
  other: OtherBody | undefined,
  limit: number,
): Promise<unknown> {
  const { method, headers } = call
  let bytes: Uint8Array | undefined
  let text = ''
  let rejection: unknown
  try {
    if (method !== 'GET' && method !== 'HEAD') bytes = await call.readBody(limit)
    assertPlain(call)
    if (bytes) text = decodeBody(bytes, other === undefined)
    if (text !== '') assertMediaType(call, other)
  } catch (error) {
    rejection = error
    if (!(error instanceof GatewayError)) {
      call.sink.abort?.(error)
      rejection = new GatewayError(400, 'The connection closed before the body was complete')
    }
  }
  const isTooLarge = rejection instanceof GatewayError && rejection.status === 413
  const size = bytes?.byteLength ?? (Number(headers['content-length']) || (isTooLarge ? limit + 1 : 0))
  record.received(text, text === '' ? size : 0, bytes)
  return rejection
}

export function conversationReader(
  record: CallRecord<SandboxState>,
  operation: AnyOperation | undefined,
): ReadConversation {
  let conversation: Conversation | undefined
  return () => {
    conversation ??= operation && conversationIn(record.body, operation, record.state)
    return conversation
  }
}

export function conversationIn(
  body: unknown,
  { protocol }: AnyOperation,
  { options, storedResponses }: SandboxState,
): Conversation | undefined {
  return protocol?.conversation(body, options.storedResponses ? storedResponses : undefined)
}

export function assertPlain({ headers }: Call): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (!encoding || encoding === 'identity') return
  throw new GatewayError(415, `Unsupported content encoding '${encoding}': send the body uncompressed`)
}

/** Throws 415 for a media type that the operation does not accept. A body without a media type is read as JSON. */
export function assertMediaType({ headers }: Call, other?: OtherBody): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const { types = [], isJsonToo = true } = other ?? {}
  if (!type || (isJsonToo && (type === 'application/json' || type.endsWith('+json')))) return
  if (types.some((each) => compileGlob(each)(type))) return
  const accepted = [...(isJsonToo ? ['application/json'] : []), ...types].join(' or ')
  throw new GatewayError(415, `Unsupported media type '${type}': send ${accepted}`)
}
