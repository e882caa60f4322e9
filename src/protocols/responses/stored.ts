/**
 * Requests that continue a stored response: their input with the conversation before it.
 */
import { invalidRequest } from '../../http/errors.ts'
import type { CreateResponseBody, InputItem } from '../../resources/create-response-body.ts'
import type { StoredConversations } from '../../resources/protocol.ts'

/**
 * The input with the conversation before it, and with the items that it refers to. Throws 400 for a response or an item
 * that is not stored.
 */
export function wholeInput(body: CreateResponseBody, stored: StoredConversations): InputItem[] {
  const own = itemsOf(body.input)
  const { previous_response_id: id } = body
  const before = id == null ? [] : (stored.find(id) as InputItem[] | undefined)
  if (!before) throw notStored('previous_response_id', `response '${id}'`, 'previous_response_not_found')
  const found = stored.items(own.flatMap((item) => (isReference(item) ? [item.id] : [])))
  const named = own.map((item, place) => {
    if (!isReference(item)) return item
    const known = found.get(item.id) as InputItem | undefined
    if (!known) throw notStored(`input[${place}].id`, `item '${item.id}'`, 'item_not_found')
    return known
  })
  return [...before, ...named]
}

function itemsOf(input: CreateResponseBody['input']): InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
}

function isReference(item: InputItem): item is InputItem & { type: 'item_reference'; id: string } {
  return item.type === 'item_reference'
}

function notStored(field: string, what: string, rule: string) {
  const message = `There is no stored ${what}: it was not stored, or is not kept any more`
  return invalidRequest([{ path: `body.${field}`, message, rule }])
}
