/**
 * What a scenario scripts in place of the default reply. It goes through the same counting, cutting and streaming.
 */
import type * as z from 'zod'
import type { Reply } from '../http/reply.ts'
import type { ScriptedCitation, ScriptedReply } from '../rules/scenario.ts'
import type { ScriptedItem } from '../rules/scripted-item.ts'
import { type CitedText, cite } from './citations.ts'
import type { Conversation } from './conversation.ts'
import type { Source } from './corpus.ts'
import { placeOf } from './domains.ts'
import { type Draft, draftSearchCall } from './draft.ts'

/** The scripted output and then the scripted text; undefined where the script has neither. */
export function draftScript(
  { text, output, citations = [] }: ScriptedReply,
  conversation: Conversation,
  searched: boolean,
): Draft[] | undefined {
  if (text === undefined) return output?.map(toDraft)
  const before = output?.map(toDraft) ?? (searched ? [draftSearchCall(conversation)] : [])
  return [...before, { type: 'message', ...cite(text, citations.map(toSource)) }]
}

/** A reply with the status and the headers that the script gives it. */
export function withScriptedHead<Value>(
  reply: Reply<Value>,
  { status = reply.status, headers = {} }: ScriptedReply,
): Reply<Value> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...reply, status, headers: { ...reply.headers, ...Object.fromEntries(named) } }
}

/** Clients expect every citation to have a title, so it has one even where the script gives none. */
export function toSource({ url, title, content }: z.infer<typeof ScriptedCitation>): Source {
  return { url, title: title ?? placeOf(url).host, content }
}

function toDraft(item: ScriptedItem): Draft {
  switch (item.type) {
    case 'message':
      return { type: 'message', ...joinParts(item.content) }
    case 'function_call': {
      const { name, arguments: given = {}, call_id } = item
      const text = typeof given === 'string' ? given : JSON.stringify(given)
      return { type: 'function_call', name, arguments: text, call_id }
    }
    case 'web_search_call':
      return { type: 'web_search_call', query: item.action?.query ?? '' }
  }
}

/** One text of several, and their annotations where they stand in it. */
function joinParts(content: (ScriptedItem & { type: 'message' })['content']): CitedText {
  if (typeof content === 'string') return { text: content, annotations: [] }
  const joined: CitedText = { text: '', annotations: [] }
  for (const { text, annotations = [] } of content) {
    const offset = joined.text.length
    joined.text += text
    for (const { start_index, end_index, ...citation } of annotations) {
      joined.annotations.push({
        ...citation,
        start_index: offset + start_index,
        end_index: offset + end_index,
      })
    }
  }
  return joined
}
