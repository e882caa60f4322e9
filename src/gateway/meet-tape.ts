/**
 * Step: what was recorded for a call. A tape answers where no rule does, and before the operation.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { monotonic } from '../lib/clock.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { toReplay } from '../tapes/replay.ts'
import type { TapeRequest } from '../tapes/tape.ts'
import { forward } from './forward.ts'
import type { GatewayCore } from './gateway.ts'

/**
 * The recorded reply, when its time has come; undefined where the double is to answer. Throws 404 for a call that
 * nobody recorded, and what a step before has refused, unless it is that no operation has this path.
 */
export async function meetTape(
  { recordings, options }: GatewayCore,
  record: CallRecord<SandboxState>,
  refusal: unknown,
  signal: AbortSignal | undefined,
): Promise<Reply | undefined> {
  if (!recordings || record.route === undefined) return undefined
  if (refusal && !isUnknownPath(refusal)) return undefined
  const { clock, occurrences } = record.state
  const request: TapeRequest = {
    method: record.method,
    path: record.route,
    query: record.search,
    headers: {},
    text: record.requestText,
  }
  const { key, tapes, miss } = recordings.find(request)
  const found = tapes.length > 0 ? tapes[occurrences.next(key)] : undefined
  if (found) {
    const elapsed = () => (options.timeScale > 0 ? (monotonic() - record.startedAt) / options.timeScale : 0)
    const { waitMs, reply } = toReplay(found.tape, options.speed, elapsed)
    if (waitMs > 0) await clock.wait(waitMs, signal)
    return reply
  }
  const { message, nearest } = miss(tapes.length)
  switch (options.onMiss) {
    case 'fail':
      throw new GatewayError(404, message, nearest && { nearest })
    case 'double':
      record.warn(message)
      return undefined
    case 'forward':
      record.warn(`${message}; forwarded to ${options.upstream}`)
      return forward(String(options.upstream), record, signal)
  }
}

function isUnknownPath(refusal: unknown): boolean {
  return refusal instanceof GatewayError && (refusal.status === 404 || refusal.status === 405)
}
