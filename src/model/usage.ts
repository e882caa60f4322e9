/**
 * What an answer used, in tokens: as counted, or as a rule scripts it.
 */
import type { ScriptedUsage } from '../scenarios/scripted-reply.ts'
import type { CountedAnswer } from './budget.ts'

export interface AnswerUsage {
  readonly inputTokens: number
  /** Of the input: those that were read from a cache. */
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Of the output: those of thinking. */
  readonly reasoningTokens: number
}

export interface InputCount {
  readonly tokens: number
  readonly cachedTokens: number
}

/** What the script leaves out is counted. */
export function usageOf(
  input: InputCount,
  { outputTokens, reasoningTokens }: Pick<CountedAnswer, 'outputTokens' | 'reasoningTokens'>,
  scripted: ScriptedUsage = {},
): AnswerUsage {
  return {
    inputTokens: scripted.input_tokens ?? input.tokens,
    cachedTokens:
      scripted.input_tokens_details?.cached_tokens ??
      Math.min(input.cachedTokens, scripted.input_tokens ?? input.tokens),
    outputTokens: scripted.output_tokens ?? outputTokens,
    reasoningTokens: scripted.output_tokens_details?.reasoning_tokens ?? reasoningTokens,
  }
}
