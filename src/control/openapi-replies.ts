/**
 * Replies and headers of the emulated API, as its document describes them beside what each operation answers.
 */
import { messageOf } from '../http/errors.ts'
import type { AnyOperation } from '../operation.ts'

type Json = Record<string, unknown>

const header = (description: string, type = 'string') => ({ description, schema: { type } })

/** Headers that any reply may have, and those of some refusals. */
export const replyHeaders: Json = {
  RequestId: header('Names the reply: the same for the same request, seed and place in the order.'),
  Assumptions: header('What the reply rests on that the specification leaves open, by name.'),
  Scenario: header('The rule that made or changed the reply, such as `flaky#1`.'),
  WwwAuthenticate: header('`Bearer`.'),
  RetryAfter: header('Seconds to wait, or a date.'),
  RateLimit: header('Calls that a window lets pass.', 'integer'),
  RateLimitRemaining: header('Calls that are left of it.', 'integer'),
  RateLimitReset: header('Seconds until the window ends.', 'integer'),
}

const always: Json = {
  'x-request-id': ref('RequestId'),
  'x-understudy-assumptions': ref('Assumptions'),
  'x-understudy-scenario': ref('Scenario'),
}

const ofStatus: Record<number, Json> = {
  401: { 'www-authenticate': ref('WwwAuthenticate') },
  429: {
    'retry-after': ref('RetryAfter'),
    'x-ratelimit-limit': ref('RateLimit'),
    'x-ratelimit-remaining': ref('RateLimitRemaining'),
    'x-ratelimit-reset': ref('RateLimitReset'),
  },
}

function ref(name: string): Json {
  return { $ref: `#/components/headers/${name}` }
}

/** The headers of a reply of some status; undefined is any other than those listed. */
export function headersOf(status?: number): Json {
  return { ...always, ...(status !== undefined && ofStatus[status]) }
}

/** The statuses by which an operation refuses a request, in order. */
export function refusalsOf({ input: { params, query, body } = {}, errors = [] }: AnyOperation): number[] {
  const checked = params || query || body ? [400] : []
  const read = body ? [413, 415] : []
  return [...checked, 401, 410, 429, ...read, ...errors].sort((left, right) => left - right)
}

/** A refusal: the envelope, with its headers. */
export function refusal(status: number, error: Json): Json {
  return {
    description: messageOf(status),
    headers: headersOf(status),
    content: { 'application/json': { schema: error } },
  }
}
