/** Exports a call as a curl command, and reads the parts of a request that exported tests also contain. */
import type { SandboxAddress } from '../../control/sandbox-operations.ts'
import { httpToken } from '../../http/header-record.ts'
import { hideInQuery, hideInString, hideInText, hideInValue, isSecretName } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { shellWord } from '../../lib/shell-word.ts'

/** Headers that exports omit: hop-by-hop headers, headers that clients or SDKs set, and `x-understudy-scenario`. */
const omittedHeaders =
  /^(host|connection|content-length|transfer-encoding|user-agent|accept|accept-.*|origin|referer|sec-.*|keep-alive|x-understudy-scenario|x-stainless-.*|traceparent|priority|expect)$/i

/** Returns a curl command. Throws for a call with NUL characters, which command lines cannot contain. */
export function toCurl(record: CallRecord, { baseUrl, apiKey }: SandboxAddress, origin: string): string {
  const { method, route, asksForStream } = record
  const base = route === undefined ? origin : baseUrl
  const target = targetOf(record)
  const body = bodyOf(record)
  const headers = Object.entries(keptHeaders(record)).map(([name, value]) =>
    value === '' ? `${name};` : `${name}: ${value}`,
  )
  if (hasKey(record)) headers.unshift(`authorization: Bearer ${apiKey}`)
  // -g turns off URL globbing.
  const options = [
    /[[\]{}]/.test(target) && '-g',
    asksForStream && '-N',
    method !== 'GET' && `-X ${/^[A-Z]+$/.test(method) ? method : shellWord(method)}`,
  ]
  const lines = [
    ['curl', ...options, shellWord(base + target)].filter(Boolean).join(' '),
    ...headers.map((header) => `-H ${shellWord(header)}`),
    body !== '' && `--data-raw ${shellWord(body)}`,
  ].filter(Boolean)
  return `${lines.join(' \\\n  ')}\n`
}

/** The path always starts with a slash, so that it cannot change the host. */
export function targetOf({ route, path, search }: CallRecord): string {
  const target = route ?? path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  return `${target.startsWith('/') ? '' : '/'}${hideInString(target)}${hideInQuery(search)}`
}

export function keptHeaders({ headers }: CallRecord): Record<string, string> {
  const selected = Object.entries(headers).filter(
    ([name]) => httpToken.test(name) && !omittedHeaders.test(name) && !isSecretName(name),
  )
  return hideInValue(Object.fromEntries(selected))
}

/** Returns the request body without secrets. Throws if the journal does not have the whole body. */
export function bodyOf({ id, requestBody }: CallRecord): string {
  if (requestBody.truncatedBytes > 0)
    throw new Error(`The body of '${id}' is incomplete: it was too large for the journal`)
  return hideInText(requestBody.text)
}

export function hasKey({ headers }: CallRecord): boolean {
  return 'authorization' in headers || 'x-api-key' in headers
}
