/** Rows of the call list: parts of each call's entry, and what distinguishes it from similar calls. */
import type { GatewayCore } from '../../gateway/gateway.ts'
import { hideInQuery, hideInString } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { elapsed, type JournalEntry } from '../../journal/entry.ts'
import { oneLine } from '../../lib/one-line.ts'
import { type ConversationItem, firstUserText } from '../../resources/conversation.ts'

type EntryParts = Pick<
  JournalEntry,
  | 'id'
  | 'operation'
  | 'method'
  | 'path'
  | 'status'
  | 'rules'
  | 'delivery'
  | 'durationMs'
  | 'firstByteMs'
  | 'traceId'
>

export interface CallRow extends EntryParts {
  sandbox: string
  sandboxName: string | null
  /** Model named in the body, or null. */
  model: string | null
  /** If true, the request asked for an event stream. */
  stream: boolean
  /** If true, no operation, rule or recording matched the request. */
  unmatched: boolean
  /** Number of near misses; 0 if a rule applied. */
  nearMissCount: number
  warnings: number
  /** Real time of arrival, ISO 8601. */
  startedAt: string
  /** Beginning of the last item in the request's conversation or, if it has no conversation, of its query or body. */
  input: string
  /** Size of the reply body in bytes. */
  bytes: number
  /** Beginning of the first user message, which all calls in a conversation share. */
  conversation: string | null
}

type RequestFacts = Pick<CallRow, 'input' | 'conversation'>

const maxInput = 120

/** Facts by record, cached because parsing thousands of bodies is slow. */
const cache = new WeakMap<CallRecord, RequestFacts>()

export function toRow(record: CallRecord, operations: GatewayCore['operations']): CallRow {
  const facts = cache.get(record) ?? requestFacts(record, operations)
  cache.set(record, facts)
  const { operation, rules, responseBody, startedAt } = record
  return {
    ...facts,
    id: record.id,
    sandbox: record.state.id,
    sandboxName: record.state.owner.name ?? null,
    operation: operation ?? null,
    method: record.method,
    path: hideInString(record.path),
    status: record.status,
    model: record.model === undefined ? null : hideInString(record.model),
    stream: record.asksForStream,
    rules: [...rules],
    unmatched: record.isUnmatched,
    nearMissCount: record.nearMissCount,
    warnings: record.warnings.length,
    delivery: record.delivery,
    traceId: record.traceId ?? null,
    startedAt: new Date(performance.timeOrigin + startedAt).toISOString(),
    durationMs: elapsed(startedAt, record.endedAt),
    firstByteMs: elapsed(startedAt, record.firstByteAt),
    bytes: responseBody.bytes + responseBody.truncatedBytes,
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
