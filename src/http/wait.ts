/** Real-time waits in tests, which fail with a 408 after a timeout. */
import { maxTimerMs } from '../lib/clock.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type Duration, toMilliseconds } from '../lib/numbers.ts'
import { clearTimeout, setTimeout } from '../lib/real-timers.ts'
import { shown } from '../lib/schema-messages.ts'
import { GatewayError } from './errors.ts'

export interface WaitLimits {
  /** Real time in milliseconds, or a duration such as `'5s'`. Default: 1,000. */
  timeout?: Duration
  /** Cancels the wait, which then rejects. */
  signal?: AbortSignal
}

/** Throws for invalid values and unknown options. @param example A correct call, for the message. */
export function readLimits(options: WaitLimits, names: readonly string[], example: string) {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`the second argument must be an object, as in ${example}, got ${shown(options)}`)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`unknown option '${unknown}'${didYouMean(unknown, names)}`)
  const { timeout = '1s', signal } = options
  const ms = toMilliseconds(timeout)
  if (Number.isNaN(ms))
    throw new TypeError(`timeout must be milliseconds or a duration such as '5s', got ${shown(timeout)}`)
  return { timeout: ms, signal }
}

/** @param late Returns the error message for a timeout. */
export async function waitAtMost<Result>(
  promise: Promise<Result>,
  { timeout, signal }: ReturnType<typeof readLimits>,
  late: () => string,
): Promise<Result> {
  const limit = Promise.withResolvers<never>()
  const onAbort = () => limit.reject(new GatewayError(408, 'The wait was cancelled'))
  const onTimeout = () => limit.reject(new GatewayError(408, late()))
  const timer = setTimeout(onTimeout, Math.min(timeout, maxTimerMs))
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort)
  try {
    return await Promise.race([limit.promise, promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
