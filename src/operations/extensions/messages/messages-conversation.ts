/**
 * The conversation in the body of POST /messages. Rules read it before the body is checked, so anything may be there.
 */
import { fieldsOf, listOf, textOf } from '../../../model/loose-reading.ts'
import type { Conversation, ConversationItem } from '../../../scenarios/conversation.ts'

export function readMessagesConversation(body: unknown): Conversation {
  const { messages, tools } = fieldsOf(body)
  const names = listOf(tools).flatMap((tool) => {
    const { name, type } = fieldsOf(tool)
    return typeof name === 'string' && (type === undefined || type === 'custom') ? [name] : []
  })
  return { items: listOf(messages).flatMap(toItems), tools: names }
}

function toItems(value: unknown): ConversationItem[] {
  const { role, content } = fieldsOf(value)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  const items: ConversationItem[] = []
  const texts: string[] = []
  for (const block of blocks) {
    const { type, text, id, name, input, tool_use_id, content: output } = fieldsOf(block)
    if (type === 'text') texts.push(textOf(text))
    // What is no text leaves an empty line, as in the other protocols.
    else if (type === 'image' || type === 'document') texts.push('')
    else if (type === 'tool_use')
      items.push({ kind: 'call', id: textOf(id), name: textOf(name), arguments: JSON.stringify(input ?? {}) })
    else if (type === 'tool_result')
      items.push({ kind: 'result', id: textOf(tool_use_id), text: textOf(output) })
  }
  const text = texts.join('\n')
  // What is said stands before the calls of the same turn, and behind the results that the turn brings.
  if (text === '' && items.length > 0) return items
  const message: ConversationItem = { kind: 'message', role: textOf(role), text }
  return role === 'assistant' ? [message, ...items] : [...items, message]
}
