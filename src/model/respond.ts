/** Responds to a validated request in any protocol, with a single object or a stream. */
import { encodeEvent } from '../http/encode.ts'
import { GatewayError } from '../http/errors.ts'
import { lowerCase } from '../http/header-record.ts'
import { eventStream, type Frame, ok, type Reply, type StreamEvent } from '../http/reply.ts'
import type { RequestContext } from '../operation.ts'
import type { Protocol } from '../resources/protocol.ts'
import { type Latency, withLatency } from '../sandbox/latency.ts'
import { answerPrompt } from './answer.ts'

/** @param keep Called with the object before it is sent. */
export async function respond<
  Body extends { stream?: boolean | null | undefined },
  Result extends { id: string; model: string },
>(
  protocol: Protocol<Body, Result>,
  context: RequestContext<unknown, unknown, Body>,
  keep?: (object: Result) => void,
): Promise<Reply<Result>> {
  const { body, conversation, script, sandbox } = context
  const answer = await answerPrompt(protocol.prompt(body, conversation), context)
  const object = protocol.object(answer, context)
  keep?.(object)
  const { error } = answer.choices[0].end
  if (error && protocol.failureStatus !== undefined && !body.stream)
    throw new GatewayError(protocol.failureStatus, error.message, { error_type: error.code })

  const { latency } = sandbox.options
  const { encode = encodeEvent, isDelta: isToken, endsWithoutDone = false } = protocol.places
  const toFrame =
    protocol.writer?.(sandbox.options) ?? ((event) => ({ kind: 'event', event, wire: encode(event) }))
  const stream = () => ({
    events: protocol.events(object, answer, body),
    isToken,
    toFrame,
    endsWithDone: !endsWithoutDone,
  })
  const reply = body.stream
    ? eventStream(pacedFrames(stream(), latency))
    : withLatency(ok(object), answer.usage.outputTokens, latency)
  if (!script) return reply
  const { status = reply.status, headers = {} } = script
  return { ...reply, status, headers: { ...reply.headers, ...lowerCase(headers) } }
}

interface EventStream {
  readonly events: Iterable<StreamEvent>
  /** Returns true if the event contains a token. Pauses come before these events. */
  isToken(event: StreamEvent): boolean
  /** Converts an event to a frame. Returns undefined to skip the event. */
  toFrame(event: StreamEvent): Frame | undefined
  /** If true, the stream ends with the literal `[DONE]`. */
  readonly endsWithDone: boolean
}

/** Yields a stream's frames, which are created on demand. */
export function* pacedFrames(
  { events, isToken, toFrame, endsWithDone }: EventStream,
  { firstToken, perToken }: Latency = { firstToken: 0, perToken: 0 },
): Generator<Frame, undefined> {
  if (firstToken > 0) yield { kind: 'wait', ms: firstToken }
  for (const event of events) {
    if (perToken > 0 && isToken(event)) yield { kind: 'wait', ms: perToken }
    const frame = toFrame(event)
    if (frame) yield frame
  }
  if (endsWithDone) yield { kind: 'done' }
  return undefined
}
