/**
 * A tape as a scenario of one rule: for `gateway.use(tape)`, and for people who want to go on by hand from what was
 * recorded.
 */
import type { KnownOperation } from '../rules/check-scenario.ts'
import type { OperationName } from '../rules/operation-name.ts'
import type { RuleInput, ScenarioInput } from '../rules/scenario-input.ts'
import type { ScriptedFrame } from '../rules/scripted-reply.ts'
import { hangUpOf, replayedHeaders } from './replay.ts'
import { comparableBody, parsedBody, volatileFields } from './request-key.ts'
import type { Tape, TapeRequest } from './tape.ts'

/**
 * A tape with a request answers requests like it, whose body has the same fields; one without answers every call. With
 * `--redact-text` the texts do not count, as nobody knows them.
 *
 * @param volatile Paths of the body that do not count. Default: `volatileFields`.
 */
export function tapeScenario(
  tape: Tape,
  operations: readonly KnownOperation[],
  volatile: readonly string[] = volatileFields,
): ScenarioInput {
  const { operation, key } = tape.head
  const name = `tape-${operation}-${key || 'capture'}`.replace(/[^\w.-]+/g, '-').slice(0, 100)
  return { name, rules: [tapeRule(tape, operations, volatile)] }
}

function tapeRule(tape: Tape, operations: readonly KnownOperation[], volatile: readonly string[]): RuleInput {
  const { head, request, reply } = tape
  const operation = request && operations.find((each) => paramsOf(each, request) !== undefined)
  const rule: RuleInput = {
    name: 'recorded',
    // Of operations that are known here, and methods as they are sent.
    on: (operation?.id ?? (request ? `${request.method} ${request.path}` : '*')) as OperationName,
    ...whenOf(tape, operation, volatile),
  }
  if (!tape.end) throw new TypeError(`The tape of ${head.operation} has a request and no reply yet`)
  if (!reply) return { ...rule, fault: { name: tape.end.end === 'idle' ? 'timeout' : 'connection-reset' } }
  return {
    ...rule,
    reply: { status: reply.status, headers: replayedHeaders(tape), frames: [...frames(tape)] },
  }
}

/** Query and body of the request, field by field, so that a miss says which one differs. */
function whenOf(
  { head, request }: Tape,
  operation: KnownOperation | undefined,
  volatile: readonly string[],
): Pick<RuleInput, 'when'> {
  if (!request) return {}
  const params = (operation && paramsOf(operation, request)) ?? {}
  const query = Object.fromEntries(new URLSearchParams(request.query))
  const fields = head.bodyHash === undefined ? comparableBody(parsedBody(request), volatile) : undefined
  const body =
    typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? Object.entries(fields) : []
  const when = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body.length > 0 && { body: Object.fromEntries(body.map(([name, equals]) => [name, { equals }])) }),
  }
  return Object.keys(when).length > 0 ? { when } : {}
}

/** The path parameters of a request to an operation; undefined where it is another's. */
function paramsOf(
  operation: KnownOperation,
  { method, path }: TapeRequest,
): Record<string, string> | undefined {
  const [template, segments] = [operation.path.split('/'), path.split('/')]
  const isOurs = method === operation.method.toUpperCase() && template.length === segments.length
  if (!isOurs || !template.every((part, index) => part.startsWith('{') || part === segments[index]))
    return undefined
  const named = template.flatMap((part, index) =>
    part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(segments[index] ?? '')]] : [],
  )
  return Object.fromEntries(named)
}

function* frames(tape: Tape): Generator<ScriptedFrame> {
  const { reply, chunks, end } = tape
  let at = 0
  function* waitUntil(ms: number): Generator<ScriptedFrame> {
    if (ms > at) yield { wait: Math.round((ms - at) * 100) / 100 }
    at = Math.max(at, ms)
  }
  yield* waitUntil(reply?.ms ?? 0)
  for (const chunk of chunks) {
    yield* waitUntil(chunk.ms)
    yield 'text' in chunk ? asRecorded(String(chunk.text)) : { base64: String(chunk.base64) }
  }
  yield* waitUntil(end?.ms ?? 0)
  const how = hangUpOf(tape)
  if (how) yield { hangUp: how }
}

/** Recorded braces are no template. */
function asRecorded(text: string): ScriptedFrame {
  if (!text.includes('{{')) return { bytes: text }
  const bytes = new TextEncoder().encode(text)
  return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) }
}
