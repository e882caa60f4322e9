/**
 * The conversation in the body of POST /chat/completions. Rules read it before the body is checked, so anything may be
 * there.
 */
import { fieldsOf, listOf, textOf } from '../../../model/loose-reading.ts'
import type { Conversation, ConversationItem } from '../../../scenarios/conversation.ts'

export function readChatConversation(body: unknown): Conversation {
  const { messages, tools } = fieldsOf(body)
  const names = listOf(tools).flatMap((tool) => {
    const { name } = fieldsOf(fieldsOf(tool)['function'])
    return typeof name === 'string' ? [name] : []
  })
  return { items: listOf(messages).flatMap(toItems), tools: names }
}

function toItems(value: unknown): ConversationItem[] {
  const { role, content, refusal, tool_call_id, tool_calls } = fieldsOf(value)
  if (role === 'tool') return [{ kind: 'result', id: textOf(tool_call_id), text: textOf(content) }]
  const text = textOf(content ?? refusal)
  const calls = listOf(tool_calls).map((call): ConversationItem => {
    const { id, function: called } = fieldsOf(call)
    const { name, arguments: args } = fieldsOf(called)
    return { kind: 'call', id: textOf(id), name: textOf(name), arguments: textOf(args) }
  })
  const message: ConversationItem = { kind: 'message', role: textOf(role), text }
  return text === '' && calls.length > 0 ? calls : [message, ...calls]
}
