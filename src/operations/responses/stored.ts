/** Expands requests that continue a stored response. */
import { invalidRequest } from '../../http/errors.ts'
import type { CreateResponseBody, InputItem } from '../../resources/create-response-body.ts'
import type { StoredConversations } from '../../resources/protocol.ts'

/** Adds the previous conversation, and replaces references. Throws 400 if one is not stored. */
export function expandInput(body: CreateResponseBody, stored: StoredConversations): InputItem[] {
  const items = itemsOf(body.input)
  const { previous_response_id: id } = body
  const previous = id == null ? [] : (stored.find(id) as InputItem[] | undefined)
  if (!previous) throw notStored('previous_response_id', `response '${id}'`, 'previous_response_not_found')
  const referenced = stored.items(items.flatMap((item) => (isReference(item) ? [item.id] : [])))
  const expanded = items.map((item, place) => {
    if (!isReference(item)) return item
    const stored = referenced.get(item.id) as InputItem | undefined
    if (!stored) throw notStored(`input[${place}].id`, `item '${item.id}'`, 'item_not_found')
    return stored
  })
  return [...previous, ...expanded]
}

function itemsOf(input: CreateResponseBody['input']): InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
}

function isReference(item: InputItem): item is InputItem & { type: 'item_reference'; id: string } {
  return item.type === 'item_reference'
}

function notStored(field: string, what: string, rule: string) {
  const message = `Stored ${what} not found: it was never stored, or has been evicted`
  return invalidRequest([{ path: `body.${field}`, message, rule }])
}
