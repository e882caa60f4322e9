/** Converts a recording to a reply with the recorded chunks, times and ending, or to a scenario. */
import { Router } from '../../gateway/router.ts'
import { HeaderRecord } from '../../http/header-record.ts'
import type { Reply } from '../../http/reply.ts'
import { decodeUtf8, toLatin1 } from '../../lib/bytes.ts'
import { parseJson } from '../../lib/json.ts'
import type { AnyOperation } from '../../operation.ts'
import type { KnownOperation } from '../../scenarios/check-scenario.ts'
import type { OperationName } from '../../scenarios/names.ts'
import type { Rule, Scenario } from '../../scenarios/scenario.ts'
import type { ScriptedFrame, ScriptedReply } from '../../scenarios/scripted-reply.ts'
import { lastEvent } from './events.ts'
import { bodyOf, bytesOf, type Recording, rounded } from './recording.ts'
import { comparableBody, defaultIgnoreFields, parsedBody } from './request-key.ts'
import { isPlaceholder } from './secrets.ts'
import { isHopByHop } from './upstream.ts'

/**
 * @param elapsed Returns milliseconds of sandbox time since the request arrived. Late chunks are not delayed further.
 * @returns The reply, and the number of milliseconds until its head is sent.
 */
export function toReplay(recording: Recording, elapsed: () => number): { waitMs: number; reply: Reply } {
  const { reply, end } = recording
  if (!reply) {
    const body = { kind: 'hang-up', how: hangUpOf(recording) ?? 'end' } as const
    return { waitMs: (end?.ms ?? 0) - elapsed(), reply: { status: 0, headers: {}, body } }
  }
  const { status } = reply
  const headers = replayedHeaders(recording)
  const json = jsonOf(recording)
  if (json) {
    delete headers['content-length']
    return { waitMs: (end?.ms ?? 0) - elapsed(), reply: { status, headers, body: json } }
  }
  const body = { kind: 'frames', frames: framesOf(recording, elapsed) } as const
  return { waitMs: reply.ms - elapsed(), reply: { status, headers, body } }
}

/** Returns a JSON body as a value that faults can change, with its exact text; undefined for any other body. */
function jsonOf(recording: Recording): { kind: 'json'; value: unknown; text: string } | undefined {
  const type = recording.reply?.headers['content-type'] ?? ''
  if (!/^application\/(?:json|[^;]+\+json)\b/i.test(type) || hangUpOf(recording)) return undefined
  const text = decodeUtf8(bodyOf(recording))
  const value = parseJson(text)
  return text === undefined || value === undefined ? undefined : { kind: 'json', value, text }
}

type RecordedFrame =
  | { kind: 'wait'; ms: number }
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'hang-up'; how: 'reset' | 'stall' }

/** @param start Called when the first frame is read. Returns the number of milliseconds already elapsed. */
function* framesOf(recording: Recording, start: () => number): Generator<RecordedFrame> {
  const { chunks, end } = recording
  let at = start()
  for (const chunk of chunks) {
    yield* waitUntil(chunk.ms)
    yield { kind: 'bytes', bytes: bytesOf(chunk) }
  }
  if (end) yield* waitUntil(end.ms)
  const how = hangUpOf(recording)
  if (how) yield { kind: 'hang-up', how }

  function* waitUntil(ms: number): Generator<RecordedFrame> {
    const wait = ms - at
    at = Math.max(at, ms)
    if (wait > 0) yield { kind: 'wait', ms: wait }
  }
}

const omittedHeaders = ['content-encoding', 'date']

export function replayedHeaders({ reply }: Recording): Record<string, string> {
  const headers = Object.entries(reply?.headers ?? {}).filter(
    ([name, value]) =>
      !omittedHeaders.includes(name) &&
      !isHopByHop(name) &&
      !isPlaceholder(value) &&
      HeaderRecord.safeParse({ [name]: value }).success,
  )
  return Object.fromEntries(headers)
}

function hangUpOf(recording: Recording): 'reset' | 'stall' | undefined {
  const how = recording.end?.end
  if (how === 'idle') return 'stall'
  const isComplete = () => lastEvent.test(new TextDecoder().decode(bodyOf(recording)))
  return how === 'reset' || (how === 'aborted-by-client' && !isComplete()) ? 'reset' : undefined
}

/**
 * Converts a recording to a one-rule scenario that you can use or edit. The rule matches requests with the
 * same body fields, and ignores redacted text. A recording without a request matches every request.
 */
export function recordingScenario(recording: Recording, operations: readonly KnownOperation[]): Scenario {
  const { operation, key } = recording.head
  const name = `recording-${operation}-${key || 'capture'}`.replace(/[^\w.-]+/g, '-').slice(0, 100)
  return { name, rules: [toRule(recording, operations)] }
}

function toRule(recording: Recording, operations: readonly KnownOperation[]): Rule {
  const { head, request, reply, end } = recording
  // The router reads only fields that known operations have.
  const router = new Router(operations as readonly AnyOperation[])
  const { operation, params = {} } = request ? router.find(request.method, request.path) : {}
  const rule: Rule = {
    name: 'recorded',
    // A request to an unknown operation is matched by its method and path.
    on: (operation?.id ?? (request ? `${request.method} ${request.path}` : '*')) as OperationName,
    ...whenOf(recording, params),
  }
  if (!end) throw new TypeError(`The recording of ${head.operation} has a request, but no reply yet`)
  if (!reply) return { ...rule, fault: { name: end.end === 'idle' ? 'timeout' : 'connection-reset' } }
  const json = jsonOf(recording)
  const headers = replayedHeaders(recording)
  // Text with braces would be a template.
  if (json && !json.text.includes('{{')) {
    const { 'content-length': _, ...others } = headers
    return {
      ...rule,
      reply: { status: reply.status, headers: others, body: json.value as ScriptedReply['body'] },
    }
  }
  const frames: RecordedFrame[] = [
    ...(reply.ms > 0 ? [{ kind: 'wait', ms: reply.ms } as const] : []),
    ...framesOf(recording, () => reply.ms),
  ]
  return {
    ...rule,
    reply: { status: reply.status, headers, frames: frames.map(toScripted) },
  }
}

/** Returns one condition for the query and one for each body field, so that near misses name the field. */
function whenOf({ request }: Recording, params: Readonly<Record<string, string>>): Pick<Rule, 'when'> {
  if (!request) return {}
  const query = Object.fromEntries(new URLSearchParams(request.query))
  const fields = comparableBody(parsedBody(request), defaultIgnoreFields)
  const body =
    typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? Object.entries(fields) : []
  const when = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body.length > 0 && { body: Object.fromEntries(body.map(([name, equals]) => [name, { equals }])) }),
  }
  return Object.keys(when).length > 0 ? { when } : {}
}

function toScripted(frame: RecordedFrame): ScriptedFrame {
  if (frame.kind === 'wait') return { wait: rounded(frame.ms) }
  if (frame.kind === 'hang-up') return { hangUp: frame.how }
  const text = decodeUtf8(frame.bytes)
  // Text with braces is stored as base64, because scripted text is a template.
  return text === undefined || text.includes('{{') ? { base64: btoa(toLatin1(frame.bytes)) } : { bytes: text }
}
