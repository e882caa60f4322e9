/**
 * The conversation in the body of POST /responses, and a conversation of another protocol as such an input. Rules read
 * it before the body is checked, so anything may be there.
 */

import type { InputItem } from '../resources/create-response-body.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { Conversation, ConversationItem } from '../scenarios/conversation.ts'
import { fieldsOf, listOf, textOf } from './loose-reading.ts'

export function readResponsesConversation(body: unknown, state?: SandboxState): Conversation {
  const { input, tools, previous_response_id: previous } = fieldsOf(body)
  const own: readonly unknown[] =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : listOf(input)
  const stored = state?.options.storedResponses ? state.storedResponses : undefined
  const before = (typeof previous === 'string' && stored?.find(previous)) || []
  const ids = own.map(fieldsOf).flatMap(({ type, id }) => (type === 'item_reference' ? [String(id)] : []))
  const named = stored?.items(ids)
  const items = [...before, ...own].flatMap((item) =>
    toItem(named?.get(String(fieldsOf(item)['id'])) ?? item),
  )
  const names = listOf(tools).flatMap((tool) => {
    const { type, name } = fieldsOf(tool)
    return type === 'function' && typeof name === 'string' ? [name] : []
  })
  return { items, tools: names }
}

function toItem(value: unknown): ConversationItem[] {
  const item = fieldsOf(value)
  switch (item['type']) {
    case undefined:
    case 'message':
      return [{ kind: 'message', role: textOf(item['role']), text: textOf(item['content']) }]
    case 'function_call':
      return [
        {
          kind: 'call',
          id: textOf(item['call_id']),
          name: textOf(item['name']),
          arguments: textOf(item['arguments']),
        },
      ]
    case 'function_call_output':
      return [{ kind: 'result', id: textOf(item['call_id']), text: textOf(item['output']) }]
    case 'item_reference':
      return [{ kind: 'reference' }]
    default:
      return []
  }
}

/** A conversation as the input of POST /responses, in which every protocol is answered. */
export function toInput({ items }: Conversation): InputItem[] {
  return items.flatMap(toInputItem)
}

function toInputItem(item: ConversationItem): InputItem[] {
  switch (item.kind) {
    case 'message':
      // A request has been checked, and its roles with it, before it is asked for as an input.
      return [{ type: 'message', role: item.role as 'user', content: item.text }]
    case 'call':
      return [{ type: 'function_call', call_id: item.id, name: item.name, arguments: item.arguments }]
    case 'result':
      return [{ type: 'function_call_output', call_id: item.id, output: item.text }]
    default:
      return []
  }
}
