/** Call list rows: fields from each call's entry, and facts that tell similar calls apart. */
import type { GatewayCore } from '../../gateway/gateway.ts'
import { hideInQuery, hideInString } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { type AppliedRule, elapsed, type JournalEntry } from '../../journal/entry.ts'
import { oneLine } from '../../lib/one-line.ts'
import { type Conversation, firstUserText } from '../../resources/conversation.ts'
import { asksForStream, modelOf } from '../../scenarios/condition.ts'
import { isBelowLimit } from '../../scenarios/near-misses.ts'
import type { RuleReport } from './why.ts'

type EntryParts = Pick<
  JournalEntry,
  'id' | 'operation' | 'method' | 'path' | 'status' | 'delivery' | 'durationMs' | 'firstByteMs' | 'traceId'
>

export interface CallRow extends EntryParts {
  sandbox: string
  sandboxName: string | null
  rules: (AppliedRule & Pick<RuleReport, 'activation'>)[]
  model: string | null
  /** If true, the request asked for an event stream. */
  stream: boolean
  /** If true, no operation, rule or recording matched the request. */
  unmatched: boolean
  /** Number of near misses; 0 if a rule applied. */
  nearMissCount: number
  warnings: string[]
  /** Real time of arrival, ISO 8601. */
  startedAt: string
  /** Beginning of the last item in the request's conversation or, if it has no conversation, of its query or body. */
  input: string
  /** Size of the reply body in bytes. */
  bytes: number
  /** Input and output tokens. */
  tokens: number
  /** Beginning of the first user message, which all calls in a conversation share. */
  conversation: string | null
}

type RequestFacts = Pick<CallRow, 'input' | 'conversation'>

const maxInput = 120

/** Facts by record, cached because parsing thousands of bodies is slow. */
const cache = new WeakMap<CallRecord, RequestFacts>()

export function toRow(record: CallRecord, operations: GatewayCore['operations']): CallRow {
  const { operation, rules, matches, requestBody, responseBody, search, startedAt } = record
  const facts =
    cache.get(record) ??
    requestFacts(operations, {
      operation,
      otherwise: hideInQuery(search) || requestBody.text.slice(0, maxInput),
      // The beginning of a body cannot be parsed.
      body: requestBody.truncatedBytes > 0 ? undefined : () => record.body,
    })
  cache.set(record, facts)
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
    rules: rules.map((rule, index) => ({ ...rule, activation: matches[index]?.activation.id ?? '' })),
    unmatched: record.isUnmatched,
    nearMissCount: record.nearMissCount,
    warnings: record.warnings.map(beginning),
    delivery: record.delivery,
    traceId: record.traceId ?? null,
    startedAt: new Date(performance.timeOrigin + startedAt).toISOString(),
    durationMs: elapsed(startedAt, record.endedAt),
    firstByteMs: elapsed(startedAt, record.firstByteAt),
    bytes: responseBody.bytes + responseBody.truncatedBytes,
    tokens: record.tokens,
  }
}

/** Returns the row for a call in a file, with sandbox time instead of real time. */
export function rowOfEntry(
  entry: JournalEntry,
  { sandbox, sandboxName }: Pick<CallRow, 'sandbox' | 'sandboxName'>,
  operations: GatewayCore['operations'],
): CallRow {
  const { id, operation, method, path, status, delivery, durationMs, firstByteMs, traceId } = entry
  const { body, query, requestText, responseBody, timestamp } = entry
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
  return {
    ...requestFacts(operations, {
      operation: operation ?? undefined,
      otherwise: pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : requestText.text.slice(0, maxInput),
      body: requestText.truncatedBytes > 0 ? undefined : () => body,
    }),
    ...{ id, operation, method, path, status, delivery, durationMs, firstByteMs, traceId },
    rules: entry.rules.map((rule) => ({ ...rule, activation: rule.scenario })),
    sandbox,
    sandboxName,
    tokens: entry.usage ? entry.usage.inputTokens + entry.usage.outputTokens : 0,
    model: modelOf(body) ?? null,
    stream: asksForStream(body),
    unmatched: operation === null && entry.rules[0]?.kind !== 'answer',
    nearMissCount: entry.nearMisses.filter((miss) => !isBelowLimit(miss)).length,
    warnings: entry.warnings.map(beginning),
    startedAt: timestamp,
    bytes: responseBody.text.length + responseBody.truncatedBytes,
  }
}

function requestFacts(
  operations: GatewayCore['operations'],
  request: {
    operation: string | undefined
    /** Input of a request without a conversation. */
    otherwise: string
    /** Undefined if only the beginning of the body is stored. */
    body: (() => unknown) | undefined
  },
): RequestFacts {
  const protocol = operations.find(({ id }) => id === request.operation)?.protocol
  if (!protocol || !request.body) return { input: beginning(request.otherwise), conversation: null }
  const conversation = protocol.conversation(request.body())
  return {
    input: beginning(lastOf(conversation)),
    conversation: beginning(firstUserText(conversation)) || null,
  }
}

function lastOf({ items }: Conversation): string {
  const item = items.at(-1)
  if (item?.kind === 'message') return item.text
  if (item?.kind === 'call') return `${item.name} ${item.arguments}`
  if (item?.kind !== 'result') return ''
  const names = items.flatMap((each) => (each.kind === 'call' && each.id === item.id ? [each.name] : []))
  return `result of ${names[0] ?? 'a call'}: ${item.text}`
}

function beginning(text: string): string {
  // Secrets are hidden before the text is cut to its final length, because a truncated secret would not be recognised.
  return oneLine(hideInString(text.slice(0, 10 * maxInput))).slice(0, maxInput)
}
