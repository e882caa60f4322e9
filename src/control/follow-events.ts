/**
 * The calls of a running server, followed from afar while they happen.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { CallSummary } from '../journal/call-summary.ts'
import type { ControlClient } from './client.ts'

export type GatewayEvent =
  /** Calls that were answered, or whose delivery is over, since the last event. */
  | { id: string; event: 'calls'; calls: CallSummary[] }
  /** Some were missed, or this is the first event: read the journal anew. */
  | { id: string; event: 'resync' }

export interface FollowOptions {
  /** The id of the last event seen: what came since is sent. Default: from now on. */
  after?: string | undefined
  /** Ends the stream; the loop then ends too. */
  signal?: AbortSignal | undefined
}

export async function* followEvents(
  client: ControlClient,
  { after, signal }: FollowOptions,
): AsyncGenerator<GatewayEvent, void> {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
  try {
    const { body } = await client.response('followEvents', {}, { headers, signal })
    const events = (body as NonNullable<typeof body>)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const { id = '', event, data } of events) {
      if (event === 'calls') yield { id, event, calls: JSON.parse(data).calls }
      else if (event === 'resync') yield { id, event }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}
