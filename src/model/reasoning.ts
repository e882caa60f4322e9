/**
 * How much a model thinks before it answers, where a request asks it to. Only the number of tokens is known of it.
 */
import { draw } from '../lib/seed.ts'

export interface ReasoningRequest {
  /** Default, and for an unknown word: `medium`. */
  effort?: string | undefined
  /** Upper bound on its tokens. */
  maxTokens?: number | undefined
}

/** Typical numbers of tokens; a request gets between half and one and a half times as many. */
const typical = new Map([
  ['minimal', 24],
  ['low', 96],
  ['medium', 256],
  ['high', 768],
  ['xhigh', 1536],
  ['max', 2048],
])
const typicalOfMedium = 256

/** @param key What the number depends on, beside the effort. */
export function reasoningTokens(request: ReasoningRequest | undefined, key: string): number {
  if (!request) return 0
  const usual = typical.get(request.effort ?? 'medium') ?? typicalOfMedium
  const tokens = Math.round(usual * (0.5 + draw(key, 'reasoning')))
  return Math.min(tokens, request.maxTokens ?? Number.POSITIVE_INFINITY)
}
