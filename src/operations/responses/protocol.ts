/** Maps POST /responses to conversations, answers and stream events. Spec: POST /responses, Events. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { promptSettings } from '../../model/preset.ts'
import {
  type Conversation,
  type ConversationItem,
  messageItems,
  otherItem,
} from '../../resources/conversation.ts'
import {
  type CreateResponseBody,
  type InputItem,
  isSpecifiedItem,
  StoringResponseBody,
} from '../../resources/create-response-body.ts'
import type { Prompt } from '../../resources/prompt.ts'
import type { Protocol, StoredConversations } from '../../resources/protocol.ts'
import { clientTools } from '../../resources/tools.ts'
import { responseEvents } from './events.ts'
import { toResponseObject } from './object.ts'
import type { ResponseObject } from './response-object.ts'
import { expandInput } from './stored.ts'
import { responsesPlaces, responsesWriter } from './stream.ts'

export const responses: Protocol<CreateResponseBody, ResponseObject> = {
  conversation: readConversation,
  prompt: toPrompt,
  object: toResponseObject,
  events: responseEvents,
  writer: responsesWriter,
  places: responsesPlaces,
  storingBody: StoringResponseBody,
}

function readConversation(body: unknown, stored?: StoredConversations): Conversation {
  const { input, tools } = fieldsOf(body)
  const names = clientTools([...listOf(tools), ...toolsIn(input)]).map(({ name }) => name)
  return { items: expandInput(body, stored).flatMap(toItem), tools: names }
}

function toPrompt(body: CreateResponseBody, conversation: Conversation): Prompt {
  const settings = promptSettings(body)
  const offers = clientTools(toolsIn(body.input))
  const additional = { kind: 'other', type: 'additional_tools', runsAtClient: true, offers } as const
  return {
    ...settings,
    ...(offers.length > 0 && { tools: [...(settings.tools ?? []), additional] }),
    model: body.model,
    conversation,
    hasUnspecifiedItems: typeof body.input !== 'string' && !body.input.every(isSpecified),
    showsSearches: true,
  }
}

/** Returns the tools in `additional_tools` items, where Codex offers all of its tools. */
function toolsIn(input: unknown): unknown[] {
  const items = listOf(input).map(fieldsOf)
  return items.flatMap(({ type, tools }) => (type === 'additional_tools' ? [...listOf(tools)] : []))
}

function toItem(value: unknown): ConversationItem[] {
  const item = fieldsOf(value)
  switch (item['type']) {
    case undefined:
    case 'message':
      return messageItems(textOf(item['role']), item['content'])
    case 'function_call':
    case 'custom_tool_call': {
      const { type, call_id, name, arguments: json, input } = item
      const args = type === 'function_call' ? textOf(json) : JSON.stringify({ input: textOf(input) })
      return [{ kind: 'call', id: textOf(call_id), name: textOf(name), arguments: args }]
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ kind: 'result', id: textOf(item['call_id']), text: textOf(item['output']) }]
    case 'item_reference':
      return [{ kind: 'reference' }]
    case 'reasoning':
    case 'web_search_call':
    case 'additional_tools':
      return []
    default:
      return [otherItem(item)]
  }
}

/** Returns true for items that the specification describes: messages with a type, and text parts. */
function isSpecified(item: InputItem): boolean {
  if (!isSpecifiedItem(item) || item.type !== 'message' || typeof item.content === 'string') return false
  const expected = item.role === 'assistant' ? 'output_text' : 'input_text'
  return item.content.every(({ type }) => type === expected)
}
