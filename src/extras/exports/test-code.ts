/** Exports a call as a test. Its untrusted values are written as escaped literals. */
import { FaultSetting } from '../../faults/index.ts'
import type { GatewayCore } from '../../gateway/gateway.ts'
import { announcesEvents } from '../../http/reply.ts'
import { hideInString, hideInText, hideInValue } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { equal } from '../../lib/equal.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { operations } from '../../operations/index.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { isFaultModel } from '../../scenarios/bundled.ts'
import type { MatchedRule } from '../../scenarios/compose.ts'
import { isRecorded } from '../../scenarios/names.ts'
import { bodyOf, hasKey, keptHeaders, targetOf } from './curl.ts'
import { Code, literal, stringLiteral, templateText } from './literals.ts'

type Runner = 'vitest' | 'playwright'

/** Returns a test that repeats the call in a sandbox with the matched rules, and expects the same kind of reply. */
export function toTest(record: CallRecord, runner: Runner, sandbox: Sandbox, gateway: GatewayCore): string {
  const wait = runner === 'playwright' ? 'await ' : ''
  const earlier = [...new Set(earlierCalls(record, sandbox.journal.records()))]
  const { operation, method, route } = record
  const isCustom =
    operation !== undefined && ![...operations, ...gateway.outside].some(({ id }) => id === operation)
  const missing = isCustom ? `The operation '${operation}' is not attached` : missingPart(record, earlier)
  const rules = missing
    ? [copiedReply(record, isCustom ? `${method} ${route}` : onOf(record))]
    : record.matches.flatMap((match) => ruleOf(match, record) ?? [])
  if (rules.length === 0 && isAborted(record) && !hasBegun(record))
    rules.push(`hold(${stringLiteral(onOf(record))})`)
  const options = optionsFor(record, earlier, sandbox)
  const timeout = timeoutOf(record, runner)
  // Unmatched paths need `gateway.fetch`, because interception does not handle them.
  const isInternal = runner === 'vitest' && !record.operation && rules.length === 0
  const lines = [
    wait && timeout && `test.setTimeout(${timeout})`,
    missing && `// ${missing}, so a rule has a copy of the reply.`,
    ...rules.map((rule) => `${wait}sandbox.${rule}`),
    ...earlier.map((each) => `await fetch(${argumentsOf(each)})`),
    ...exchangeOf(record, isInternal ? 'gateway.fetch' : 'fetch'),
    !isCustom && callsExpectation(record, earlier, wait),
  ]
  const set = `test.${runner === 'vitest' ? 'override' : 'use'}`
  return [
    `import { expect, test } from 'gateway-understudy/${runner}'`,
    '',
    ...(options ? [`${set}(${literal({ gatewayOptions: options }, '')})`, ''] : []),
    `test(${stringLiteral(titleOf(record))}, async ({ ${isInternal ? 'gateway, ' : ''}sandbox }) => {`,
    ...lines.filter(Boolean).map((line) => `  ${line}`),
    wait || !timeout ? '})' : `}, ${timeout})`,
    '',
  ].join('\n')
}

/** Returns calls that made, renamed or deleted what the call names: records, and the response that it continues. */
function earlierCalls(record: CallRecord, all: readonly CallRecord[]): CallRecord[] {
  const { body, params, generatesText } = record
  const { previous_response_id: previous, ...fields } = isObject(body) ? body : {}
  const named = generatesText ? [previous] : [...Object.values(params), ...Object.values(fields)]
  const names = named.filter((name) => typeof name === 'string')
  return all.slice(0, all.indexOf(record)).flatMap((each) => {
    const { method, status, responseBody, requestBody } = each
    const isHarmless = method === 'PATCH' && !requestBody.text.includes('"slug":')
    if (method === 'GET' || isHarmless || status >= 300 || requestBody.truncatedBytes > 0) return []
    const isNamed = names.some((name) => {
      const id = JSON.stringify(name)
      return [`"id":${id}`, `"slug":${id}`].some((part) => responseBody.text.includes(part))
    })
    const isSame = Object.values(each.params).some((name) => names.includes(name))
    return isNamed || isSame ? [...earlierCalls(each, all), each] : []
  })
}

/** Returns what a copied test lacks, or undefined if it can repeat the call. */
function missingPart(record: CallRecord, earlier: readonly CallRecord[]): string | undefined {
  const { matches, lacksRecording, status, body } = record
  if (lacksRecording || matches.some(({ scenario }) => isRecorded(scenario)))
    return 'The recordings are not attached'
  if (matches.some(({ replyFunction }) => replyFunction)) return 'The reply function cannot be copied'
  if (status === 410) return 'The sandbox no longer exists'
  const isContinued = isObject(body) && typeof body['previous_response_id'] === 'string'
  return isContinued && status === 200 && earlier.length === 0
    ? 'The previous response has left the journal'
    : undefined
}

/** Returns a rule with the reply as the client received it, without secrets. */
function copiedReply(record: CallRecord, on: string): string {
  const { status, responseHeaders, responseBody, delivery } = record
  const type = responseHeaders['content-type']
  const text = hideInText(responseBody.text)
  const end = delivery === 'aborted-by-fault' ? [{ hangUp: record.endsProperly ? 'end' : 'reset' }] : []
  const isStream = end.length > 0 || announcesEvents(responseHeaders)
  const body = isStream
    ? { frames: [{ bytes: text }, ...end] }
    : text !== '' && { body: parseJson(text) ?? text }
  const reply = { status, ...(type && { headers: { 'content-type': type } }), ...body }
  return use({ on, ...(status === 0 ? { fault: 'connection-reset' } : { reply }) })
}

/** Options of the gateway on which replies depend. */
const copiedOptions = [
  'dialect',
  'strict',
  'onlySpecified',
  'storedResponses',
  'models',
  'fixtures',
  'recordCounts',
]

function optionsFor(
  record: CallRecord,
  earlier: readonly CallRecord[],
  { options }: Sandbox,
): object | undefined {
  // Ids in requests depend on the seed.
  const names = [...(earlier.length > 0 && options.seed !== 1 ? ['seed'] : []), ...copiedOptions]
  const values = names.map((name): [string, unknown] => [name, Reflect.get(options, name)])
  const changed = Object.fromEntries(values.filter(([, value]) => value && !equal(value, {})))
  if (hasWrongKey(record)) changed['apiKeys'] = ['valid']
  return equal(changed, {}) ? undefined : hideInValue(changed)
}

function hasWrongKey(record: CallRecord): boolean {
  return record.status === 401 && hasKey(record) && record.matches.length === 0
}

/** Timeouts that runners apply by default, in milliseconds. */
const defaultTimeouts = { vitest: 5000, playwright: 30_000 }

/** Returns a timeout for a call that took more than 40% of the runner's default, otherwise undefined. */
function timeoutOf(record: CallRecord, runner: Runner): number | undefined {
  const { startedAt, endedAt = startedAt } = record
  const durationMs = isAborted(record) ? 0 : Math.round(endedAt - startedAt)
  const usual = defaultTimeouts[runner]
  return durationMs > usual * 0.4 ? usual + 2000 * Math.ceil(durationMs / 1000) : undefined
}

function titleOf(record: CallRecord): string {
  const { method, route, path, status, matches } = record
  const effects = matches.flatMap(({ effect, gate }) => {
    return gate ? [] : effect.faults.map(({ name }) => name).join(', ') || 'a scripted reply'
  })
  const rule = effects.length > 0 ? ` with ${effects.join(' and ')}` : ''
  return `${method} ${hideInString(route ?? path)} ${hasBegun(record) ? `returns ${status}` : 'fails'}${rule}`
}

function onOf({ operation, method, route }: CallRecord): string {
  return operation ?? (route === undefined ? '*' : `${method} ${route}`)
}

function use(rule: object): string {
  return `use(${literal(hideInValue(rule))})`
}

/**
 * Returns the call that activates a rule, without parameters that have their defaults, or undefined if the rule has no
 * effect, or the model names it. A rate limit becomes a fault with the wait from the call's reply.
 */
function ruleOf({ effect, rateLimit, scenario }: MatchedRule, record: CallRecord): string | undefined {
  const { faults, reply } = effect
  const { model } = record
  if (isFaultModel(model) && scenario.endsWith(model.slice(model.indexOf('/') + 1))) return undefined
  const settings = faults.map(({ name, ...params }) => {
    const { limit, resetMs = 0 } = (name === 'rate-limit' && rateLimit) || {}
    const wait = limit !== undefined && { limit, retryAfterMs: 1000 * Math.ceil(resetMs / 1000) }
    const defaults: object = FaultSetting.safeParse(name).data ?? { headers: {} }
    const changed = Object.entries({ ...params, ...wait }).filter(([key, value]) => {
      return value !== undefined && !equal(value, Reflect.get(defaults, key))
    })
    return changed.length > 0 ? { name, ...Object.fromEntries(changed) } : name
  })
  const [fault, ...others] = settings
  if (!reply) {
    if (equal(Object.keys(Object(fault)), ['name', 'status']) && others.length === 0)
      return `fail(${Object(fault).status})`
    return fault && use({ on: onOf(record), fault: others.length > 0 ? settings : fault })
  }
  if (!fault && equal(Object.keys(reply), ['text'])) return `reply(${literal(hideInValue(reply.text))})`
  return use({ on: onOf(record), ...(fault && { fault: others.length > 0 ? settings : fault }), reply })
}

/** Returns true if the reply is still in flight, or the client disconnected before it was complete. */
function isAborted({ delivery }: CallRecord): boolean {
  return delivery === 'pending' || delivery === 'aborted-by-client'
}

/** Returns true if the client has received the head of a response. */
function hasBegun({ status, delivery, firstByteAt }: CallRecord): boolean {
  return status !== 0 && (delivery === 'complete' || firstByteAt !== undefined)
}

/** Returns the arguments of `fetch`. */
function argumentsOf(record: CallRecord): string {
  const { method, route } = record
  const body = bodyOf(record)
  const base = route === undefined ? 'new URL(sandbox.baseUrl).origin' : 'sandbox.baseUrl'
  const key = hasWrongKey(record) ? "'Bearer wrong'" : `\`Bearer \${sandbox.apiKey}\``
  const init = {
    ...(method !== 'GET' && { method }),
    headers: { ...(hasKey(record) && { authorization: new Code(key) }), ...keptHeaders(record) },
    ...(body !== '' && { body: bodyCode(body) }),
    ...(isAborted(record) && !hasBegun(record) && { signal: new Code('AbortSignal.timeout(1000)') }),
  }
  return `\`\${${base}}${templateText(targetOf(record))}\`, ${literal(init)}`
}

/** Returns an object literal if it serialises to the same text, otherwise a string literal. */
function bodyCode(text: string): string | Code {
  const value = parseJson(text)
  const isSame = value !== undefined && JSON.stringify(value) === text
  return isSame ? new Code(`JSON.stringify(${literal(value, '    ')})`) : text
}

/** Returns the request, and what is expected of its response. */
function exchangeOf(record: CallRecord, send: string): string[] {
  const { status, responseBody, responseHeaders, delivery, matches, operation } = record
  const request = `${send}(${argumentsOf(record)})`
  if (!hasBegun(record)) {
    const read = status === 0 ? '' : '.then((response) => response.text())'
    return [`const reply = ${request}${read}`, 'await expect(reply).rejects.toThrow()']
  }
  const text = hideInText(responseBody.text)
  const value = parseJson(text)
  const isCut = delivery === 'aborted-by-fault'
  const scripted = matches[0]?.effect.reply?.text
  const [last] = [...text.matchAll(/^(?:event: .*|data: \[DONE\])$/gm)].at(-1) ?? []
  const length = Number(responseHeaders['content-length'] ?? responseBody.bytes)
  let body = ''
  if (isAborted(record)) body = 'await response.body?.cancel()'
  else if (isCut && !record.endsProperly) body = 'await expect(response.text()).rejects.toThrow()'
  else if (isCut)
    body = `expect(await response.text()).not.toContain('${operation === 'createMessage' ? 'message_stop' : '[DONE]'}')`
  // The client cannot read the rest.
  else if (length < responseBody.bytes) body = ''
  else if (announcesEvents(responseHeaders))
    body = last ? `expect(await response.text()).toContain(${stringLiteral(last)})` : ''
  else if (responseBody.truncatedBytes === 0 && isObject(value))
    body =
      scripted && text.includes(scripted)
        ? `expect(await response.text()).toContain(${stringLiteral(scripted)})`
        : `expect(await response.json()).${jsonMatcher(value, parseJson(bodyOf(record)))}`
  return [`const response = await ${request}`, `expect(response.status).toBe(${status})`, body]
}

/** Returns a matcher that does not depend on generated values, which vary with the seed. */
function jsonMatcher(reply: object, request: unknown): string {
  const fields = fixedFields(reply, request)
  const [name] = Object.keys(reply)
  if (name === undefined) return 'toEqual({})'
  return fields ? `toMatchObject(${literal(fields)})` : `toHaveProperty([${stringLiteral(name)}])`
}

/** Returns the error's code or type, or the fields that repeat the request, such as the model. */
function fixedFields(reply: object, request: unknown): object | undefined {
  const { error, data } = reply as Record<string, unknown>
  const isKnown = (value: unknown) =>
    /^(string|number|boolean)$/.test(typeof value) && String(value).length <= 80
  const inner = isObject(error) ? error : data
  if (isObject(inner)) {
    const code = Object.entries(inner).find(([name, value]) => /^(code|type)$/.test(name) && isKnown(value))
    const fields = inner === data ? fixedFields(data, request) : code && Object.fromEntries([code])
    return fields && { [inner === data ? 'data' : 'error']: fields }
  }
  const same = Object.entries(Object(request)).filter(([name, value]) => {
    return isKnown(value) && Object.hasOwn(reply, name) && Reflect.get(reply, name) === value
  })
  return same.length > 0 ? Object.fromEntries(same) : undefined
}

function callsExpectation(record: CallRecord, earlier: readonly CallRecord[], wait: string): string {
  const { operation, isAnswered } = record
  if (!operation) return isAnswered ? '' : `expect(${wait}sandbox.journal.unmatched()).toHaveLength(1)`
  // An aborted call is recorded soon after.
  if (isAborted(record) && !hasBegun(record))
    return `await sandbox.journal.waitFor(${stringLiteral(operation)})`
  const count = 1 + earlier.filter((each) => each.operation === operation).length
  return wait
    ? `expect(await sandbox.journal.calls(${stringLiteral(operation)})).toHaveLength(${count})`
    : `expect(sandbox).toHaveReceivedTimes(${stringLiteral(operation)}, ${count})`
}
