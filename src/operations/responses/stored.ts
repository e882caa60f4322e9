/** Expands requests that continue a stored response. */
import { invalidRequest } from '../../http/errors.ts'
import { fieldsOf, listOf } from '../../lib/json.ts'
import type { StoredConversations } from '../../resources/protocol.ts'

/**
 * Adds the previous conversation, and resolves references to items. Unknown ids are omitted or left unchanged.
 *
 * @param missing Called for each unknown id, with its path, a description, and the violated rule.
 */
export function expandInput(
  body: unknown,
  stored: StoredConversations | undefined,
  missing?: (path: string, what: string, rule: string) => void,
): Record<string, unknown>[] {
  const { input, previous_response_id: previousId } = fieldsOf(body)
  const previous = typeof previousId === 'string' ? stored?.find(previousId) : []
  if (!previous)
    missing?.('body.previous_response_id', `response '${previousId}'`, 'previous_response_not_found')
  const text = { type: 'message', role: 'user', content: input }
  const items = (typeof input === 'string' ? [text] : listOf(input)).map(fieldsOf)
  const isReference = ({ type }: Record<string, unknown>) => type === 'item_reference'
  const referenced = stored?.items(items.filter(isReference).map(({ id }) => String(id)))
  const expanded = items.map((item, place) => {
    const found = isReference(item) ? referenced?.get(String(item['id'])) : item
    if (!found) missing?.(`body.input[${place}].id`, `item '${item['id']}'`, 'item_not_found')
    return found ?? item
  })
  return [...(previous ?? []), ...expanded].map(fieldsOf)
}

/** Throws 400. */
export function notStored(path: string, what: string, rule: string): never {
  const message = `Stored ${what} not found: it was never stored, or has been evicted`
  throw invalidRequest([{ path, message, rule }])
}
