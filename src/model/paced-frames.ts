/**
 * The events of an answer as the frames of a stream, in whatever protocol: paced by the tokens that they tell, with
 * signs of life in long pauses.
 */
import type { Frame, StreamEvent } from '../http/reply.ts'
import { random } from '../lib/seed.ts'
import type { GatewayOptions } from '../sandbox/options.ts'
import { drawLatency } from './latency.ts'

export type PaceOptions = Pick<
  GatewayOptions,
  'seed' | 'firstEventMs' | 'tokensPerSecond' | 'jitter' | 'keepAliveMs' | 'latencyProfile'
>

export interface EventStream {
  /** Of the answer: pauses that vary are drawn for it. */
  readonly id: string
  /** That answers: a latency profile knows its times. */
  readonly model: string
  readonly events: Iterable<StreamEvent>
  /** Whether a token is told by this event: those are what a paced stream waits for. */
  isToken(event: StreamEvent): boolean
  /** The event as it is sent; undefined for one that is left out. */
  toFrame(event: StreamEvent): Frame | undefined
  /** The literal `[DONE]` at the end. Default: true. */
  readonly endsWithDone?: boolean
}

/** Every frame of the stream, each made when it is asked for. */
export function* pacedFrames(
  { id, model, events, isToken, toFrame, endsWithDone = true }: EventStream,
  options: PaceOptions,
): Generator<Frame> {
  const { keepAliveMs = Number.POSITIVE_INFINITY } = options
  const drawn = drawLatency({ id, model }, options)
  const firstEventMs = drawn?.firstMs ?? options.firstEventMs
  const pace = drawn?.gapMs ?? pacer(id, options)
  /** Milliseconds that nothing has been sent. */
  let silence = 0

  function* wait(ms: number): Generator<Frame> {
    for (let left = ms; left > 0; ) {
      const step = Math.min(left, keepAliveMs - silence)
      yield { kind: 'wait', ms: step }
      left -= step
      silence += step
      if (silence < keepAliveMs) continue
      yield { kind: 'bytes', bytes: ': keep-alive\n\n' }
      silence = 0
    }
  }

  yield* wait(firstEventMs)
  for (const event of events) {
    if (pace && isToken(event)) {
      const ms = pace()
      // Nearly every pause is short, and a thousand streams wait at a time: these need no generator of their own.
      if (ms > 0 && silence + ms < keepAliveMs) {
        yield { kind: 'wait', ms }
        silence += ms
      } else yield* wait(ms)
    }
    const frame = toFrame(event)
    if (!frame) continue
    yield frame
    silence = 0
  }
  if (endsWithDone) yield { kind: 'done' }
}

/** How long to wait before each token, in milliseconds. */
function pacer(id: string, { seed, tokensPerSecond, jitter }: PaceOptions): (() => number) | undefined {
  if (tokensPerSecond === undefined) return undefined
  const pause = 1000 / tokensPerSecond
  const draw = random(seed, 'pace', id)
  return () => pause * (1 + jitter * (2 * draw() - 1))
}
