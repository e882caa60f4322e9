/**
 * A request that goes on from a stored response: the conversation before it, and keeping what comes of it.
 */
import { invalidRequest } from '../http/errors.ts'
import type { CreateResponseBody, InputItem } from '../resources/create-response-body.ts'
import type { ResponseObject } from '../resources/response.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'

/** The request with the conversation before it as its input. Throws 400 for a response that is not stored. */
export function withPrevious(
  body: CreateResponseBody,
  { options, storedResponses }: SandboxState,
): CreateResponseBody {
  const { previous_response_id: id } = body
  // Without the option only a scripted reply gets here, which needs no conversation.
  if (id == null || !options.storedResponses) return body
  const before = storedResponses.find(id) as InputItem[] | undefined
  if (!before) {
    const message = `There is no stored response '${id}': it was not stored, or is not kept any more`
    throw invalidRequest([
      { path: 'body.previous_response_id', message, rule: 'previous_response_not_found' },
    ])
  }
  return { ...body, input: [...before, ...itemsOf(body.input)] }
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
