/** Expands requests that continue a stored response. */
import { invalidRequest } from '../../http/errors.ts'
import { fieldsOf, listOf } from '../../lib/json.ts'
import type { StoredConversations } from '../../resources/protocol.ts'

/**
 * Adds the previous conversation, and resolves references to items. Unknown ids are omitted or left unchanged or, with
 * `isStrict`, rejected with a 400.
 */
export function expandInput(
  body: unknown,
  stored: StoredConversations | undefined,
  isStrict = false,
): Record<string, unknown>[] {
  const { input, previous_response_id: previousId } = fieldsOf(body)
  const missing = (path: string, what: string, rule: string) => {
    if (!isStrict) return
    const message = `Stored ${what} not found: it was never stored, or has been evicted`
    throw invalidRequest([{ path, message, rule }])
  }
  const previous = typeof previousId === 'string' ? stored?.find(previousId) : []
  if (!previous)
    missing('body.previous_response_id', `response '${previousId}'`, 'previous_response_not_found')
  const text = { type: 'message', role: 'user', content: input }
  const items = (typeof input === 'string' ? [text] : listOf(input)).map(fieldsOf)
  const isReference = ({ type }: Record<string, unknown>) => type === 'item_reference'
  const referenced = stored?.items(items.filter(isReference).map(({ id }) => String(id)))
  const expanded = items.map((item, place) => {
    const found = isReference(item) ? referenced?.get(String(item['id'])) : item
    if (!found) missing(`body.input[${place}].id`, `item '${item['id']}'`, 'item_not_found')
    return found ?? item
  })
  return [...(previous ?? []), ...expanded].map(fieldsOf)
}
