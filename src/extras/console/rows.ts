/**
 * Rows of the call list: each call's summary, and what distinguishes it from similar calls.
 */
import type { GatewayCore } from '../../gateway/gateway.ts'
import { hideInQuery, hideInString } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { type CallSummary, toSummary } from '../../journal/summary.ts'
import { oneLine } from '../../lib/one-line.ts'
import { type ConversationItem, firstUserText } from '../../resources/conversation.ts'

export interface CallRow extends CallSummary {
  /** Beginning of the last item in the request's conversation or, if it has no conversation, of its query or body. */
  input: string
  /** Size of the reply body in bytes. */
  bytes: number
  /** Trace id in the `traceparent` header. */
  traceId: string | null
  /** Beginning of the first user message, which all calls in a conversation share. */
  conversation: string | null
  /** Sandbox time, ISO 8601. Calls from a file have no other time. */
  timestamp: string
}

type RequestFacts = Pick<CallRow, 'input' | 'conversation'>

const maxInput = 120

/** Facts by record, cached because parsing thousands of bodies is slow. */
const cache = new WeakMap<CallRecord, RequestFacts>()

export function toRow(record: CallRecord, operations: GatewayCore['operations']): CallRow {
  const facts = cache.get(record) ?? requestFacts(record, operations)
  cache.set(record, facts)
  const { responseBody, traceId, at } = record
  return {
    ...toSummary(record),
    ...facts,
    bytes: responseBody.bytes + responseBody.truncatedBytes,
    traceId: traceId ?? null,
    timestamp: new Date(at).toISOString(),
  }
}

function requestFacts(record: CallRecord, operations: GatewayCore['operations']): RequestFacts {
  const { operation, search, requestBody } = record
  const protocol = operations.find(({ id }) => id === operation)?.protocol
  // The beginning of a body cannot be parsed.
  if (!protocol || requestBody.truncatedBytes > 0)
    return {
      input: beginning(hideInQuery(search) || requestBody.text.slice(0, maxInput)),
      conversation: null,
    }
  const conversation = protocol.conversation(record.body)
  return {
    input: beginning(textOf(conversation.items.at(-1))),
    conversation: beginning(firstUserText(conversation)) || null,
  }
}

function textOf(item: ConversationItem | undefined): string {
  if (item?.kind === 'message') return item.text
  if (item?.kind === 'result') return `result: ${item.text}`
  return item?.kind === 'call' ? `${item.name} ${item.arguments}` : ''
}

function beginning(text: string): string {
  // Secrets are hidden before the text is cut to its final length, because a truncated secret would not be recognised.
  return oneLine(hideInString(text.slice(0, 10 * maxInput))).slice(0, maxInput)
}
