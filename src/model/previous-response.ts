/**
 * A request that goes on from what is stored: the conversation before it, items that it names by their ids, and keeping
 * what comes of it.
 */
import { invalidRequest } from '../http/errors.ts'
import type { CreateResponseBody, InputItem } from '../resources/create-response-body.ts'
import type { ResponseObject } from '../resources/response.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'

/** The request with all of its conversation as its input. Throws 400 for a response or an item that is not stored. */
export function withStored(
  body: CreateResponseBody,
  { options, storedResponses }: SandboxState,
): CreateResponseBody {
  // Without the option only a scripted reply gets here, which needs no conversation.
  if (!options.storedResponses) return body
  const { previous_response_id: id } = body
  const before = id == null ? [] : (storedResponses.find(id) as InputItem[] | undefined)
  if (!before) throw notStored('previous_response_id', `response '${id}'`, 'previous_response_not_found')
  if (before.length === 0 && typeof body.input === 'string') return body
  const own = itemsOf(body.input)
  const found = storedResponses.items(own.flatMap((item) => (isReference(item) ? [item.id] : [])))
  const named = own.map((item, place) => {
    if (!isReference(item)) return item
    const stored = found.get(item.id) as InputItem | undefined
    if (!stored) throw notStored(`input[${place}].id`, `item '${item.id}'`, 'item_not_found')
    return stored
  })
  return { ...body, input: [...before, ...named] }
}

/** Keeps a response for requests to come, unless its request says not to. */
export function store(
  body: CreateResponseBody,
  { id, output }: ResponseObject,
  { options, storedResponses }: SandboxState,
): void {
  if (options.storedResponses && body.store !== false)
    storedResponses.keep(id, [...itemsOf(body.input), ...output])
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
