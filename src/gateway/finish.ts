/** Step 11: completes a reply before delivery: schema check, dialect, error envelope and faults. */
import type { AssumptionName } from '../assumptions.ts'
import { isTextDelta } from '../faults/position.ts'
import { toBytes } from '../http/encode.ts'
import { errorMessageOf, GatewayError, toReply, type Violation } from '../http/errors.ts'
import { announcesEvents, changeFrames, type Frame, type Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { CallUsage } from '../journal/ledger.ts'
import { fieldsOf } from '../lib/json.ts'
import { readAt } from '../lib/value-path.ts'
import type { AnyOperation } from '../operation.ts'
import type { StreamPlaces } from '../resources/protocol.ts'
import type { Gate } from '../scenarios/gate.ts'
import type { ReceivedCall } from './call.ts'
import { validate } from './check.ts'
import type { Effect } from './match-rule.ts'

/** @param isFixed If true, the reply is scripted or recorded in one format. */
export function finish(
  received: ReceivedCall,
  reply: Reply,
  { faults, charge, gates = [] }: Effect,
  isFixed?: boolean,
): Reply {
  const { gateway, record } = received
  const { idHeader } = errorProtocolOf(received) ?? {}
  const headers = { ...(idHeader && { [idHeader]: record.id }), ...charge?.(record.tokens) }
  const changed = faults ? faults.applyToReply(reply, isFixed) : reply
  const faulty = countSent(received, holdStream(received, changed, gates))
  if (faults && record.state.options.timeScale > 0) warnOfRealWait(faulty, record)
  const { keepAlive: ms } = record.state.options.stream
  const finished = { ...faulty, headers: { ...headers, ...faulty.headers } }
  if (ms === undefined || !announcesEvents(finished.headers)) return finished
  const keepAlive = { ms, comment: gateway.dialect?.comment ?? 'keep-alive' }
  return { ...finished, transport: { ...finished.transport, keepAlive } }
}

/** Counts a stream's deltas (one token each) as they are sent, because a stream may end before its answer does. */
function countSent({ record, operation }: ReceivedCall, reply: Reply): Reply {
  const { usage } = record
  const { places } = operation?.protocol ?? {}
  if (reply.body.kind !== 'frames' || !places || !usage) return reply
  record.note({ sentTokens: { outputTokens: 0, reasoningTokens: 0 } })
  return changeFrames(reply, (frames) => countDeltas(frames, record, usage, places))
}

function* countDeltas(frames: Iterable<Frame>, record: CallRecord, whole: CallUsage, places: StreamPlaces) {
  for (const frame of frames) {
    // The next frame is read once this one has been sent.
    yield frame
    const { sentTokens: sent } = record
    if (frame.kind !== 'event' || !sent) continue
    const { event } = frame
    if (places.isDelta(event)) {
      sent.outputTokens++
      if (whole.reasoningTokens > 0 && places.isReasoningDelta(event)) sent.reasoningTokens++
    } else if (places.isFinal(event)) {
      const { status, usage } = fieldsOf(event['response'])
      // A failure that reports all usage ends the answer itself.
      const isCut = status === 'failed' && fieldsOf(usage)['output_tokens'] !== whole.outputTokens
      if (!event['error'] && !isCut) record.note({ sentTokens: undefined })
    }
  }
}

function holdStream(received: ReceivedCall, reply: Reply, gates: readonly Gate[]): Reply {
  if (!gates.some(({ options }) => options.at === 'event')) return reply
  if (reply.body.kind !== 'frames' && reply.status < 400)
    received.record.warn('hold() found no event to hold: the reply is not a stream')
  return changeFrames(reply, (frames) => holdEvents(received, frames, gates))
}

/** Holds events at gates. In a stream without events, such as a recording, every chunk of bytes counts as an event. */
function* holdEvents(
  { call, record, operation }: ReceivedCall,
  frames: Iterable<Frame>,
  gates: readonly Gate[],
): Generator<Frame> {
  const { places } = operation?.protocol ?? {}
  let deltas = 0
  for (const frame of frames) {
    const isComment = frame.kind === 'bytes' && [':', 58].includes(frame.bytes[0] ?? '')
    if (frame.kind !== 'wait' && frame.kind !== 'hang-up' && !isComment) {
      const holds = gates.flatMap((gate) => gate.hold(record, call.sink.disconnected, deltas) ?? [])
      if (holds.length > 0) yield { kind: 'wait', ms: 0, until: Promise.all(holds) }
      if (frame.kind !== 'event' || !places || isTextDelta(frame, places)) deltas++
    }
    yield frame
  }
}

/** Longest `Retry-After`, in seconds, that does not cause a warning. */
const maxQuietSeconds = 5

/** Warns about a long `Retry-After`, because clients sleep in real time, regardless of the sandbox clock. */
function warnOfRealWait({ headers }: Reply, record: CallRecord): void {
  const seconds = Number(headers['retry-after'])
  if (!(seconds > maxQuietSeconds)) return
  record.warn(
    `Retry-After is ${seconds} s: clients that retry automatically sleep this long in real time, so disable their retries or send a shorter Retry-After`,
  )
}

/** Bodies that have passed the check. List replies are frozen and shared, so they are serialised only once. */
const checked = new WeakMap<object, { operation: AnyOperation; body: Reply['body'] }>()

/** Throws 500 for a resolver's reply that does not match its schema. */
export async function checkContract(operation: AnyOperation, reply: Reply): Promise<Reply> {
  const { body, status } = reply
  if (body.kind !== 'json' || status >= 300) return reply
  const { value } = body
  let cached = checked.get(value as object)
  if (cached?.operation !== operation) {
    const { violations } = await validate(operation.output, value, 'reply')
    if (violations) throw contractError(operation, violations)
    // A value other than an object counts as frozen.
    if (Object(value) !== value || !Object.isFrozen(value)) return reply
    const text = JSON.stringify(value)
    cached = { operation, body: { kind: 'json', value, text, bytes: toBytes(text) } }
    checked.set(value as object, cached)
  }
  return { ...reply, body: cached.body }
}

function contractError({ id, isCustom }: AnyOperation, violations: readonly Violation[]): Error {
  const list = violations.map(({ path, message }) => `${path}: ${message}`).join('; ')
  const subject = isCustom ? `the reply from resolve() of the '${id}' operation` : `the reply of ${id}`
  const message = `${subject} violates its schema: ${list}`
  return isCustom ? new GatewayError(500, message, { violations }) : new Error(message)
}

/** Any error that is not a `GatewayError` is reported as a bug with a 500. */
export function errorReply(received: ReceivedCall, error: unknown): Reply {
  const { record } = received
  if (error instanceof GatewayError) {
    const byStatus = record.assumptions.length === 0 ? assumptionOf[error.status] : undefined
    const assumption = error.assumption ?? byStatus
    if (assumption) record.assume(assumption)
    if (error.detail !== undefined) record.note({ error: `${error.message}: ${error.detail}` })
    // The first stack frame outside Node and packages: the line at which the resolver threw.
    const frame = /^ +(at (?!.*(?:node:|node_modules)).+)$/m.exec(Object(error.cause).stack)?.[1]
    if (frame) record.note({ error: `${error.message} ${frame}` })
    return inEnvelope(received, toReply(error))
  }
  const { message, stack } = error as Error
  record.note({ schemaViolation: true })
  record.warn(String(stack))
  return inEnvelope(received, toReply(new GatewayError(500, `Bug in Understudy: ${message}`)))
}

/** Assumption behind an error, by status, unless the error names its own. Spec: Errors 2, Errors 3. */
const assumptionOf: Record<number, AssumptionName> = {
  400: 'violations',
  401: 'authentication',
  404: 'unknownPath',
  405: 'unknownPath',
  426: 'unknownPath',
  413: 'requestBody',
  415: 'requestBody',
}

/** Returns the operation's protocol. If it has none, returns the protocol whose client header the request contains. */
function errorProtocolOf({ gateway, record, operation }: ReceivedCall): AnyOperation['errorProtocol'] {
  const { protocol, errorProtocol = protocol } = operation ?? {}
  const hasHeader = (name = '') => record.headers[name] !== undefined
  return errorProtocol ?? gateway.operations.find((each) => hasHeader(each.protocol?.clientHeader))?.protocol
}

export function inEnvelope(received: ReceivedCall, reply: Reply): Reply {
  const { gateway, record } = received
  const { body, status } = reply
  if (status < 400) return reply
  const withJson = (value: object): Reply => ({ ...reply, body: { kind: 'json', value } })
  const value = body.kind === 'json' && gateway.dialect?.error?.(Object(body.value), status, record)
  const translated = value ? withJson(value) : reply
  const protocol = errorProtocolOf(received)
  const message = errorMessageOf(translated)
  if (!protocol?.error || message === undefined) return translated
  const metadata = fieldsOf(readAt(body, ['value', 'error', 'metadata']))
  return withJson(protocol.error(status, message, record.id, metadata))
}
