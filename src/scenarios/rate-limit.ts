/**
 * Limits requests and tokens per window of elapsed time. A window starts with the first request after the previous
 * window ends. Tokens are counted after the reply, so the last request that passes may exceed the limit.
 */
import * as z from 'zod'
import type { RateLimitState } from '../faults/fault.ts'
import { rateLimitHeaders } from '../faults/replacing.ts'
import type { Clock } from '../lib/clock.ts'
import { count, WindowLength } from '../lib/numbers.ts'
import { RecentMap } from '../lib/recent-map.ts'
import { hash } from '../lib/seed.ts'
import type { CompiledRule, Progress } from './activation.ts'
import { modelOf, type RuleRequest } from './condition.ts'
import { field } from './field.ts'

export const RateLimit = z.lazy(() =>
  z
    .strictObject({
      requests: field(count(), 'Number of requests allowed per window.'),
      tokens: field(count(), 'Number of tokens allowed per window. Tokens are counted after each reply.'),
      per: WindowLength.describe("Window length: '500ms', '10s', '1m', '1h', or milliseconds from 1000."),
      by: field(z.enum(['key', 'model']), 'Counts separately per API key or model. Default: all combined.'),
    })
    .refine(({ requests, tokens }) => requests !== undefined || tokens !== undefined, {
      error: 'Must limit requests, tokens or both',
    }),
)
export type RateLimit = z.infer<typeof RateLimit>

interface Window {
  /** Start of the window in elapsed milliseconds; determines when the window ends. */
  readonly at: number
  /** Start as a timestamp of the sandbox clock, in milliseconds. Makes the reset time in headers reproducible. */
  readonly now: number
  readonly requests: number
  readonly tokens: number
}

/** Returns the group of requests that share a limit: the hash of the key or model, or an empty string for all. */
export function callerOf(
  { by }: RateLimit,
  { headers, body }: Pick<RuleRequest, 'headers' | 'body'>,
): string {
  if (by === 'model') return hash(String(modelOf(body)))
  return by === 'key' ? hash(String(headers['authorization'] ?? headers['x-api-key'])) : ''
}

export class RateLimitUsage {
  readonly #limit: RateLimit
  readonly #windows: RecentMap<Window>

  constructor(limit: RateLimit, windows = new RecentMap<Window>(10_000)) {
    this.#limit = limit
    this.#windows = windows
  }

  get isUsed(): boolean {
    return !this.#windows.isEmpty
  }

  window(request: RuleRequest, clock: Clock): Window {
    const window = this.#windows.get(callerOf(this.#limit, request))
    const at = clock.elapsed()
    return window && at < window.at + this.#limit.per
      ? window
      : { at, now: clock.now(), requests: 0, tokens: 0 }
  }

  allows(request: RuleRequest, clock: Clock): boolean {
    const { requests, tokens } = this.window(request, clock)
    return requests < (this.#limit.requests ?? Infinity) && tokens < (this.#limit.tokens ?? Infinity)
  }

  count(request: RuleRequest, clock: Clock, { requests = 0, tokens = 0 }: Partial<Window>): void {
    const window = this.window(request, clock)
    const counted = { requests: window.requests + requests, tokens: window.tokens + tokens }
    this.#windows.set(callerOf(this.#limit, request), { ...window, ...counted })
  }

  /** @param counted The window when the request was counted. Default: the current one. */
  read(request: RuleRequest, clock: Clock, counted?: Window): RateLimitState {
    const limit = this.#limit
    const current = this.window(request, clock)
    const { requests, now } = counted ?? current
    const { tokens } = current
    const resetMs = requests + tokens > 0 ? Math.max(0, now + limit.per - clock.now()) : 0
    const left = (used: number, limit = Infinity) => ({ limit, remaining: Math.max(0, limit - used) })
    const [ofRequests, ofTokens] = [left(requests, limit.requests), left(tokens, limit.tokens)]
    if (limit.tokens === undefined) return { ...ofRequests, resetMs }
    if (limit.requests === undefined) return { ...ofTokens, resetMs, tokens: ofTokens }
    const shown = ofTokens.remaining === 0 && ofRequests.remaining > 0 ? ofTokens : ofRequests
    return { ...shown, resetMs, requests: ofRequests, tokens: ofTokens }
  }

  copy(): RateLimitUsage {
    return new RateLimitUsage(this.#limit, this.#windows.copy())
  }
}

/** Counts a reply's tokens against the limits that its request passed. Returns the first announced limit's headers. */
export type ChargeRateLimits = (tokens: number) => Record<string, string> | undefined

/** Only a limit that leads to a 429 is announced in reply headers. */
export function chargeRateLimits(
  passed: readonly { readonly rule: CompiledRule; readonly progress: Progress }[],
  request: RuleRequest,
  clock: Clock,
): ChargeRateLimits {
  const counted = passed.flatMap(({ rule, progress: { rateLimit } }) => {
    const faults = rule.steps.flatMap((step) => step.faults)
    const isAnnounced = faults.some(
      (fault) => fault.name === 'rate-limit' || Reflect.get(fault, 'status') === 429,
    )
    return rateLimit ? { rateLimit, isAnnounced, window: rateLimit.window(request, clock) } : []
  })
  return (tokens) => {
    if (tokens) for (const { rateLimit } of counted) rateLimit.count(request, clock, { tokens })
    const announced = counted.find(({ isAnnounced }) => isAnnounced)
    return announced && rateLimitHeaders(announced.rateLimit.read(request, clock, announced.window))
  }
}
