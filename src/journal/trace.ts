/**
 * The trace that a call is part of, by the header `traceparent` of W3C Trace Context.
 */

const form = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-.*)?$/
const none = '0'.repeat(32)

/** 32 hexadecimal digits; undefined where the header is none, or malformed. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  const id = traceparent === undefined ? undefined : form.exec(traceparent)?.[1]
  return id === none || traceparent?.startsWith('ff') ? undefined : id
}
