/** A conversation as turns, for requests and replies of every protocol. */
import type { JournalEntry } from '../../../journal/entry.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { eventsOf, isEventStream } from './stream-events.ts'

interface Turn {
  who: string
  text: string
}

export function Conversation({ title, turns }: { title: string; turns: readonly Turn[] }) {
  if (turns.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ol class="turns">
        {turns.map(({ who, text }, index) => (
          <li key={index} class={who === 'user' ? 'user' : undefined}>
            <span class="who muted">{who}</span>
            <span class="said">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

export function requestTurns(body: unknown): Turn[] {
  if (!isObject(body)) return []
  const { instructions, system, input, messages } = body
  const first = textOf(instructions ?? system)
  const items = input ?? messages
  return [
    ...(first ? [{ who: 'instructions', text: first }] : []),
    ...(typeof items === 'string' ? [{ who: 'user', text: items }] : []),
    ...(Array.isArray(items) ? items.flatMap(turnOf) : []),
  ]
}

export function replyTurns(entry: JournalEntry): Turn[] {
  if (!isEventStream(entry)) return turnsIn(parseJson(entry.responseBody.text))
  const events = eventsOf(entry)
  const last = events
    .map(({ value }) => (isObject(value) ? value['response'] : undefined))
    .findLast((response) => isObject(response) && turnsIn(response).length > 0)
  if (last) return turnsIn(last)
  const text = events.map(({ delta }) => delta).join('')
  return text ? [{ who: 'assistant', text }] : []
}

function turnsIn(reply: unknown): Turn[] {
  if (!isObject(reply)) return []
  const { output, choices, content } = reply
  if (Array.isArray(output)) return output.flatMap(turnOf)
  if (Array.isArray(choices)) return choices.filter(isObject).flatMap(({ message }) => turnOf(message))
  return content === undefined ? [] : turnOf(reply)
}

function turnOf(item: unknown): Turn[] {
  if (!isObject(item)) return []
  const { type, role, name, output, content, action } = item
  const args = item['arguments']
  if (type === 'function_call') return [{ who: `calls ${name}`, text: textOf(args) }]
  if (type === 'function_call_output') return [{ who: 'result', text: textOf(output) }]
  if (type === 'web_search_call')
    return [{ who: 'searches', text: isObject(action) ? textOf(action['query']) : '' }]
  const calls = Array.isArray(item['tool_calls']) ? item['tool_calls'].filter(isObject) : []
  const text = textOf(content)
  return [
    ...(text || calls.length === 0
      ? [{ who: typeof role === 'string' ? role : String(type ?? 'item'), text }]
      : []),
    ...calls.map(({ function: called }) => ({
      who: `calls ${isObject(called) ? called['name'] : ''}`,
      text: isObject(called) ? textOf(called['arguments']) : '',
    })),
  ]
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n')
  if (!isObject(value)) return ''
  return typeof value['text'] === 'string' ? value['text'] : JSON.stringify(value)
}
