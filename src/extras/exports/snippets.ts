/** Exports a call as a curl command or a test. Its untrusted values are written as escaped literals. */
import type { SandboxAddress } from '../../control/sandbox-operations.ts'
import { httpToken } from '../../http/header-record.ts'
import { announcesEvents } from '../../http/reply.ts'
import { hideInQuery, hideInString, hideInText, hideInValue, isSecretName } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { parseJson } from '../../lib/json.ts'
import { shellWord } from '../../lib/shell-word.ts'
import type { MatchedRule } from '../../scenarios/compose.ts'
import { jsonLiteral, propertyKey, stringLiteral, templateText } from './literals.ts'

/** Headers that exports omit: hop-by-hop headers, headers that clients or SDKs set, and `x-understudy-scenario`. */
const omittedHeaders =
  /^(host|connection|content-length|transfer-encoding|user-agent|accept|accept-.*|origin|referer|sec-.*|keep-alive|x-understudy-scenario|x-stainless-.*|traceparent|priority|expect)$/i

/** Returns a curl command. Throws for a call with NUL characters, which command lines cannot contain. */
export function toCurl(record: CallRecord, { baseUrl, apiKey }: SandboxAddress, origin: string): string {
  const { method, route, asksForStream } = record
  const base = route === undefined ? origin : baseUrl
  const target = targetOf(record)
  const body = bodyOf(record)
  const first = [
    'curl',
    // -g turns off URL globbing.
    ...(/[[\]{}]/.test(target) ? ['-g'] : []),
    ...(asksForStream ? ['-N'] : []),
    ...(method === 'GET' ? [] : ['-X', /^[A-Z]+$/.test(method) ? method : shellWord(method)]),
    shellWord(base + target),
  ]
  const headers = Object.entries(keptHeaders(record)).map(([name, value]) =>
    value === '' ? `${name};` : `${name}: ${value}`,
  )
  const lines = [
    first.join(' '),
    ...[`authorization: Bearer ${apiKey}`, ...headers].map((header) => `-H ${shellWord(header)}`),
    ...(body === '' ? [] : [`--data-raw ${shellWord(body)}`]),
  ]
  return `${lines.join(' \\\n  ')}\n`
}

/** The path always starts with a slash, so that it cannot change the host. */
function targetOf({ route, path, search }: CallRecord): string {
  const target = route ?? path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  return `${target.startsWith('/') ? '' : '/'}${hideInString(target)}${hideInQuery(search)}`
}

/** Returns a test that repeats the call in a sandbox with the matched rules, and expects the same kind of reply. */
export function toTest(record: CallRecord, runner: 'vitest' | 'playwright'): string {
  const rules = record.matches.filter(hasEffect).map((match) => ruleOf(match, record))
  const remote = runner === 'playwright' ? 'await ' : ''
  const timeout = timeoutOf(record, runner)
  // Unmatched paths need `gateway.fetch`, because interception does not handle them.
  const fetchName = runner === 'vitest' && !record.operation && rules.length === 0 ? 'gateway.fetch' : 'fetch'
  const lines = [
    `import { expect, test } from 'gateway-understudy/${runner}'`,
    '',
    `test(${stringLiteral(titleOf(record))}, async ({ ${fetchName === 'fetch' ? '' : 'gateway, '}sandbox }) => {`,
    ...(remote && timeout ? [`  test.setTimeout(${timeout})`] : []),
    ...rules.map((rule) => `  ${remote}sandbox.use(${indented(jsonLiteral(rule))})`),
    ...requestOf(record, fetchName).map((line) => `  ${line}`),
    ...expectationsOf(record, remote).map((line) => `  ${line}`),
    remote || !timeout ? '})' : `}, ${timeout})`,
    '',
  ]
  return lines.join('\n')
}

/** Returns false for a recording, and for a reply that was too long to store. */
function hasEffect({ effect }: MatchedRule): boolean {
  return effect.faults.length > 0 || effect.reply !== undefined
}

/** Timeouts that runners apply by default, in milliseconds. */
const defaultTimeouts = { vitest: 5000, playwright: 30_000 }

/** Returns a timeout for a call that took more than 40% of the runner's default, otherwise undefined. */
function timeoutOf({ startedAt, endedAt = startedAt }: CallRecord, runner: 'vitest' | 'playwright') {
  const durationMs = Math.round(endedAt - startedAt)
  const usual = defaultTimeouts[runner]
  return durationMs > usual * 0.4 ? usual + 2000 * Math.ceil(durationMs / 1000) : undefined
}

function titleOf({ method, route, path, status, matches }: CallRecord): string {
  const effects = matches.flatMap(({ effect, gate }) => {
    if (gate) return []
    return effect.faults.map(({ name }) => name).join(', ') || 'a scripted reply'
  })
  const rule = effects.length > 0 ? ` with ${effects.join(' and ')}` : ''
  return `${method} ${hideInString(route ?? path)} ${status === 0 ? 'fails' : `returns ${status}`}${rule}`
}

/** Omits secrets, and how often the rule applies. A rate limit becomes a fault with the wait from the call's reply. */
function ruleOf(match: MatchedRule, { operation, method, route }: CallRecord): object {
  const { faults, reply } = match.effect
  const on = operation ?? (route === undefined ? '*' : `${method} ${route}`)
  const quota = match.rateLimit
  const actual = faults.map((fault) =>
    fault.name === 'rate-limit' && quota
      ? { ...fault, limit: quota.limit, retryAfterMs: Math.ceil(quota.resetMs) }
      : fault,
  )
  const [fault, ...others] = actual
  const effect = others.length > 0 ? { fault: actual } : fault && { fault }
  return hideInValue({ on, ...effect, ...(reply && { reply }) })
}

/** Returns true if the reply is still in flight, or the client disconnected before it was complete. */
function isEndless({ delivery }: CallRecord): boolean {
  return delivery === 'pending' || delivery === 'aborted-by-client'
}

function requestOf(record: CallRecord, fetchName: string): string[] {
  const { method, route } = record
  const body = bodyOf(record)
  const base = route === undefined ? 'new URL(sandbox.baseUrl).origin' : 'sandbox.baseUrl'
  const address = `\`\${${base}}${templateText(targetOf(record))}\``
  const headers = keptHeaders(record)
  return [
    `const ${record.status === 0 ? 'request' : 'response'} = ${record.status === 0 ? '' : 'await '}${fetchName}(${address}, {`,
    ...(method === 'GET' ? [] : [`  method: ${stringLiteral(method)},`]),
    '  headers: {',
    `    authorization: \`Bearer \${sandbox.apiKey}\`,`,
    ...Object.entries(headers).map(([name, value]) => `    ${propertyKey(name)}: ${stringLiteral(value)},`),
    '  },',
    ...(body === '' ? [] : [`  body: ${bodyLiteral(body)},`]),
    ...(isEndless(record) ? ['  signal: AbortSignal.timeout(1000),'] : []),
    '})',
  ]
}

function expectationsOf(record: CallRecord, remote: string): string[] {
  const { status, operation, isAnswered, delivery } = record
  const calls = operation
    ? remote
      ? [`expect(await sandbox.journal.calls(${stringLiteral(operation)})).toHaveLength(1)`]
      : [`expect(sandbox).toHaveReceivedTimes(${stringLiteral(operation)}, 1)`]
    : isAnswered
      ? []
      : [`expect(${remote}sandbox.journal.unmatched()).toHaveLength(1)`]
  if (status === 0) return ['await expect(request).rejects.toThrow()', ...calls]
  return [
    `expect(response.status).toBe(${status})`,
    ...(delivery === 'aborted-by-fault'
      ? ['await expect(response.text()).rejects.toThrow()']
      : isEndless(record)
        ? ['await response.body?.cancel()']
        : bodyExpectations(record)),
    ...calls,
  ]
}

/** Returns expectations that do not depend on the generated text, which varies with the seed. */
function bodyExpectations({ responseBody, responseHeaders, isAnswered }: CallRecord): string[] {
  const { text } = responseBody
  if (announcesEvents(responseHeaders)) {
    const last = [...text.matchAll(/^(?:event: .*|data: \[DONE\])$/gm)].at(-1)?.[0]
    return last === undefined ? [] : [`expect(await response.text()).toContain(${stringLiteral(last)})`]
  }
  if (responseBody.truncatedBytes > 0) return []
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const code = errorCodeOf(value)
  if (code !== undefined && !isAnswered)
    return [`expect(await response.json()).toMatchObject({ error: { code: ${code} } })`]
  const [field] = Object.keys(value)
  return field === undefined
    ? []
    : [`expect(await response.json()).toHaveProperty([${stringLiteral(field)}])`]
}

function errorCodeOf(value: object): number | undefined {
  const error: unknown = Reflect.get(value, 'error')
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  return Number.isSafeInteger(code) ? (code as number) : undefined
}

function keptHeaders({ headers }: CallRecord): Record<string, string> {
  const selected = Object.entries(headers).filter(
    ([name]) => httpToken.test(name) && !omittedHeaders.test(name) && !isSecretName(name),
  )
  return hideInValue(Object.fromEntries(selected))
}

/** Returns the request body without secrets. Throws if the journal does not have the whole body. */
function bodyOf({ id, requestBody }: CallRecord): string {
  if (requestBody.truncatedBytes > 0)
    throw new Error(`The body of '${id}' is incomplete: it was too large for the journal`)
  return hideInText(requestBody.text)
}

/** Returns an object literal if it serialises to the same text, otherwise a string literal. */
function bodyLiteral(text: string): string {
  const value = parseJson(text)
  if (value === undefined || JSON.stringify(value) !== text) return stringLiteral(text)
  return `JSON.stringify(${indented(jsonLiteral(value), '    ')})`
}

function indented(text: string, by = '  '): string {
  return text.replaceAll('\n', `\n${by}`)
}
