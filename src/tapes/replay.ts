/**
 * A tape as a reply: its bytes in their chunks, at their times, with its ending.
 */
import { HeaderRecord } from '../http/header-record.ts'
import type { Frame, Reply } from '../http/reply.ts'
import { isPlaceholder } from './secret-finder.ts'
import { bodyOf, bytesOf, type Tape } from './tape.ts'

/** About one connection, or not true of what is replayed. */
const leftOut = new Set([
  'connection',
  'content-encoding',
  'date',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * @param speed Twice as fast at 2; 0 waits for nothing.
 * @param elapsed Milliseconds of sandbox time since the request came: what was late already is not waited for again.
 * @returns The reply, and the milliseconds until its head.
 */
export function toReplay(
  tape: Tape,
  speed: number,
  elapsed: () => number = () => 0,
): { waitMs: number; reply: Reply } {
  const { reply, end } = tape
  const scale = (ms: number) => (speed > 0 ? Math.max(0, ms) / speed : 0)
  if (!reply) {
    const how = hangUpOf(tape) ?? 'end'
    return {
      waitMs: scale(end?.ms ?? 0) - elapsed(),
      reply: { status: 0, headers: {}, body: { kind: 'hang-up', how } },
    }
  }
  const frames = {
    *[Symbol.iterator]() {
      yield* framesOf(tape, scale, elapsed)
    },
  }
  return {
    waitMs: scale(reply.ms) - elapsed(),
    reply: { status: reply.status, headers: replayedHeaders(tape), body: { kind: 'frames', frames } },
  }
}

function* framesOf(
  { chunks, end, ...tape }: Tape,
  scale: (ms: number) => number,
  elapsed: () => number,
): Generator<Frame> {
  let at = elapsed()
  for (const chunk of chunks) {
    yield* waitUntil(chunk.ms)
    yield { kind: 'bytes', bytes: bytesOf(chunk) }
  }
  if (end) yield* waitUntil(end.ms)
  const how = hangUpOf({ chunks, end, ...tape })
  if (how) yield { kind: 'hang-up', how }

  function* waitUntil(ms: number): Generator<Frame> {
    const wait = scale(ms) - at
    at = Math.max(at, scale(ms))
    if (wait > 0) yield { kind: 'wait', ms: wait }
  }
}

/** The headers of the reply as they may be sent again; what was redacted is left out. */
export function replayedHeaders({ reply }: Tape): Record<string, string> {
  const kept = Object.entries(reply?.headers ?? {}).filter(
    ([name, value]) =>
      !leftOut.has(name) && !isPlaceholder(value) && HeaderRecord.safeParse({ [name]: value }).success,
  )
  return Object.fromEntries(kept)
}

/** How the connection ends, where it does not end well. A client who left after the last event has seen everything. */
export function hangUpOf(tape: Tape): 'reset' | 'silence' | undefined {
  switch (tape.end?.end) {
    case 'reset':
      return 'reset'
    case 'idle':
      return 'silence'
    case 'client-left':
      return isComplete(tape) ? undefined : 'reset'
    default:
      return undefined
  }
}

function isComplete(tape: Tape): boolean {
  const text = new TextDecoder().decode(bodyOf(tape))
  return /^data: ?\[DONE\]|"type": ?"(?:response\.(?:completed|failed|incomplete)|message_stop)"/m.test(text)
}
