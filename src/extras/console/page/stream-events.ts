/** Events of a stream in the journal, with their times, text and tool arguments. */
import type { JournalEntry } from '../../../journal/entry.ts'
import { parseJson } from '../../../lib/json.ts'
import { truncate } from '../../../lib/one-line.ts'

export interface TimedEvent {
  /** Time since the request arrived, in milliseconds. */
  ms: number
  name: string
  data: string
  /** Parsed data, if it is JSON. */
  value: unknown
  delta: string
  /** Name or arguments that the event adds to a tool call. */
  tool: { key: string; name: string; args: string } | undefined
}

export function isEventStream({ responseHeaders }: JournalEntry): boolean {
  return responseHeaders['content-type']?.startsWith('text/event-stream') ?? false
}

const encoder = new TextEncoder()

/** Returns the events with the time at which their last byte was sent. */
export function eventsOf({ responseBody, timeline, firstByteMs }: JournalEntry): TimedEvent[] {
  const parts = timeline.length > 0 ? timeline : [{ ms: firstByteMs ?? 0, offset: 0 }]
  const events: TimedEvent[] = []
  let offset = 0
  let part = 0
  for (const block of responseBody.text.split(/(?<=\r?\n\r?\n)/)) {
    offset += encoder.encode(block).length
    while ((parts[part + 1]?.offset ?? Number.POSITIVE_INFINITY) < offset) part++
    const lines = block.split(/\r?\n/)
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n')
    const named = lines
      .find((line) => line.startsWith('event:'))
      ?.slice(6)
      .trim()
    if (block.trim() === '') continue
    const value = parseJson(data)
    const name = named ?? textAt(value, 'type') ?? changeOf(value) ?? (data || block.trim())
    const tool = toolOf(value)
    events.push({
      ms: parts[part]?.ms ?? 0,
      name: truncate(name, 80),
      data: data || block,
      value,
      delta: tool ? '' : deltaOf(value),
      tool,
    })
  }
  return events
}

function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value
  for (const step of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined
  return found
}

function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}

/** Returns the part of a chat completion chunk that varies between chunks. */
function changeOf(value: unknown): string | undefined {
  const choice = at(value, 'choices', 0)
  return JSON.stringify(at(choice, 'finish_reason') ?? at(choice, 'delta') ?? at(value, 'usage'))
}

/** Returns the text delta in an event of the Responses, Messages or Chat Completions protocol. */
function deltaOf(value: unknown): string {
  return (
    textAt(value, 'delta') ??
    textAt(value, 'delta', 'text') ??
    textAt(value, 'choices', 0, 'delta', 'content') ??
    ''
  )
}

/** Returns an event's part of a tool call, in the Responses, Messages or Chat Completions protocol. */
function toolOf(value: unknown): TimedEvent['tool'] {
  const type = textAt(value, 'type') ?? ''
  const key = String(at(value, 'output_index') ?? at(value, 'index') ?? 0)
  const item = type === 'response.output_item.added' ? 'item' : 'content_block'
  if (['function_call', 'tool_use'].includes(textAt(value, item, 'type') ?? ''))
    return { key, name: textAt(value, item, 'name') ?? '', args: '' }
  const isArguments = type.startsWith('response.function_call_arguments.')
  const args = isArguments ? (textAt(value, 'delta') ?? '') : textAt(value, 'delta', 'partial_json')
  if (args !== undefined) return { key, name: '', args }
  const call = at(value, 'choices', 0, 'delta', 'tool_calls', 0)
  if (call === undefined) return undefined
  return {
    key: String(at(call, 'index') ?? 0),
    name: textAt(call, 'function', 'name') ?? '',
    args: textAt(call, 'function', 'arguments') ?? '',
  }
}

export function toolCalls(events: readonly TimedEvent[]): { key: string; name: string; args: string }[] {
  const calls = new Map<string, { key: string; name: string; args: string }>()
  for (const { tool } of events) {
    if (!tool) continue
    const call = calls.get(tool.key) ?? { key: tool.key, name: '', args: '' }
    calls.set(tool.key, { ...call, name: call.name || tool.name, args: call.args + tool.args })
  }
  return [...calls.values()]
}
