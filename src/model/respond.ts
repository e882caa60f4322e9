/** Responds to a validated request in any protocol, with a single object or a stream. */
import { encodeEvent } from '../http/encode.ts'
import { GatewayError } from '../http/errors.ts'
import { lowerCase } from '../http/header-record.ts'
import { eventStream, type Frame, ok, type Reply, type StreamEvent } from '../http/reply.ts'
import type { RequestContext } from '../operation.ts'
import type { Protocol, StreamPlaces } from '../resources/protocol.ts'
import { type Latency, withLatency } from '../sandbox/latency.ts'
import { answerPrompt } from './answer.ts'
import { hiddenFields } from './script.ts'

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
  let count = () => {}
  const used: typeof context.used = (...usage) => {
    count = () => context.used(...usage)
  }
  const answer = await answerPrompt(protocol.prompt(body, conversation), { ...context, used })
  const object = protocol.object(answer, context)
  keep?.(object)
  const hidden = protocol.shown ? hiddenFields(script?.output ?? [], protocol.shown) : []
  if (hidden.length > 0)
    context.warn(`the reply cannot show these parts of the scripted output: ${hidden.join(', ')}`)
  const { error } = answer.choices[0].end
  const isShown = body.stream || (script?.status !== undefined && protocol.showsFailure)
  if (error && protocol.failureStatus !== undefined && !isShown)
    throw new GatewayError(protocol.failureStatus, error.message, { error_type: error.code })
  count()

  const { latency } = sandbox.options
  const { places, writer } = protocol
  const { encode = encodeEvent } = places
  const toFrame = writer?.(sandbox.options) ?? ((event) => ({ kind: 'event', event, wire: encode(event) }))
  const reply = body.stream
    ? eventStream(pacedFrames(protocol.events(object, answer, body), toFrame, places, latency))
    : withLatency(ok(object), answer.usage.outputTokens, latency)
  if (!script) return reply
  const { status = reply.status, headers = {} } = script
  return { ...reply, status, headers: { ...reply.headers, ...lowerCase(headers) } }
}

/** Yields a stream's frames with pauses before the deltas. Skips events for which `toFrame` returns undefined. */
export function* pacedFrames(
  events: Iterable<StreamEvent>,
  toFrame: (event: StreamEvent) => Frame | undefined,
  { isDelta, endsWithoutDone }: Pick<StreamPlaces, 'isDelta' | 'endsWithoutDone'>,
  { firstToken, perToken }: Latency = { firstToken: 0, perToken: 0 },
): Generator<Frame> {
  if (firstToken > 0) yield { kind: 'wait', ms: firstToken }
  for (const event of events) {
    if (perToken > 0 && isDelta(event)) yield { kind: 'wait', ms: perToken }
    const frame = toFrame(event)
    if (frame) yield frame
  }
  if (!endsWithoutDone) yield { kind: 'done' }
}
