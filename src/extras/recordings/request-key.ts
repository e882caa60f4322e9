/** Keys that match requests to recordings. They omit secrets and fields that change with every request. */
import { toLatin1 } from '../../lib/bytes.ts'
import { nearest } from '../../lib/did-you-mean.ts'
import { compileParts } from '../../lib/glob.ts'
import { canonicalJson, parseJson } from '../../lib/json.ts'
import { truncate } from '../../lib/one-line.ts'
import { hash } from '../../lib/seed.ts'
import { editAt, readPath } from '../../lib/value-path.ts'
import { bytesOf, type RecordedRequest, type Recording } from './recording.ts'
import { utf8AsLatin1, withoutPlaceholders } from './secrets.ts'

/** Paths of body fields that change with every request and do not affect the reply. */
export const defaultIgnoreFields: readonly string[] = [
  'idempotency_key',
  'metadata.request_id',
  'metadata.session_id',
  'metadata.timestamp',
  'metadata.trace_id',
  'prompt_cache_key',
  'request_id',
  'safety_identifier',
  'session_id',
  'trace',
  'user',
]

export interface KeyParts {
  readonly method: string
  readonly path: string
  readonly query: string
  /** Hash of the body: JSON with sorted keys and without ignored fields; any other body unchanged. */
  readonly bodyHash: string
}

export function keyPartsOf(request: RecordedRequest, ignoreFields: readonly string[]): KeyParts {
  const body = comparableBody(parsedBody(request), ignoreFields)
  const text = body === undefined ? utf8AsLatin1(comparableText(request)) : canonicalJson(body)
  return {
    method: request.method,
    path: request.path,
    query: withoutPlaceholders(comparableQuery(request.query, ignoreFields)),
    bodyHash: hash(withoutPlaceholders(text)),
  }
}

export function toKey(operation: string, { method, path, query, bodyHash }: KeyParts): string {
  return hash(operation, method, path, query, bodyHash)
}

/** Matches a placeholder, even if truncated to the length of a short secret. */
const placeholder = /redacted(?:\.[0-9a-f]{0,4}(?:\.x*)?)?/

export function isRedacted(request: RecordedRequest): boolean {
  return placeholder.test(`${request.path}${request.query}${toLatin1(bytesOf(request))}`)
}

/** Compares requests without their secrets, because the recorder may have known secrets that this process lacks. */
export function equalsRedacted(
  redacted: RecordedRequest,
  sent: RecordedRequest,
  ignoreFields: readonly string[],
): boolean {
  const [before, now] = [redacted, sent].map((each) => [
    `${each.method} ${each.path}?${comparableQuery(each.query, ignoreFields)}`,
    comparableBody(parsedBody(each), ignoreFields) ?? comparableText(each),
  ])
  return valueEqualsRedacted(before, now)
}

export function hasPath(recorded: RecordedRequest, path: string): boolean {
  return (
    recorded.path === path || (placeholder.test(recorded.path) && valueEqualsRedacted(recorded.path, path))
  )
}

function valueEqualsRedacted(redacted: unknown, sent: unknown): boolean {
  if (typeof redacted === 'string')
    return typeof sent === 'string' && compileParts(redacted.split(placeholder))(sent)
  if (!isObject(redacted) || !isObject(sent)) return redacted === sent
  const names = Object.keys(redacted)
  return (
    Array.isArray(redacted) === Array.isArray(sent) &&
    names.length === Object.keys(sent).length &&
    names.every(
      (name) =>
        Object.hasOwn(sent, name) &&
        valueEqualsRedacted(Reflect.get(redacted, name), Reflect.get(sent, name)),
    )
  )
}

/** Prefix of ignored fields that are query parameters. All other fields are in the body. */
const inQuery = 'query.'

function comparableQuery(query: string, ignoreFields: readonly string[]): string {
  const parameters = new URLSearchParams(query)
  for (const field of ignoreFields)
    if (field.startsWith(inQuery)) parameters.delete(field.slice(inQuery.length))
  parameters.sort()
  return parameters.toString()
}

/** @param ignoreFields Paths of body fields, which can start with `body.`, as in error messages. */
export function comparableBody(body: unknown, ignoreFields: readonly string[]): unknown {
  return ignoreFields
    .filter((field) => !field.startsWith(inQuery))
    .flatMap((field) => [field, field.replace(/^body\./, '')])
    .reduce((left, path) => editAt(left, readPath(path), () => undefined), body)
}

/** Returns a non-JSON body in the form that the journal stores. All multipart forms get the same boundary. */
function comparableText(request: RecordedRequest): string {
  const text = new TextDecoder().decode(bytesOf(request))
  const [, boundary] = /^--([^\r\n]+)\r?\n/.exec(text) ?? []
  return boundary === undefined ? text : text.replaceAll(boundary, 'boundary')
}

export function parsedBody(request: Pick<RecordedRequest, 'json' | 'text'>): unknown {
  return request.json !== undefined ? request.json : parseJson(request.text)
}

export interface NamedRecording {
  readonly name: string
  readonly recording: Recording
  readonly request: RecordedRequest
  readonly parts: KeyParts
}

interface Nearest {
  readonly recording: string
  /** Field that differs, such as `body.input`, `query`, `path` or `method`. */
  readonly field: string
  /** Description of the difference, such as `method is POST, not GET`. */
  readonly reason: string
}

/** Maximum number of recordings with the same path to compare field by field. */
const maxCompared = 200

export function nearestRecording(
  recordings: readonly NamedRecording[],
  request: RecordedRequest,
  parts: KeyParts,
  ignoreFields: readonly string[],
): Nearest | undefined {
  const samePath = recordings.filter((each) => each.parts.path === parts.path)
  const alike = samePath.filter((each) => each.parts.method === parts.method)
  const path = nearest(
    parts.path,
    recordings.map((each) => each.parts.path),
  )
  const similar = recordings.filter((each) => each.parts.path === path)
  const candidates = [alike, samePath, similar, recordings].find(({ length }) => length > 0) ?? []
  const [best] = candidates
    .slice(0, maxCompared)
    .map((each) => ({ each, differences: [...differencesOf(each, request, parts, ignoreFields)] }))
    .sort((left, right) => left.differences.length - right.differences.length)
  // A recording without a difference would have matched.
  const [first, ...others] = best?.differences ?? []
  if (!best || !first) return undefined
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return { recording: best.each.name, field: first.field, reason: first.reason + more }
}

type FieldDifference = Omit<Nearest, 'recording'>

function* differencesOf(
  { request: recorded, parts }: NamedRecording,
  request: RecordedRequest,
  sent: KeyParts,
  ignoreFields: readonly string[],
): Generator<FieldDifference> {
  for (const field of ['path', 'method'] as const)
    if (parts[field] !== sent[field])
      return yield { field, reason: `${field} is ${parts[field]}, not ${sent[field]}` }
  if (parts.query !== sent.query)
    yield { field: 'query', reason: `query is '${parts.query}', not '${sent.query}'` }
  if (parts.bodyHash === sent.bodyHash) return
  const [theirs, ours] = [recorded, request].map(
    (each) => comparableBody(parsedBody(each), ignoreFields) ?? (comparableText(each) || undefined),
  )
  yield* valueDifferences(theirs, ours, 'body')
}

function* valueDifferences(theirs: unknown, ours: unknown, path: string): Generator<FieldDifference> {
  if (isObject(theirs) && isObject(ours) && Array.isArray(theirs) === Array.isArray(ours)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)]))
      yield* valueDifferences(Reflect.get(theirs, name), Reflect.get(ours, name), `${path}.${name}`)
  } else if (theirs !== ours) {
    yield { field: path, reason: `${path} is ${shown(theirs)}, not ${shown(ours)}` }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function shown(value: unknown): string {
  return truncate(JSON.stringify(value) ?? 'absent', 80)
}
