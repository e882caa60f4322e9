/**
 * The pauses and lengths of one answer, drawn from a latency profile: the same for the same seed.
 */
import type { Reply } from '../http/reply.ts'
import { random } from '../lib/seed.ts'
import { type LatencyProfile, latencyOf, type Quantiles, valueAt } from '../sandbox/latency-profile.ts'
import { tokenize } from './tokens.ts'

export interface LatencyOptions {
  readonly seed: string | number
  readonly latencyProfile?: LatencyProfile | undefined
}

/** The answer that pauses are drawn for. */
export interface TimedAnswer {
  readonly id: string
  readonly model: string
}

export interface DrawnLatency {
  /** Milliseconds before the first event. */
  firstMs: number
  /** Milliseconds before the next token; undefined where the profile says nothing of it. */
  gapMs: (() => number) | undefined
}

/** Undefined where no profile knows the model. */
export function drawLatency(
  { id, model }: TimedAnswer,
  { seed, latencyProfile }: LatencyOptions,
): DrawnLatency | undefined {
  const latency = latencyProfile && latencyOf(latencyProfile, model)
  if (!latency) return undefined
  const draw = random(seed, 'latency', id)
  const { firstByteMs, gapMs } = latency
  return { firstMs: valueAt(firstByteMs, draw()), gapMs: gapMs && (() => valueAt(gapMs, draw())) }
}

/** A reply that is no stream, after the time that the whole answer takes. */
export function withLatency<Value>(
  reply: Reply<Value>,
  answer: TimedAnswer & { readonly outputTokens: number },
  options: LatencyOptions,
): Reply<Value> {
  const drawn = drawLatency(answer, options)
  if (!drawn || !options.latencyProfile) return reply
  const { totalMs } = latencyOf(options.latencyProfile, answer.model) ?? {}
  let delayMs = drawn.firstMs
  if (totalMs) delayMs = valueAt(totalMs, random(options.seed, 'latency total', answer.id)())
  else for (let token = 0; drawn.gapMs && token < answer.outputTokens; token++) delayMs += drawn.gapMs()
  return { ...reply, transport: { ...reply.transport, delayMs } }
}

/** How many tokens a plain text has. */
export function drawLength(lengths: Quantiles, key: string): number {
  return Math.max(1, Math.round(valueAt(lengths, random(key, 'length')())))
}

/**
 * A text of so many tokens; of one less where its last word is followed by a mark already.
 *
 * @param write Writes another part; parts are added until there is enough.
 */
export function textOfLength(tokens: number, write: (part: number) => string): string {
  const kept: string[] = []
  for (let part = 0; kept.length < tokens && part < tokens; part++)
    kept.push(...tokenize(part === 0 ? write(part) : `\n\n${write(part)}`))
  if (kept.length <= tokens) return kept.join('')
  const text = kept
    .slice(0, Math.max(1, tokens - 1))
    .join('')
    .trimEnd()
  return tokens > 1 ? `${text.replace(/[.,;:!?]{1,8}$/, '')}.` : text
}
