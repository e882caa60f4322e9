/** Reads the cache breakpoints in the tools, the system prompt and the messages of a request. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { hash } from '../../lib/seed.ts'
import { longTtlMs, shortTtlMs } from '../../model/prompt-cache.ts'
import { countTokens } from '../../model/tokens.ts'
import type { CacheBlock } from '../../resources/prompt.ts'
import type { MessagesRequest } from './request.ts'

/** Returns nothing if there are no breakpoints. */
export function cacheBlocksOf(body: MessagesRequest): CacheBlock[] {
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

/** A tool result's content can have the breakpoint, too. */
function controlOf({ cache_control, content }: Record<string, unknown>): unknown {
  const inner = listOf(content).map(fieldsOf)
  return cache_control ?? inner.find((each) => each['cache_control'])?.['cache_control']
}

function withoutControl(name: string, value: unknown): unknown {
  return name === 'cache_control' ? undefined : value
}

/** Returns what counts as input, as in the conversation. */
function textIn(block: Record<string, unknown>): string {
  if (block['type'] === 'tool_use') return JSON.stringify(block['input'] ?? {})
  return textOf([block]) || textOf(block['content'])
}
