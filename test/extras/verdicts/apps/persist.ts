/** Retries with backoff and `Retry-After`, and limits time, of which a blocked process counts at most 100 ms. */
import * as z from 'zod'

export const waits = { scale: 1 }

export class Failure extends Error {
  readonly retryable: boolean
  readonly waitMs: number | undefined
  constructor(message: string, options: { retryable?: boolean; waitMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable ?? false
    this.waitMs = options.waitMs
  }
}

function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const ms = Date.parse(value) - Date.parse(headers.get('date') ?? new Date().toUTCString())
  return ms > 0 ? ms : undefined
}

export function statusFailure(status: number, headers = new Headers(), cause?: unknown): Failure {
  const waitMs = retryAfterMs(headers)
  const retryable = status >= 500 || [408, 409, 429].includes(status)
  return new Failure(`The gateway rejected the request with status ${status}`, { retryable, waitMs, cause })
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  const { status, statusCode, headers, responseHeaders } = Object(error)
  const code = status ?? statusCode
  if (code >= 400) return statusFailure(code, new Headers(headers ?? responseHeaders), error)
  const problem = error instanceof z.ZodError ? 'it has an unexpected shape' : Object(error).message
  return new Failure(`No usable reply: ${problem}`, { retryable: true, cause: error })
}

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  const timer = setTimeout(resolve, ms * waits.scale)
  signal?.addEventListener('abort', onAbort)
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', onAbort)
}

export type Ask<Result> = (signal: AbortSignal, alive: () => void) => Promise<Result>

export async function limited<Result>(
  user: AbortSignal | undefined,
  ask: Ask<Result>,
  budget = { workMs: 1500 },
): Promise<Result> {
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (failure: Failure) => {
    reject(failure)
    controller.abort(failure)
  }
  const onAbort = () => stop(new Failure('The user stopped the request'))
  let [now, idleMs, totalMs] = [performance.now(), 0, 0]
  const ticks = setInterval(() => {
    const ms = Math.min(performance.now() - now, 100)
    now = performance.now()
    idleMs += ms
    totalMs += ms
    budget.workMs -= ms
    if (idleMs >= 300 || totalMs >= 700 || budget.workMs <= 0)
      stop(new Failure('The gateway took too long', { retryable: budget.workMs > 0 }))
  }, 20)
  user?.addEventListener('abort', onAbort)
  if (user?.aborted) onAbort()
  const alive = () => {
    idleMs = 0
  }
  try {
    return await Promise.race([ask(controller.signal, alive), promise])
  } catch (error) {
    controller.abort()
    throw failureOf(error)
  } finally {
    clearInterval(ticks)
    user?.removeEventListener('abort', onAbort)
  }
}

export async function persist<Result>(user: AbortSignal | undefined, ask: Ask<Result>): Promise<Result> {
  const budget = { workMs: 1500, waitMs: 2200 }
  for (let tries = 1; ; tries++) {
    try {
      return await limited(user, ask, budget)
    } catch (error) {
      const { retryable, waitMs = 10 * 2 ** (tries - 1) } = failureOf(error)
      budget.waitMs -= waitMs
      if (!retryable || tries === 4 || budget.waitMs < 0) throw error
      await sleep(waitMs, user)
    }
  }
}
