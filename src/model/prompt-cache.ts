/** Simulates the cache of prompts whose breakpoints clients set (assumption `promptCache`). */
import type { RecentMap } from '../lib/recent-map.ts'
import type { CacheBlock } from '../resources/prompt.ts'

/** Times at which cached prompts were used, with the time for which they are kept. */
export type PromptCache = RecentMap<{ readonly usedAt: number; readonly ttlMs: number }>

export const shortTtlMs = 5 * 60_000
export const longTtlMs = 60 * 60_000
/** Maximum number of blocks between a cached prompt and a breakpoint after it. */
const lookBack = 20

/** Reads the longest cached prompt, writes the blocks after it up to the last breakpoint, and refreshes what was used. */
export function useCache(
  blocks: readonly CacheBlock[],
  cache: PromptCache,
  now: number,
  inputTokens: number,
) {
  const ttlOf = ({ key }: CacheBlock) => {
    const { usedAt = 0, ttlMs = 0 } = cache.get(key) ?? {}
    return now < usedAt + ttlMs ? ttlMs : 0
  }
  const isPoint = ({ ttlMs }: CacheBlock) => ttlMs !== undefined
  const points = blocks.filter(isPoint)
  const found = blocks.findLast(
    (block, at) => ttlOf(block) > 0 && blocks.slice(at, at + lookBack + 1).some(isPoint),
  )
  for (const block of found ? [...points, found] : points)
    cache.set(block.key, { usedAt: now, ttlMs: Math.max(block.ttlMs ?? 0, ttlOf(block)) })
  const tokensTo = (block: CacheBlock | undefined) => Math.min(block?.tokens ?? 0, inputTokens)
  const cachedTokens = tokensTo(found)
  const writtenTo = (point: CacheBlock | undefined) => Math.max(0, tokensTo(point) - cachedTokens)
  const cacheWriteTokens1h = writtenTo(points.findLast(({ ttlMs }) => ttlMs === longTtlMs))
  return { cachedTokens, cacheWriteTokens: writtenTo(points.at(-1)), cacheWriteTokens1h }
}
