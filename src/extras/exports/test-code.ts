/** Exports a call as a test. Its untrusted values are written as escaped literals. */
import type { GatewayCore } from '../../gateway/gateway.ts'
import { announcesEvents } from '../../http/reply.ts'
import { hideInString, hideInText, hideInValue } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { equal } from '../../lib/equal.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { tokenize } from '../../model/tokens.ts'
import { operations } from '../../operations/index.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { isFaultModel } from '../../scenarios/bundled.ts'
import type { MatchedRule } from '../../scenarios/compose.ts'
import { isRecorded } from '../../scenarios/names.ts'
import type { ScriptedItem } from '../../scenarios/scripted-reply.ts'
import { bodyOf, hasKey, keptHeaders, targetOf } from './curl.ts'
import { Code, literal, stringLiteral, templateText } from './literals.ts'

type Runner = 'vitest' | 'playwright'

/** Returns a test that repeats the call in a sandbox with the matched rules, and expects the same kind of reply. */
export function toTest(record: CallRecord, runner: Runner, sandbox: Sandbox, gateway: GatewayCore): string {
  const wait = runner === 'playwright' ? 'await ' : ''
  const { operation, method, route, path, status, startedAt, endedAt = startedAt } = record
  const earlier = [...new Set(earlierCalls(record, sandbox.journal.records()))]
  const isCustom =
    operation !== undefined && ![...operations, ...gateway.outside].some(({ id }) => id === operation)
  const isRepeatable = !isCustom && canRepeat(record, earlier)
  const rules = isRepeatable
    ? record.matches.flatMap((match) => ruleOf(match, record) ?? [])
    : [copiedReply(record, isCustom ? `${method} ${route}` : onOf(record))]
  if (rules.length === 0 && isAborted(record) && !hasBegun(record))
    rules.push(`hold(${stringLiteral(onOf(record))})`)
  const options = optionsFor(record, sandbox)
  const seconds = Math.ceil((endedAt - startedAt) / 1000)
  const timeout = seconds > 2 && 30_000 + 2000 * seconds
  // Unmatched paths need `gateway.fetch`, because interception does not handle them.
  const isInternal = runner === 'vitest' && !operation && rules.length === 0
  const title = `${method} ${hideInString(route ?? path)} ${hasBegun(record) ? `returns ${status}` : 'fails'}`
  const lines = [
    wait && timeout && `test.setTimeout(${timeout})`,
    !isRepeatable && '// The call cannot be repeated in a new sandbox, so a rule has a copy of its reply.',
    ...rules.map((rule) => `${wait}sandbox.${rule}`),
    ...earlier.map((each) => `await fetch(${argumentsOf(each)})`),
    ...exchangeOf(record, isInternal ? 'gateway.fetch' : 'fetch'),
  ]
  const set = `test.${runner === 'vitest' ? 'override' : 'use'}`
  return [
    `import { expect, test } from 'gateway-understudy/${runner}'`,
    '',
    ...(options ? [`${set}(${literal({ gatewayOptions: options }, '')})`, ''] : []),
    `test(${stringLiteral(title)}, async ({ ${isInternal ? 'gateway, ' : ''}sandbox }) => {`,
    ...lines.filter(Boolean).map((line) => `  ${line}`),
    wait || !timeout ? '})' : `}, ${timeout})`,
    '',
  ].join('\n')
}

/** Returns earlier calls that created, renamed or deleted the records or response that a call refers to. */
function earlierCalls(record: CallRecord, all: readonly CallRecord[]): CallRecord[] {
  const { body, params, generatesText } = record
  const { previous_response_id: previous, ...fields } = isObject(body) ? body : {}
  const named = generatesText ? [previous] : [...Object.values(params), ...Object.values(fields)]
  const names = named.filter((name) => typeof name === 'string')
  return all.slice(0, all.indexOf(record)).flatMap((each) => {
    const { method, status, responseBody, requestBody } = each
    if (method === 'GET' || status >= 300 || requestBody.truncatedBytes > 0) return []
    const made = Array.from(responseBody.text.matchAll(/"(?:id|slug)":"([^"]+)"/g), ([, name = '']) => name)
    const isNamed = [...made, ...Object.values(each.params)].some((name) => names.includes(name))
    return isNamed ? [...earlierCalls(each, all), each] : []
  })
}

/** Returns false if the reply depends on something a test cannot set up: recordings, functions, or an earlier call. */
function canRepeat(record: CallRecord, earlier: readonly CallRecord[]): boolean {
  const { matches, lacksRecording, status, body } = record
  if (lacksRecording || status === 410) return false
  if (matches.some(({ scenario, activation }) => activation.replyFunction || isRecorded(scenario)))
    return false
  const isContinued = isObject(body) && typeof body['previous_response_id'] === 'string'
  return !isContinued || status !== 200 || earlier.length > 0
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

/** Gateway options that affect replies or the ids in later requests. */
const copiedOptions = /^(seed|dialect|strict|onlySpecified|storedResponses|models|fixtures|recordCounts)$/

function optionsFor(record: CallRecord, { options }: Sandbox): object | undefined {
  const changed = Object.entries(options).filter(([name, value]) => {
    return copiedOptions.test(name) && value && !equal(value, {}) && !equal([name, value], ['seed', 1])
  })
  if (hasWrongKey(record)) changed.push(['apiKeys', ['valid']])
  return changed.length > 0 ? hideInValue(Object.fromEntries(changed)) : undefined
}

function hasWrongKey(record: CallRecord): boolean {
  return record.status === 401 && hasKey(record) && record.matches.length === 0
}

function onOf({ operation, method, route }: CallRecord): string {
  return operation ?? (route === undefined ? '*' : `${method} ${route}`)
}

function use(rule: object): string {
  return `use(${literal(hideInValue(rule))})`
}

/**
 * Returns a `use(…)` call for a rule, or undefined if the rule has no effect or the model's name selects it. A rate
 * limit becomes a fault with the wait from the recorded reply.
 */
function ruleOf({ effect, rateLimit, scenario }: MatchedRule, record: CallRecord): string | undefined {
  const { model } = record
  if (isFaultModel(model) && scenario.endsWith(model.slice(model.indexOf('/') + 1))) return undefined
  const faults = effect.faults.map(({ name, ...params }) => {
    const { limit, resetMs = 0 } = (name === 'rate-limit' && rateLimit) || {}
    const wait = limit !== undefined && { limit, retryAfterMs: 1000 * Math.ceil(resetMs / 1000) }
    return { name, ...params, ...wait }
  })
  const fault = faults.length > 1 ? faults : faults[0]
  if (!fault && !effect.reply) return undefined
  return use({ on: onOf(record), fault, reply: effect.reply })
}

/** Returns true if the reply is still in flight, or the client disconnected before it was complete. */
function isAborted({ delivery }: CallRecord): boolean {
  return delivery === 'pending' || delivery === 'aborted-by-client'
}

/** Returns true if the client has received the head of a response. */
function hasBegun({ status, delivery, firstByteAt }: CallRecord): boolean {
  return status !== 0 && (delivery === 'complete' || firstByteAt !== undefined)
}

/** Returns the code of the arguments to `fetch`. */
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

/** Returns code that sends the request and asserts on its response. */
function exchangeOf(record: CallRecord, send: string): string[] {
  const request = `${send}(${argumentsOf(record)})`
  if (!hasBegun(record)) {
    const reply = `${request}.then((response) => response.text())`
    return [`const reply = ${reply}`, 'await expect(reply).rejects.toThrow()']
  }
  return [
    `const response = await ${request}`,
    `expect(response.status).toBe(${record.status})`,
    bodyExpectation(record),
  ]
}

function bodyExpectation(record: CallRecord): string {
  const { responseBody, responseHeaders, delivery, matches, operation, endsProperly } = record
  if (isAborted(record)) return 'await response.body?.cancel()'
  const isCut = delivery === 'aborted-by-fault'
  if (isCut && !endsProperly) return 'await expect(response.text()).rejects.toThrow()'
  const end = operation === 'createMessage' ? 'message_stop' : '[DONE]'
  if (isCut) return `expect(await response.text()).not.toContain('${end}')`
  const length = Number(responseHeaders['content-length'] ?? responseBody.bytes)
  // The client cannot read the rest.
  if (length < responseBody.bytes || responseBody.truncatedBytes > 0) return ''
  const text = hideInText(responseBody.text)
  const { text: said = '', output = [] } = matches[0]?.effect.reply ?? {}
  const deltas = tokenize(said).toSorted((left, right) => right.length - left.length)
  const streamed = [...deltas.map((delta) => JSON.stringify(delta)), ...failures, end]
  const whole = [said, said && JSON.stringify(said), ...output.flatMap(callTexts)]
  const texts = announcesEvents(responseHeaders) ? [...whole, ...streamed] : whole
  const part = texts.find((each) => each && text.includes(each))
  if (part) return `expect(await response.text()).toContain(${stringLiteral(part)})`
  const value = parseJson(text)
  if (value === undefined && /^[ -~\s]+$/.test(text))
    return `expect(await response.text()).toContain(${stringLiteral(text.slice(0, 60))})`
  const fields = isObject(value) ? fixedFields(value) : {}
  return equal(fields, {}) ? '' : `expect(await response.json()).toMatchObject(${literal(fields)})`
}

/** Parts of events that report a failure, in each protocol. */
const failures = ['"type":"response.failed"', '"type":"error"', '"error":{']

/** Returns the texts of a function call in a reply, the longest first. Streams can split the arguments. */
function callTexts({ type, name, arguments: args }: ScriptedItem): string[] {
  if (type !== 'function_call') return []
  const call = `"name":${JSON.stringify(name)}`
  const json = typeof args === 'string' ? args : JSON.stringify(args)
  const whole = [`${call},"arguments":${JSON.stringify(json)}`, `${call},"input":${json}`]
  return [...whole.filter(({ length }) => length < 120), `${call},"arguments":`, `${call},"input":`]
}

/** Returns fields that do not depend on generated values, which vary with the seed. */
function fixedFields(value: object): object {
  const fields = Object.entries(value).flatMap(([name, field]) => {
    if (name === 'error' && isObject(field)) return [[name, fixedFields(field)]]
    return ['object', 'type', 'model', 'code'].includes(name) && !isObject(field) ? [[name, field]] : []
  })
  return Object.fromEntries(fields)
}
