/**
 * Step 11: what becomes of a reply before it is delivered: the contract check, errors in the envelope of the vendor or
 * the protocol, and faults.
 */
import type { AssumptionName } from '../assumptions.ts'
import { toBytes } from '../http/encode.ts'
import { GatewayError, SchemaViolation, toReply } from '../http/errors.ts'
import type { Frame, Reply } from '../http/reply.ts'
import { toViolations } from '../http/violations.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { check } from '../lib/check.ts'
import { pricingOf, providersOf } from '../model/catalogue.ts'
import type { AnyOperation } from '../operation.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { AnsweredCall, Dialect } from './extra.ts'
import type { GatewayCore } from './gateway.ts'
import type { Effect } from './match-rule.ts'

/** The reply with the faults of the rule, and the headers of a rate limit. */
export function finish(reply: Reply, { faults, charge }: Effect, record: CallRecord<SandboxState>): Reply {
  const headers = charge?.(record.tokens)
  const faulty = faults ? faults.distort(reply) : reply
  if (faults && record.state.options.timeScale > 0) warnOfRealWait(faulty, record)
  return headers ? { ...faulty, headers: { ...headers, ...faulty.headers } } : faulty
}

/** Seconds of `Retry-After` that clients wait without a test noticing. */
const unnoticed = 5

/** A client sleeps in real time, whatever the sandbox clock says. */
function warnOfRealWait({ status, headers }: Reply, record: CallRecord): void {
  const seconds = Number(headers['retry-after'])
  if (status !== 429 || !(seconds > unnoticed)) return
  record.warn(
    `Retry-After is ${seconds} s, and clients that retry by themselves sleep this long in real time: set their retries to 0, or shorten the rate limit`,
  )
}

/** Frozen bodies that were checked before, serialised: list replies are made once and sent often. */
const checked = new WeakMap<object, { text: string; bytes: Uint8Array }>()

/** Checks a resolver's reply against its schema. Throws a loud 500 for a mismatch. */
export function checkContract(operation: AnyOperation, reply: Reply): Reply {
  const { body, status } = reply
  if (body.kind !== 'json' || status >= 300) return reply
  const { value } = body
  const known = typeof value === 'object' && value !== null ? checked.get(value) : undefined
  if (known) return { ...reply, body: { kind: 'json', value, ...known } }

  const { error } = check(operation.output, value)
  if (error) throw new SchemaViolation(operation.id, toViolations(error, 'reply'))
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return reply
  const text = JSON.stringify(value)
  const serialised = { text, bytes: toBytes(text) }
  checked.set(value, serialised)
  return { ...reply, body: { kind: 'json', value, ...serialised } }
}

/** Translates a reply to the form of a vendor. */
export async function speakDialect(
  dialect: Dialect,
  reply: Reply,
  record: CallRecord<SandboxState>,
): Promise<Reply> {
  const { body, status } = reply
  if (status >= 400 || (body.kind !== 'json' && body.kind !== 'frames')) return reply
  const { operation = '', headers, asked, usage, state } = record
  const model = usage?.model ?? record.model ?? ''
  const pricing = await pricingOf(model, state.tables)
  const [provider] = await providersOf(model, state.tables)
  const call: AnsweredCall = {
    operation,
    headers,
    seed: state.seed,
    model,
    provider: provider?.name ?? '',
    asked,
    cost: usage?.cost ?? 0,
    prices: { prompt: Number(pricing?.prompt ?? 0), completion: Number(pricing?.completion ?? 0) },
  }
  if (body.kind === 'frames')
    return { ...reply, body: { kind: 'frames', frames: spokenFrames(dialect, body.frames, call) } }
  const value = dialect.reply ? dialect.reply(body.value, call) : body.value
  return value === body.value ? reply : { ...reply, body: { kind: 'json', value } }
}

function* spokenFrames(dialect: Dialect, frames: Iterable<Frame>, call: AnsweredCall): Generator<Frame> {
  if (dialect.comment !== undefined) yield { kind: 'bytes', bytes: `: ${dialect.comment}\n\n` }
  for (const frame of frames) {
    const event = frame.kind === 'event' && dialect.event ? dialect.event(frame.event, call) : undefined
    if (frame.kind !== 'event' || !event || event === frame.event) yield frame
    else {
      const name = frame.wire?.startsWith('event: ') ? `event: ${event.type}\n` : ''
      yield { kind: 'event', event, wire: `${name}data: ${JSON.stringify(event)}\n\n` }
    }
  }
}

/** The reply to a request that a step refused. Any other error is our bug, and a loud 500. */
export function toErrorReply(gateway: GatewayCore, record: CallRecord, error: unknown): Reply {
  if (error instanceof GatewayError && !(error instanceof SchemaViolation)) {
    const usual = record.assumptions.length === 0 ? assumptionOf[error.status] : undefined
    const assumption = error.assumption ?? usual
    if (assumption) record.assume(assumption)
    return inOwnEnvelope(gateway, record, toReply(error))
  }
  const { message, stack } = error as Error
  record.broken(stack ?? message)
  const metadata = error instanceof SchemaViolation ? error.metadata : undefined
  const bug = new GatewayError(500, `Mistake in understudy: ${message}`, metadata)
  return inOwnEnvelope(gateway, record, toReply(bug))
}

/** The assumption that a refusal rests on, by its status; an error may name another. Spec: Errors, 2 and 3. */
const assumptionOf: Record<number, AssumptionName> = {
  400: 'violations',
  401: 'authentication',
  404: 'unknownPath',
  405: 'unknownPath',
  413: 'requestBody',
  415: 'requestBody',
}

/** An error as the vendor of the dialect and the protocol of the operation write it; other replies unchanged. */
export function inOwnEnvelope({ dialect, router }: GatewayCore, record: CallRecord, reply: Reply): Reply {
  if (reply.status < 400) return reply
  const theirs =
    dialect?.error && reply.body.kind === 'json'
      ? {
          ...reply,
          body: { kind: 'json' as const, value: dialect.error(Object(reply.body.value), reply.status) },
        }
      : reply
  const protocol = router.operation(record.operation)?.protocol
  if (!protocol?.error || theirs.body.kind !== 'json') return theirs
  const { error } = (theirs.body.value ?? {}) as { error?: { message?: unknown } }
  if (typeof error?.message !== 'string') return theirs
  return {
    ...theirs,
    body: { kind: 'json', value: protocol.error(reply.status, error.message, record.id) },
  }
}
