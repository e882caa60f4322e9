/** Step 9: validates a request against its operation's schemas, and reports all violations at once. */
import * as z from 'zod'
import type { AssumptionName } from '../assumptions.ts'
import { GatewayError, invalidRequest, type Violation } from '../http/errors.ts'
import { assertJsonBody } from '../http/json-body.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import type { BrokenRule, CallRecord } from '../journal/call-record.ts'
import { fieldsOf, listOf, lookUp } from '../lib/json.ts'
import { truncate } from '../lib/one-line.ts'
import { check } from '../lib/schema-messages.ts'
import { hash } from '../lib/seed.ts'
import type { AnyOperation, RequestContext, Schema } from '../operation.ts'
import type { Conversation } from '../resources/conversation.ts'
import { isSpecifiedModel, modelForm, unspecifiedItems } from '../resources/create-response-body.ts'
import { isSentField } from '../resources/sent-fields.ts'
import { unknownFields } from '../resources/unknown-fields.ts'
import type { ReceivedCall } from './call.ts'
import type { SentRequest } from './extra.ts'
import type { Effect } from './match-rule.ts'
import { conversationIn } from './read.ts'

const notSimulated = ['body.background', 'body.conversation']

/** Query parameters that `strict` accepts, because clients add them to every list request. */
const tolerated = ['query.limit', 'query.offset']

/** Returns the resolver's context. Throws 400 with all violations; with `strict`, also for unknown fields. */
export async function checkRequest(
  operation: AnyOperation,
  { gateway, record, conversation }: ReceivedCall,
  { script, stream }: Pick<Effect, 'script' | 'stream'>,
): Promise<RequestContext> {
  const { params, headers, state } = record
  const { dialect } = gateway
  const { input = noInput, protocol } = operation
  const sent = { search: record.search, body: input.body ? bodyOf(input, record) : record.body }
  const { search, body: translated, ...notes }: SentRequest = (await dialect?.request?.(sent, record)) ?? sent
  const body = stream === undefined ? translated : { ...(translated as object), stream }
  // Stored responses can be referred to if they are enabled, or if a rule scripts the reply.
  const mayRefer = protocol?.storingBody && (state.options.storedResponses || script)
  const ours = mayRefer ? { ...input, body: protocol.storingBody } : input
  const schemas =
    ours.body instanceof z.ZodType && dialect?.body
      ? { ...ours, body: dialect.body(ours.body, operation.id) }
      : ours
  const { violations, rawQuery, parts } = await readParts(schemas, { params, search, headers, body })
  const unknown = [
    ...(search === '' ? [] : unknownIn('query', input.query, rawQuery)),
    ...(body === undefined ? [] : unknownIn('body', schemas.body, body)),
  ]
  const { models, onlySpecified } = state.options
  const warnings = [...(notes.warnings ?? [])]
  for (const { path, value, suggestion } of unknown) {
    if (protocol && !script && value != null && value !== false && notSimulated.includes(path)) {
      const message = 'Is not simulated: only a rule can reply to such a request'
      violations.push({ path, message, rule: 'not_simulated' })
    } else if (!onlySpecified && isSentField(operation.id, path, dialect?.fields ? [dialect.fields] : [])) {
      if (value !== null) warnings.push(`${path} is accepted, but not simulated`)
    } else if (state.options.strict && !tolerated.includes(path))
      violations.push({ path, message: `Unknown field${suggestion}`, rule: 'unrecognized_keys' })
    else warnings.push(`${path} is unknown to ${operation.id} and was ignored${suggestion}`)
  }
  if (Object(operation.assumes).input === 'inputItems' && (state.options.strict || onlySpecified)) {
    const reported = new Set(violations.map(({ path }) => path))
    violations.push(...unspecifiedItems(body, onlySpecified).filter(({ path }) => !reported.has(path)))
  }
  // With a list of models, the list decides which names are valid.
  const unspecified = models && !onlySpecified ? [] : unspecifiedModels(operation, body, onlySpecified)
  for (const { path, name } of unspecified) {
    if (state.options.strict || onlySpecified)
      violations.unshift({ path, message: modelForm, rule: 'pattern' })
    else warnings.push(`${path} '${truncate(name, 100)}' is not in the specified form, vendor/model`)
  }
  if (violations.length > 0) {
    if (protocol) nameOtherOperations(violations, unknown)
    for (const name of assumptionsOf(operation, violations)) record.assume(name)
    for (const warning of warnings) record.warn(warning)
    throw invalidRequest(violations)
  }
  // Rules have read the conversation from the body as sent. A translated body's conversation may differ.
  const isAsSent = translated === record.body
  const read = (isAsSent ? conversation() : conversationIn(translated, operation, state)) ?? noConversation
  const isVendor = dialect !== undefined
  if (!onlySpecified) {
    const rules = protocol && gateway.extras.find((extra) => extra.brokenRules)
    const broken = (await rules?.brokenRules?.({ record, body, conversation: read, isVendor })) ?? []
    record.checked(broken, state.options.strict)
    if (broken[0] && state.options.strict) throw refusal(broken[0], broken)
  }
  if (unspecified.length > 0) record.assume('modelName')
  for (const warning of warnings) record.warn(warning)
  return {
    ...parts,
    headers,
    sandbox: state,
    script,
    now: record.at,
    requestKey: hash(state.seed, record.contentKey, record.occurrence),
    conversation: read,
    assume: (name) => record.assume(name),
    warn: (message) => record.warn(dialect?.warning?.(message) ?? message),
    used: (usage, cut) => record.used(usage, cut),
  }
}

const noConversation: Conversation = { items: [], tools: [] }

function refusal(first: BrokenRule, all: readonly BrokenRule[]): GatewayError {
  const { rule, param, message, status = 400 } = first
  const violations = all.map(({ rule, param, message }) => ({ path: `body.${param}`, message, rule }))
  const extras = { param, assumption: 'requestRules', isFinal: true } as const
  return new GatewayError(status, message, { rule, violations }, extras)
}

/** Returns the model names in a body that do not have the form `vendor/model`, except blank ones, which are invalid. */
function unspecifiedModels(
  { assumes }: AnyOperation,
  body: unknown,
  onlySpecified: boolean,
): { path: string; name: string }[] {
  if (Object(assumes).model !== 'modelName') return []
  const { model, models } = fieldsOf(body)
  const names = [['body.model', model], ...listOf(models).map((name, at) => [`body.models[${at}]`, name])]
  const isSpecified = (name: string) =>
    isSpecifiedModel(name) || (!onlySpecified && isSpecifiedModel(name.replace(/@preset\/[^\s/]+$/, '')))
  return names.flatMap(([path, name]) =>
    typeof name === 'string' && /\S/.test(name) && !isSpecified(name) ? [{ path: String(path), name }] : [],
  )
}

/** Returns the body to validate; undefined if it is not JSON. Throws 400 for a missing body and malformed JSON. */
export function bodyOf(
  input: Input,
  { body, requestText, headers }: Pick<CallRecord, 'body' | 'requestText' | 'headers'>,
): unknown {
  if (requestText === '' && input.bodyIsOptional) return body
  const type = headers['content-type']
  if (input.otherBody && type !== undefined && requestText !== '' && !/[/+]json\b/i.test(type))
    return undefined
  if (requestText === '' && input.otherBody?.isJsonToo === false)
    throw invalidRequest([{ path: 'body', message: 'A body is required', rule: 'required' }])
  assertJsonBody(requestText, body)
  return body
}

type Input = NonNullable<AnyOperation['input']>
type Schemas = Pick<Input, 'params' | 'query' | 'readQuery' | 'headers' | 'body'>

const noInput: Input = Object.freeze({})

interface Sent {
  params: object
  search: string
  headers?: object
  body: unknown
}

type Parts = Record<'params' | 'query' | 'headers' | 'body', unknown>

export async function readParts(
  schemas: Schemas,
  sent: Sent,
): Promise<{ parts: Parts; rawQuery: unknown; violations: Violation[] }> {
  const violations: Violation[] = []
  const rawQuery = schemas.readQuery?.(sent.search) ?? readQuery(sent.search, violations)
  const parts: Parts = { params: sent.params, query: rawQuery, headers: sent.headers, body: sent.body }
  for (const part of ['params', 'query', 'headers', 'body'] as const) {
    const schema = schemas[part]
    const root = part === 'headers' ? 'header' : part
    const result: Validated = schema ? await validate(schema, parts[part], root) : {}
    parts[part] = result.value
    for (const each of result.violations ?? []) violations.push(each)
  }
  return { parts, rawQuery, violations }
}

interface Validated {
  readonly value?: unknown
  readonly violations?: readonly Violation[]
}

/** Validates a value. Messages from zod are reworded in plain English. Messages from other libraries are unchanged. */
export async function validate(schema: Schema, value: unknown, root: string): Promise<Validated> {
  try {
    if (schema instanceof z.ZodType) {
      const { data, error } = check(schema, value)
      return error ? { violations: toViolations(error, root) } : { value: data }
    }
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) throw error
  }
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return { value: result.value }
  const violations = result.issues.map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === 'object' ? step.key : step))
    return { path: pathOf(root, keys), message, rule: 'schema' }
  })
  return { violations }
}

function unknownIn(root: 'query' | 'body', schema: Schema | undefined, sent: unknown) {
  if (schema && !(schema instanceof z.ZodType)) return []
  return unknownFields(schema, sent).map(({ path, value, suggestion }) => ({
    value,
    path: pathOf(
      root,
      path.map((key) => (typeof key === 'string' ? truncate(key, 100) : key)),
    ),
    suggestion: suggestion === undefined ? '' : `; did you mean '${suggestion}'?`,
  }))
}

const operationOf: Readonly<Record<string, string>> = {
  function: 'POST /chat/completions',
  input: 'POST /responses',
  messages: 'POST /chat/completions',
  parameters: 'POST /responses',
}

/** Extends a missing field's violation if an unknown field next to it belongs to another operation. */
function nameOtherOperations(violations: readonly Violation[], unknown: readonly { path: string }[]): void {
  const parts = unknown.map(({ path }) => /^(.*\.)(\w+)$/.exec(path) ?? [])
  const names = new Map(
    parts.flatMap(([, parent, name = '']) => (lookUp(operationOf, name) ? [[parent, name]] : [])),
  )
  for (const violation of violations) {
    const name = violation.message === 'Is required' && names.get(violation.path.replace(/[^.]*$/, ''))
    if (name) violation.message += `; '${name}' is for ${operationOf[name]}`
  }
}

function assumptionsOf({ assumes }: AnyOperation, violations: readonly Violation[]): Set<AssumptionName> {
  const names = new Set<AssumptionName>(['violations'])
  if (typeof assumes === 'string') names.add(assumes)
  const byField = typeof assumes === 'object' ? assumes : {}
  for (const { path, rule, message } of violations) {
    if (rule === 'repeated') names.add('repeatedParameter')
    if (rule === 'too_big' && message.includes(String(Number.MAX_SAFE_INTEGER))) names.add('largeIntegers')
    const [, field = '', inside = ''] = /^body\.(\w+)(\.\w+)?/.exec(path) ?? []
    for (const place of [field, field + inside]) {
      const name = lookUp(byField, place)
      if (name) names.add(name)
    }
  }
  return names
}

function readQuery(search: string, violations: Violation[]): Record<string, string> {
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in query)
      violations.push({ path: pathOf('query', [name]), message: 'Given more than once', rule: 'repeated' })
    query[name] = value
  }
  return query
}
