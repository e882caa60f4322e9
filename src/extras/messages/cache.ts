/** Simulates prompt caching with breakpoints that clients set (assumption `promptCache`). */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { hash } from '../../lib/seed.ts'
import { countTokens } from '../../model/tokens.ts'
import type { Prompt } from '../../resources/prompt.ts'
import type { MessagesRequest } from './request.ts'

interface CacheBlock {
  /** Identifies the prompt up to the end of the block. */
  readonly key: string
  /** Number of tokens up to the end of the block. */
  readonly tokens: number
  /** Time for which the cache keeps the prompt up to this block; undefined without a breakpoint. */
  readonly ttlMs: number | undefined
}

const shortTtlMs = 5 * 60_000
const longTtlMs = 60 * 60_000
/** Maximum number of blocks between a cached prompt and a breakpoint after it. */
const lookBack = 20

/** Reads and refreshes the longest cached prompt, and caches the blocks up to the last breakpoint. */
export function cacheOf(body: MessagesRequest): Prompt['useCache'] {
  const blocks = blocksOf(body)
  const isPoint = ({ ttlMs }: CacheBlock) => ttlMs !== undefined
  const points = blocks.filter(isPoint)
  if (points.length === 0) return undefined
  return (cache, now, inputTokens) => {
    const keyOf = ({ key }: CacheBlock, ttlMs: number) => `cached for ${ttlMs} ms: ${key}`
    const isKept = (block: CacheBlock, ttlMs: number) => now < (cache.get(keyOf(block, ttlMs)) ?? 0) + ttlMs
    const ttlOf = (block: CacheBlock) => [longTtlMs, shortTtlMs].find((ttlMs) => isKept(block, ttlMs)) ?? 0
    const found = blocks.findLast(
      (block, at) => ttlOf(block) > 0 && blocks.slice(at, at + lookBack + 1).some(isPoint),
    )
    for (const block of found ? [...points, found] : points)
      cache.set(keyOf(block, Math.max(block.ttlMs ?? 0, ttlOf(block))), now)
    const tokensTo = (block: CacheBlock | undefined) => Math.min(block?.tokens ?? 0, inputTokens)
    const cachedTokens = tokensTo(found)
    const writtenTo = (point: CacheBlock | undefined) => Math.max(0, tokensTo(point) - cachedTokens)
    const cacheWriteTokens1h = writtenTo(points.findLast(({ ttlMs }) => ttlMs === longTtlMs))
    return { cachedTokens, cacheWriteTokens: writtenTo(points.at(-1)), cacheWriteTokens1h }
  }
}

/** Reads the tools, the system prompt and the messages. */
function blocksOf(body: MessagesRequest): CacheBlock[] {
  const contents = [body.system, ...body.messages.map(({ content }) => content)]
  const blocks = [...listOf(body.tools), ...contents.flatMap(blocksIn)].map(fieldsOf)
  const controls = blocks.map(controlOf)
  // In the request itself, it is a breakpoint at the end.
  controls[controls.length - 1] ??= body['cache_control']
  if (controls.every((control) => control == null)) return []
  let key = body.model
  let tokens = 0
  return blocks.map((block, place) => {
    const control = controls[place]
    key = hash(key, JSON.stringify(block, withoutControl))
    tokens += countTokens(textIn(block))
    const ttlMs = fieldsOf(control)['ttl'] === '1h' ? longTtlMs : shortTtlMs
    return { key, tokens, ttlMs: control == null ? undefined : ttlMs }
  })
}

function blocksIn(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
}

/** A breakpoint can also be in the content of a tool result. */
function controlOf({ cache_control, content }: Record<string, unknown>): unknown {
  const inner = listOf(content).map(fieldsOf)
  return cache_control ?? inner.find((each) => each['cache_control'])?.['cache_control']
}

function withoutControl(name: string, value: unknown): unknown {
  return name === 'cache_control' ? undefined : value
}

/** Returns the part of a block that is counted as input tokens. */
function textIn(block: Record<string, unknown>): string {
  if (block['type'] === 'tool_use') return JSON.stringify(block['input'] ?? {})
  return textOf([block]) || textOf(block['content'])
}
