/**
 * Step 6: the body of a request, its size, encoding and media type, and the conversation in it.
 */

import { decodeBody } from '../http/body.ts'
import { GatewayError } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { AnyOperation, OtherBody } from '../operation.ts'
import type { Conversation } from '../resources/conversation.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { Call } from './call.ts'

/**
 * Reads the body into the record. Returns the refusal, if there is one: 413 for a body above the limit, 415 for a
 * compressed one or another media type, 400 for one that is not UTF-8.
 *
 * @param limit Bytes.
 */
export async function readBody(
  call: Call,
  record: CallRecord,
  operation: AnyOperation | undefined,
  limit: number,
): Promise<unknown> {
  let text = ''
  let refusal: unknown
  try {
    assertPlain(call)
    if (call.method !== 'GET' && call.method !== 'HEAD') {
      const other = operation?.input?.otherBody
      text = decodeBody(await call.readBody(limit), other === undefined)
      assertMediaType(call, text, other)
    }
  } catch (error) {
    refusal = error
  }
  record.received(text)
  return refusal
}

export type ReadConversation = () => Conversation | undefined

/** Returns a function that reads the conversation in the body once; rules and the operation see the same. */
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

/** Reads a conversation; undefined for an operation without one. */
export function conversationIn(
  body: unknown,
  { protocol }: AnyOperation,
  { options, storedResponses }: SandboxState,
): Conversation | undefined {
  return protocol?.conversation(body, options.storedResponses ? storedResponses : undefined)
}

/** Throws 415 for a compressed body. */
export function assertPlain({ headers }: Call): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (!encoding || encoding === 'identity') return
  throw new GatewayError(415, `Unsupported content encoding '${encoding}': send the body uncompressed`)
}

/** Throws 415 for a media type other than JSON that the operation does not accept. Without one, a body is JSON. */
function assertMediaType({ headers }: Call, text: string, other: OtherBody | undefined): void {
  const given = headers['content-type']
  if (given === undefined || text === '' || (given === 'application/json' && !other)) return
  const type = given.split(';', 1)[0]?.trim().toLowerCase()
  const { types = [], isJsonToo = true } = other ?? {}
  if (!type || (isJsonToo && (type === 'application/json' || type.endsWith('+json')))) return
  const isAccepted = (each: string) =>
    type === each || (each.endsWith('*') && type.startsWith(each.split('*')[0] ?? ''))
  if (types.some(isAccepted)) return
  const accepted = [...(isJsonToo ? ['application/json'] : []), ...types].join(' or ')
  throw new GatewayError(415, `Unsupported media type '${type}': send ${accepted}`)
}
