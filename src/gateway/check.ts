/**
 * Step 9: checks a request against its operation's schemas, and reports all violations at once.
 */
import type * as z from 'zod'
import type { AssumptionName } from '../assumptions.ts'
import { invalidRequest, type Violation } from '../http/errors.ts'
import { assertJsonBody } from '../http/json-body.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { CallUsage } from '../journal/ledger.ts'
import { check } from '../lib/check.ts'
import { truncate } from '../lib/one-line.ts'
import { hash } from '../lib/seed.ts'
import type { AnyOperation, RequestContext } from '../operation.ts'
import type { Conversation } from '../resources/conversation.ts'
import { unknownFields } from '../resources/unknown-fields.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { ScriptedReply } from '../scenarios/scripted-reply.ts'
import type { Dialect } from './extra.ts'
import { conversationIn, type ReadConversation } from './read.ts'

/** Changes to a request before it is checked. */
export interface RequestReading {
  /** If set, replaces the request's own `stream`: a fault wants the other form. */
  readonly stream?: boolean | undefined
  readonly dialect?: Dialect | undefined
  /** Reads the conversation in the body as sent. */
  readonly conversation: ReadConversation
}

/** Returns what the resolver sees. Throws a 400 with all violations; with `strict`, they include unknown fields. */
export function checkRequest(
  operation: AnyOperation,
  record: CallRecord<SandboxState>,
  { stream, dialect, conversation }: RequestReading,
): RequestContext {
  const { params, headers, state } = record
  const { input = noInput, protocol } = operation
  const sent = { search: record.search, body: input.body ? bodyOf(input, record) : record.body }
  const { search, body: translated } = dialect?.request?.(sent, operation.id) ?? sent
  const body = stream === undefined ? translated : { ...(translated as object), stream }
  const schemas = protocol?.storingBody ? schemasFor(input, protocol.storingBody, record) : input
  const { violations, given, ...parts } = readParts(schemas, { params, search, headers, body })
  const remarks = [
    ...(search === '' ? [] : remarksOn('query', input.query, given)),
    ...(body === undefined ? [] : remarksOn('body', input.body, body)),
  ]
  if (state.options.strict) {
    for (const { path, said, isTolerated } of remarks) {
      if (!isTolerated) violations.push({ path, message: `Unknown field${said}`, rule: 'unrecognized_keys' })
    }
  }
  if (violations.length > 0) {
    for (const name of assumptionsOf(operation, violations)) record.assume(name)
    throw invalidRequest(violations)
  }
  for (const { path, said } of remarks) {
    record.warn(`${path} is not known to ${operation.id} and was ignored${said}`)
  }
  // A dialect's words are translated for the operation; rules saw them as sent.
  const isAsSent = translated === record.body
  const read = isAsSent ? conversation : () => conversationIn(translated, operation, state)
  return new CheckedRequest(record, parts, read)
}

/** What a resolver sees of a checked request. */
class CheckedRequest implements RequestContext {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly sandbox: SandboxState
  readonly now: number
  readonly assume: (name: AssumptionName) => void
  readonly warn: (message: string) => void
  readonly used: (usage: CallUsage) => void
  readonly #record: CallRecord<SandboxState>
  readonly #conversation: ReadConversation

  constructor(record: CallRecord<SandboxState>, checked: Parts, conversation: ReadConversation) {
    this.params = checked.params
    this.query = checked.query
    this.body = checked.body
    this.sandbox = record.state
    this.now = record.at
    this.assume = (name) => record.assume(name)
    this.warn = (message) => record.warn(message)
    this.used = (usage) => record.used(usage)
    this.#record = record
    this.#conversation = conversation
  }

  get conversation(): Conversation {
    return this.#conversation() ?? { items: [], tools: [] }
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#record.headers
  }

  get requestKey(): string {
    const { state, contentKey, occurrence } = this.#record
    return hash(state.seed, contentKey, occurrence)
  }

  get script(): ScriptedReply | undefined {
    return this.#record.match?.effect.reply
  }
}

/** The body as its schema takes it. Throws 400 where it is needed and not there, or is not what it has to be. */
export function bodyOf(
  input: Input,
  { body, requestText, headers }: Pick<CallRecord, 'body' | 'requestText' | 'headers'>,
): unknown {
  if (requestText === '' && input.bodyIsOptional) return body
  const type = headers['content-type']
  if (input.otherBody && type !== undefined && requestText !== '' && !/[/+]json\b/i.test(type))
    return undefined
  if (requestText === '' && input.otherBody?.isJsonToo === false)
    throw invalidRequest([{ path: 'body', message: 'A body is needed', rule: 'required' }])
  assertJsonBody(requestText, body)
  return body
}

/** The body may refer to stored responses where they are kept, and where a rule scripts the reply. */
function schemasFor(
  input: Input,
  storingBody: z.ZodType,
  { state, match }: CallRecord<SandboxState>,
): Schemas {
  const isFree = state.options.storedResponses || match?.effect.reply !== undefined
  return isFree ? { ...input, body: storingBody } : input
}

/** The parts of a request as their schemas make them. Throws a 400 that lists all violations. */
export function checkParts(schemas: Schemas, sent: Sent): Parts {
  const { violations, ...parts } = readParts(schemas, sent)
  if (violations.length > 0) throw invalidRequest(violations)
  return parts
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

interface Parts {
  params: unknown
  query: unknown
  body: unknown
}

function readParts(schemas: Schemas, sent: Sent): Parts & { given: unknown; violations: Violation[] } {
  const violations: Violation[] = []
  const checked = (schema: z.ZodType | undefined, value: unknown, root: string): unknown => {
    if (!schema) return undefined
    const result = check(schema, value)
    if (!result.success) for (const each of toViolations(result.error, root)) violations.push(each)
    return result.data
  }
  const given = schemas.readQuery?.(sent.search) ?? readQuery(sent.search, violations)
  const params = checked(schemas.params, sent.params, 'params')
  const query = checked(schemas.query, given, 'query')
  checked(schemas.headers, sent.headers, 'header')
  const body = checked(schemas.body, sent.body, 'body')
  return { params, query, body, given, violations }
}

/** A field that the operation does not know. */
interface Remark {
  path: string
  /** `: did you mean 'model'?`, or the empty string. */
  said: string
  /** Whether `strict` lets it pass: clients add `limit` and `offset` to every list. */
  isTolerated: boolean
}

function remarksOn(root: 'query' | 'body', schema: z.ZodType | undefined, sent: unknown): Remark[] {
  return unknownFields(schema, sent).map(({ path, suggestion }) => ({
    path: pathOf(
      root,
      path.map((key) => (typeof key === 'string' ? truncate(key, 100) : key)),
    ),
    said: suggestion === undefined ? '' : `: did you mean '${suggestion}'?`,
    isTolerated: root === 'query' && (path[0] === 'limit' || path[0] === 'offset'),
  }))
}

/** What a refusal for these violations rests on. */
function assumptionsOf({ assumes }: AnyOperation, violations: readonly Violation[]): Set<AssumptionName> {
  const names = new Set<AssumptionName>(['violations'])
  if (typeof assumes === 'string') names.add(assumes)
  const byField = typeof assumes === 'object' ? assumes : {}
  for (const { path, rule, message } of violations) {
    if (rule === 'repeated') names.add('repeatedParameter')
    if (rule === 'too_big' && message.includes(String(Number.MAX_SAFE_INTEGER))) names.add('largeIntegers')
    const [, field = '', inside = ''] = /^body\.(\w+)(\.\w+)?/.exec(path) ?? []
    for (const place of [field, field + inside]) {
      const name = Object.hasOwn(byField, place) ? byField[place] : undefined
      if (name) names.add(name)
    }
  }
  return names
}

const noQuery: Record<string, string> = Object.freeze({})

function readQuery(search: string, violations: Violation[]): Record<string, string> {
  if (search.length < 2) return noQuery
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in query)
      violations.push({ path: pathOf('query', [name]), message: 'Given more than once', rule: 'repeated' })
    query[name] = value
  }
  return query
}
