/** Errors that become error replies, and their default messages. */
import type { AssumptionName } from '../assumptions.ts'
import { messageWithoutCall } from '../lib/call-names.ts'
import { matchAcrossCopies } from '../lib/copies.ts'
import { json, type Reply } from './reply.ts'

export interface Violation {
  /** Path of the value, such as `body.input[0].content`, `query.max_results` or `params.id`. */
  path: string
  message: string
  /** Name of the rule, such as `too_big`, `invalid_type` or `pattern`. */
  rule: string
}

const messages: Readonly<Record<number, string>> = {
  400: 'Invalid request parameters',
  401: 'Missing Authentication header',
  402: 'Insufficient credits',
  403: 'Only management keys can perform this operation',
  404: 'Resource not found',
  405: 'Method not allowed',
  408: 'Operation timed out',
  409: 'Conflict',
  410: 'This sandbox no longer exists',
  413: 'Request payload too large',
  414: 'URI too long',
  415: 'Unsupported media type: send application/json',
  422: 'Unprocessable entity',
  429: 'Rate limit exceeded',
  500: 'Internal Server Error',
  502: 'Provider returned error',
  503: 'Service temporarily unavailable',
  524: 'Request timed out',
  529: 'Provider overloaded',
}

export function messageOf(status: number): string {
  return messages[status] ?? (status >= 500 ? 'Server error' : 'Request refused')
}

export interface RefusalExtras {
  headers?: Record<string, string>
  /** Assumption to report if the specification does not define this error. Default: depends on the status. */
  assumption?: AssumptionName
  /** Explanation for the journal, and for the reply's `x-understudy-reason`. Default: none. */
  detail?: string
  /** If true, no fallback model is tried. Default: false. */
  isFinal?: boolean
  /** Parameter that breaks a vendor's rule, for `error.param`. Default: none. */
  param?: string
}

/**
 * Throw this in a resolver to reject a request with the error envelope.
 *
 * @param status HTTP status, 400 to 599, also used as `error.code`.
 * @param message `error.message`. Default: depends on the status.
 * @param metadata `error.metadata`. Omitted if undefined.
 */
export class GatewayError extends Error {
  /** Always `GatewayError`. */
  override name = 'GatewayError'
  /** HTTP status, 400 to 599. */
  readonly status: number
  /** Additional data, sent as `error.metadata`; undefined if there is none. */
  readonly metadata: Record<string, unknown> | undefined
  /** Response headers with lowercase names. */
  readonly headers: Record<string, string>
  /** Assumption to report; undefined to report the default for the status. */
  readonly assumption: AssumptionName | undefined
  /** Explanation for the journal and `x-understudy-reason`. */
  readonly detail: string | undefined

  /** If true, no other model would accept the request. @internal */
  readonly isFinal: boolean
  /** Parameter that breaks a vendor's rule. @internal */
  readonly param: string | undefined

  constructor(
    status: number,
    message: string = messageOf(status),
    metadata?: Record<string, unknown>,
    { headers = {}, assumption, detail, isFinal = false, param }: RefusalExtras = {},
  ) {
    super(message)
    this.status = status
    this.metadata = metadata
    this.headers = headers
    this.assumption = assumption
    this.detail = detail
    this.isFinal = isFinal
    this.param = param
  }
}
matchAcrossCopies('GatewayError', GatewayError)

/** Maximum number of violations to list. `metadata.more` counts the rest. */
const maxViolations = 100

/** Returns a 400 that lists all violations. The message describes the first violation. */
export function invalidRequest(violations: readonly Violation[], extras: RefusalExtras = {}): GatewayError {
  const listed = violations.slice(0, maxViolations)
  const more = violations.length - listed.length
  const [first] = violations
  // Such as `model: must be vendor/model`, without the part of the request (`body`, `query`, …).
  const path = first?.path.replace(/^(body|query|params|header)\./, '')
  const message = first
    ? `${path}: ${first.message.charAt(0).toLowerCase()}${first.message.slice(1)}`
    : undefined
  return new GatewayError(
    400,
    message,
    { violations: listed, ...(more > 0 && { more }) },
    { isFinal: true, ...extras },
  )
}

export interface EnvelopeExtras {
  metadata?: Record<string, unknown> | null | undefined
  gateway_metadata?: Record<string, unknown> | null | undefined
  user_id?: string | null | undefined
  headers?: Record<string, string> | undefined
  param?: string | undefined
}

/** Creates an error reply. For every status, uses the error envelope that the specification defines for 500. */
export function envelope(status: number, message: string, extras: EnvelopeExtras = {}): Reply {
  const { metadata, gateway_metadata, user_id, headers, param } = extras
  const type = param === undefined ? undefined : 'invalid_request_error'
  const error = { code: status, message, type, param, metadata }
  return json(status, { error, gateway_metadata, user_id }, headers)
}

export function toReply(error: GatewayError): Reply {
  const { status, metadata, headers, detail, param } = error
  // Some clients reject header values that are not ASCII.
  const reason = detail !== undefined && { 'x-understudy-reason': detail.replace(/[^ -~]/g, '?') }
  return envelope(status, messageWithoutCall(error), { metadata, param, headers: { ...headers, ...reason } })
}

/** Returns an error reply's message, in any protocol's envelope. Returns undefined for other replies. */
export function errorMessageOf({ status, body }: Reply): string | undefined {
  if (status < 400 || body.kind !== 'json') return undefined
  const { error } = (body.value ?? {}) as { error?: { message?: unknown } | null }
  return typeof error?.message === 'string' ? error.message : undefined
}
