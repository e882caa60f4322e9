/**
 * The one way to refuse a caller, and the messages it is done with.
 */
import type { AssumptionName } from '../assumptions.ts'
import { json, type Reply } from './reply.ts'

/** One input rule that a request violates. */
export interface Violation {
  /** Where: `body.input[0].content`, `query.max_results`, `params.id`. */
  path: string
  message: string
  /** The rule by name: `too_big`, `invalid_type`, `pattern`, … */
  rule: string
}

/** The message of each refusal that has a usual one. */
export const messages = {
  400: 'Invalid request parameters',
  401: 'Missing Authentication header',
  402: 'Insufficient credits',
  403: 'Only management keys can perform this operation',
  404: 'Resource not found',
  405: 'Method not allowed',
  408: 'Operation timed out',
  409: 'Conflict',
  410: 'This sandbox is gone',
  413: 'Request payload too large',
  415: 'Unsupported media type: send application/json',
  422: 'Unprocessable entity',
  429: 'Rate limit exceeded',
  500: 'Internal Server Error',
  502: 'Provider returned error',
  503: 'Service temporarily unavailable',
  524: 'Request timed out',
  529: 'Provider overloaded',
} as const satisfies Record<number, string>

/** The usual message of a status; a general one where it has none. */
export function messageOf(status: number): string {
  return (
    (messages as Record<number, string>)[status] ??
    (String(status).startsWith('5') ? 'Server error' : 'Request refused')
  )
}

export interface RefusalExtras {
  /** Names in lower case. */
  headers?: Record<string, string>
  /** What the refusal rests on, where the specification does not promise it. Default: what its status rests on. */
  assumption?: AssumptionName
}

/**
 * Refuses a caller. Thrown anywhere below the corridor, answered as the error envelope.
 *
 * @param status HTTP status, 400 to 599; it is also `error.code`.
 * @param message `error.message`. Default: the usual message of the status.
 * @param metadata `error.metadata`, left out where undefined.
 */
export class GatewayError extends Error {
  /** `GatewayError`. */
  override name = 'GatewayError'
  /** HTTP status, 400 to 599. */
  readonly status: number
  /** `error.metadata`. */
  readonly metadata: Record<string, unknown> | undefined
  /** Headers of the refusal; names in lower case. */
  readonly headers: Record<string, string>
  /** What the refusal rests on; undefined for what its status rests on. */
  readonly assumption: AssumptionName | undefined

  constructor(
    status: number,
    message: string = messageOf(status),
    metadata?: Record<string, unknown>,
    { headers = {}, assumption }: RefusalExtras = {},
  ) {
    super(message)
    this.status = status
    this.metadata = metadata
    this.headers = headers
    this.assumption = assumption
  }
}

/** A resolver's reply that does not match its schema. The message has everything that a report needs. */
export class BrokenContract extends GatewayError {
  override name = 'BrokenContract'

  constructor(operation: string, violations: readonly Violation[]) {
    const list = violations.map(({ path, message }) => `${path}: ${message}`).join('; ')
    super(500, `understudy broke its contract in ${operation}: ${list}`, { violations })
  }
}

/** How many violations a refusal lists; `metadata.more` counts the others. */
const maxViolations = 100

/** A 400 that lists every violated rule at once; its message is the first. */
export function invalidRequest(violations: readonly Violation[], extras: RefusalExtras = {}): GatewayError {
  const told = violations.slice(0, maxViolations)
  const more = violations.length - told.length
  const [first] = violations
  const message = first ? inWords(first) : messages[400]
  return new GatewayError(400, message, { violations: told, ...(more > 0 && { more }) }, extras)
}

/** `model: must be vendor/model`: the field without the part of the request that it stands in. */
function inWords({ path, message }: Violation): string {
  return `${path.replace(/^(body|query|params|header)\./, '')}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

export interface EnvelopeExtras {
  metadata?: Record<string, unknown> | null | undefined
  gateway_metadata?: Record<string, unknown> | null | undefined
  user_id?: string | null | undefined
  headers?: Record<string, string> | undefined
}

/** The error envelope. Spec: Error envelope (500 shape), used for every refusal. */
export function envelope(status: number, message: string, extras: EnvelopeExtras = {}): Reply {
  const { metadata, gateway_metadata, user_id, headers } = extras
  return json(
    status,
    {
      error: { code: status, message, ...(metadata !== undefined && { metadata }) },
      ...(gateway_metadata !== undefined && { gateway_metadata }),
      ...(user_id !== undefined && { user_id }),
    },
    headers,
  )
}

export function toReply(error: GatewayError): Reply {
  return envelope(error.status, error.message, { metadata: error.metadata, headers: error.headers })
}

/** The message of a refusal, in the envelope or in that of another protocol; undefined for another reply. */
export function refusalMessage({ status, body }: Reply): string | undefined {
  if (status < 400 || body.kind !== 'json') return undefined
  const { error } = (body.value ?? {}) as { error?: { message?: unknown } | null }
  return typeof error?.message === 'string' ? error.message : undefined
}
