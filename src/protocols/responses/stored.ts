/**
 * Responses that continue stored ones: the conversation before a request, and keeping what comes of it.
 */
import { invalidRequest } from '../../http/errors.ts'
import type { CreateResponseBody, InputItem } from '../../resources/create-response-body.ts'
import type { ResponseObject } from '../../resources/response.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'

/**
 * The input with the conversation before it, and with the items that it refers to. Throws 400 for a response or an item
 * that is not stored.
 */
export function wholeInput(
  body: CreateResponseBody,
  { options, storedResponses }: SandboxState,
): InputItem[] {
  const own = itemsOf(body.input)
  // Without the option only a scripted reply gets here, which needs no conversation.
  if (!options.storedResponses) return own
  const { previous_response_id: id } = body
  const before = id == null ? [] : (storedResponses.find(id) as InputItem[] | undefined)
  if (!before) throw notStored('previous_response_id', `response '${id}'`, 'previous_response_not_found')
  const found = storedResponses.items(own.flatMap((item) => (isReference(item) ? [item.id] : [])))
  const named = own.map((item, place) => {
    if (!isReference(item)) return item
    const stored = found.get(item.id) as InputItem | undefined
    if (!stored) throw notStored(`input[${place}].id`, `item '${item.id}'`, 'item_not_found')
    return stored
  })
  return [...before, ...named]
}

/** Keeps a response for later requests, unless its request says not to. @param input From `wholeInput`. */
export function store(
  { store: isWanted }: CreateResponseBody,
  input: readonly InputItem[],
  { id, output }: ResponseObject,
  { options, storedResponses }: SandboxState,
): void {
  if (options.storedResponses && isWanted !== false) storedResponses.keep(id, [...input, ...output])
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
