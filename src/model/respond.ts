/** Responds to a validated request in any protocol, with a single object or a stream. */
import { encodeEvent } from '../http/encode.ts'
import { GatewayError } from '../http/errors.ts'
import { lowerCase } from '../http/header-record.ts'
import { eventStream, ok, type Reply } from '../http/reply.ts'
import type { RequestContext } from '../operation.ts'
import type { Protocol } from '../resources/protocol.ts'
import { withLatency } from '../sandbox/latency.ts'
import type { ScriptedReplyInput } from '../scenarios/scripted-reply.ts'
import { answerPrompt } from './answer.ts'
import { pacedFrames } from './paced-frames.ts'

interface StreamingBody {
  readonly stream?: boolean | null | undefined
}

/** @param keep Called with the object before it is sent. */
export async function respond<Body extends StreamingBody, Result extends { id: string; model: string }>(
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

  const { options } = sandbox
  const { encode = encodeEvent, isDelta, endsWithoutDone = false } = protocol.places
  const reply = body.stream
    ? eventStream(
        pacedFrames(
          {
            events: protocol.events(object, answer, body),
            isToken: isDelta,
            toFrame:
              protocol.writer?.(options) ?? ((event) => ({ kind: 'event', event, wire: encode(event) })),
            endsWithDone: !endsWithoutDone,
          },
          options.latency,
        ),
      )
    : withLatency(ok(object), answer.usage.outputTokens, options.latency)
  return script ? withScriptedHead(reply, script) : reply
}

function withScriptedHead<Value>(
  reply: Reply<Value>,
  { status = reply.status, headers = {} }: ScriptedReplyInput,
): Reply<Value> {
  return { ...reply, status, headers: { ...reply.headers, ...lowerCase(headers) } }
}
