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
  let silence = yield* longWait(firstEventMs, 0, keepAliveMs)
  for (const event of events) {
    if (pace && isToken(event)) {
      const ms = pace()
      // Nearly every pause is short, and a thousand streams wait at a time: these need no generator of their own.
      if (ms > 0 && silence + ms < keepAliveMs) {
        yield { kind: 'wait', ms }
        silence += ms
      } else silence = yield* longWait(ms, silence, keepAliveMs)
    }
    const frame = toFrame(event)
    if (!frame) continue
    yield frame
    silence = 0
  }
  if (endsWithDone) yield { kind: 'done' }
}

/** With signs of life. Returns how long nothing has been sent by then. */
function* longWait(ms: number, silence: number, keepAliveMs: number): Generator<Frame, number> {
  for (let left = ms; left > 0; ) {
    const step = Math.min(left, keepAliveMs - silence)
    yield { kind: 'wait', ms: step }
    left -= step
    silence += step
    if (silence < keepAliveMs) continue
    yield { kind: 'bytes', bytes: ': keep-alive\n\n' }
    silence = 0
  }
  return silence
}

/** How long to wait before each token, in milliseconds. */
function pacer(id: string, { seed, tokensPerSecond, jitter }: PaceOptions): (() => number) | undefined {
  if (tokensPerSecond === undefined) return undefined
  const pause = 1000 / tokensPerSecond
  if (jitter === 0) return () => pause
  const draw = random(seed, 'pace', id)
  return () => pause * (1 + jitter * (2 * draw() - 1))
}
