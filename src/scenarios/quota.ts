/**
 * Quotas: how many requests and tokens pass in a window of sandbox time, for all callers together or for each.
 *
 * A request passes while the window is not spent. Its tokens count when it is answered, so that the last one that
 * passes may use more than is left.
 */
import * as z from 'zod'
import type { QuotaReading } from '../faults/fault.ts'
import { quotaHeaders } from '../faults/replacing.ts'
import type { Clock } from '../lib/clock.ts'
import { hash } from '../lib/seed.ts'
import { modelOf, type RuleRequest } from './rule-request.ts'

const inMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const duration = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

export const Quota = z.lazy(() =>
  z.union(
    [
      z.strictObject({
        limit: z.int().min(0).describe('Requests that pass in each window.'),
        windowMs: z.number().positive().describe('Milliseconds of sandbox time.'),
      }),
      z.strictObject({
        requests: z.int().min(0).optional().describe('How many requests pass in a window.'),
        tokens: z
          .int()
          .min(0)
          .optional()
          .describe('Requests pass while fewer tokens are used in the window. They count when answered.'),
        per: z
          .union([z.number().positive(), z.string().regex(duration, "give a duration, '1m' or '500ms'")])
          .describe("Length of the window: '500ms', '10s', '1m', '1h', '1d', or milliseconds."),
        window: z
          .enum(['sliding', 'fixed'])
          .optional()
          .describe('`fixed` begins with the first request after the window before. Default: fixed.'),
        by: z
          .enum(['key', 'model'])
          .optional()
          .describe('A quota of its own for each API key or model. Default: one for all.'),
      }),
    ],
    { error: "a quota is { requests, tokens, per: '1m' } or { limit, windowMs }" },
  ),
)
export type Quota = z.infer<typeof Quota>

export interface CompiledQuota {
  /** Infinity where only tokens are limited; the same of tokens. */
  readonly requests: number
  readonly tokens: number
  readonly windowMs: number
  readonly isSliding: boolean
  readonly by: 'key' | 'model' | undefined
}

export function compileQuota(quota: Quota): CompiledQuota {
  const unlimited = Number.POSITIVE_INFINITY
  if ('limit' in quota) {
    const { limit, windowMs } = quota
    return { requests: limit, tokens: unlimited, windowMs, isSliding: false, by: undefined }
  }
  const { requests = unlimited, tokens = unlimited, per, window, by } = quota
  return { requests, tokens, windowMs: milliseconds(per), isSliding: window === 'sliding', by }
}

function milliseconds(per: number | string): number {
  if (typeof per === 'number') return per
  const [, amount, unit = ''] = duration.exec(per) ?? []
  return Number(amount) * (inMs[unit] ?? 1)
}

/** What was used at one time; of a fixed window, what was used in it. */
interface Use {
  /** Elapsed milliseconds, which decide. */
  at: number
  /** Sandbox time, which headers tell: the same calls read the same. */
  readonly now: number
  requests: number
  tokens: number
}

/** How many keys or models are counted; then the one that came first counts anew. */
const maxCallers = 10_000
/** How many uses a sliding window tells apart; then the newest are counted together. */
const maxUses = 10_000

/** What has been used of one quota. */
export class QuotaUse {
  /** By caller, oldest use first. */
  readonly #uses = new Map<string, Use[]>()

  /** Lets a request pass and counts it, or does not. */
  passes(quota: CompiledQuota, request: RuleRequest, clock: Clock): boolean {
    const caller = callerOf(quota, request)
    if (isSpent(quota, this.#current(quota, caller, clock.elapsed()))) return false
    this.#count(quota, caller, clock, { requests: 1, tokens: 0 })
    return true
  }

  /** Counts the tokens of a reply. */
  charge(quota: CompiledQuota, request: RuleRequest, clock: Clock, tokens: number): void {
    if (tokens > 0) this.#count(quota, callerOf(quota, request), clock, { requests: 0, tokens })
  }

  /** How many requests have passed in the present window. */
  requests(quota: CompiledQuota, request: RuleRequest, clock: Clock): number {
    return sum(this.#current(quota, callerOf(quota, request), clock.elapsed())).requests
  }

  read(quota: CompiledQuota, request: RuleRequest, clock: Clock): QuotaReading {
    const uses = this.#current(quota, callerOf(quota, request), clock.elapsed())
    const used = sum(uses)
    const resetMs = Math.max(0, resetAt(quota, uses) - clock.now())
    const ofRequests = { limit: quota.requests, remaining: Math.max(0, quota.requests - used.requests) }
    const ofTokens = { limit: quota.tokens, remaining: Math.max(0, quota.tokens - used.tokens) }
    if (quota.tokens === Number.POSITIVE_INFINITY) return { ...ofRequests, resetMs }
    if (quota.requests === Number.POSITIVE_INFINITY) return { ...ofTokens, resetMs, tokens: ofTokens }
    const told = ofTokens.remaining === 0 && ofRequests.remaining > 0 ? ofTokens : ofRequests
    return { ...told, resetMs, requests: ofRequests, tokens: ofTokens }
  }

  /** What was used by each caller, as data. */
  toJSON(): [string, Use[]][] {
    return [...this.#uses]
  }

  static from(uses: Iterable<readonly [string, readonly Use[]]>): QuotaUse {
    const quota = new QuotaUse()
    for (const [caller, used] of uses)
      quota.#uses.set(
        caller,
        used.map((use) => ({ ...use })),
      )
    return quota
  }

  copy(): QuotaUse {
    return QuotaUse.from(this.#uses)
  }

  /** The uses that count now. */
  #current({ windowMs }: CompiledQuota, caller: string, elapsed: number): Use[] {
    const uses = this.#uses.get(caller) ?? []
    const over = uses.findIndex(({ at }) => elapsed < at + windowMs)
    if (over !== 0) uses.splice(0, over < 0 ? uses.length : over)
    return uses
  }

  #count(
    quota: CompiledQuota,
    caller: string,
    clock: Clock,
    { requests, tokens }: { requests: number; tokens: number },
  ): void {
    const at = clock.elapsed()
    const uses = this.#current(quota, caller, at)
    const last = uses.at(-1)
    if (last && (!quota.isSliding || uses.length >= maxUses)) {
      last.requests += requests
      last.tokens += tokens
      return
    }
    uses.push({ at, now: clock.now(), requests, tokens })
    if (!this.#uses.has(caller) && this.#uses.size >= maxCallers) {
      const [oldest] = this.#uses.keys()
      this.#uses.delete(oldest as string)
    }
    this.#uses.set(caller, uses)
  }
}

function callerOf({ by }: CompiledQuota, { headers, body }: RuleRequest): string {
  if (by === 'model') return modelOf(body) ?? ''
  return by === 'key' ? hash(headers['authorization'] ?? headers['x-api-key'] ?? '') : ''
}

function sum(uses: readonly Use[]): { requests: number; tokens: number } {
  let requests = 0
  let tokens = 0
  for (const use of uses) {
    requests += use.requests
    tokens += use.tokens
  }
  return { requests, tokens }
}

function isSpent(quota: CompiledQuota, uses: readonly Use[]): boolean {
  const used = sum(uses)
  return used.requests >= quota.requests || used.tokens >= quota.tokens
}

/** Sandbox time at which a request passes again; where one passes now, at which the oldest use counts no more. */
function resetAt(quota: CompiledQuota, uses: readonly Use[]): number {
  let { requests, tokens } = sum(uses)
  for (const use of uses) {
    requests -= use.requests
    tokens -= use.tokens
    if (requests < quota.requests && tokens < quota.tokens) return use.now + quota.windowMs
  }
  return 0
}

/** Counts the tokens of a reply against the quotas that its request passed, and tells where the first of them stands. */
export type ChargeQuotas = (tokens: number) => Record<string, string> | undefined

/** A quota that a request has passed. */
export interface PassedQuota {
  readonly quota: CompiledQuota
  readonly use: QuotaUse
  /** Whether replies carry its headers. */
  readonly isAnnounced: boolean
}

export function chargeQuotas(
  passed: readonly PassedQuota[],
  request: RuleRequest,
  clock: Clock,
): ChargeQuotas {
  return (tokens) => {
    for (const { quota, use } of passed) use.charge(quota, request, clock, tokens)
    const told = passed.find(({ isAnnounced }) => isAnnounced)
    return told && quotaHeaders(told.use.read(told.quota, request, clock))
  }
}
