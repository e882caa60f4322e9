/** `drift`: compares the shapes of recorded replies with replies from Understudy or a real gateway. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { toFetch } from '../../delivery/fetch.ts'
import type { AnyExtra } from '../../gateway/extra.ts'
import { GatewayCore } from '../../gateway/gateway.ts'
import { decodeUtf8 } from '../../lib/bytes.ts'
import { readRegularFile } from '../../lib/data-file.ts'
import { parseJson } from '../../lib/json.ts'
import { truncate } from '../../lib/one-line.ts'
import { print } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import type { AnyOperation } from '../../operation.ts'
import type { GatewayOptionsInput } from '../../sandbox/options.ts'
import type { OperationName } from '../../scenarios/names.ts'
import type { Rule } from '../../scenarios/scenario.ts'
import { eventsIn } from './events.ts'
import { keyIn } from './record.ts'
import {
  bodyOf,
  bytesOf,
  isRecordingFile,
  type RecordedRequest,
  type Recording,
  RecordingError,
  recordingOf,
} from './recording.ts'
import { readOrFail } from './recordings.ts'
import { isFailure, scriptOf } from './script-of.ts'
import { isPlaceholder } from './secrets.ts'
import { type Comparison, compareShapes, type Difference, kindOf, NotCompared, Shape } from './shapes.ts'
import { authorizationFor, upstreamUrl } from './upstream.ts'

interface DriftFlags {
  upstream?: URL
  keyEnv?: string
  dialect?: string
  allow?: 'added'
  json?: true
  quiet?: true
}

interface Finding extends Difference {
  /** Method, path pattern and status, such as `POST /responses 200`. */
  readonly reply: string
  readonly recordings: string[]
}

/** Prints a report. Sets exit code 1 for differences, 2 if something was not compared. */
export async function drift(folder: string, flags: DriftFlags, extras: readonly AnyExtra[]): Promise<void> {
  const { upstream, keyEnv, dialect, allow } = flags
  const key = keyEnv === undefined ? undefined : keyIn(keyEnv)
  const gatewayOf = gateways(dialect, extras)
  const byDifference = new Map<string, Finding>()
  const notCompared: string[] = []
  let compared = 0
  for (const [file, recording] of readAll(folder, notCompared)) {
    try {
      const { request, reply } = completed(recording)
      const gateway = gatewayOf(recording.head.dialect)
      const { operation } = gateway.router.find(request.method, request.path)
      const answers = upstream
        ? askUpstream(request, operation, upstream, key)
        : askUnderstudy(gateway, request, operation, reply)
      const found = await compare(reply, answers, upstream !== undefined)
      const name = `${request.method} ${operation?.path ?? request.path} ${reply.status}`
      for (const each of found.differences) {
        const id = `${name} ${each.path} ${each.message}`
        const finding = byDifference.get(id) ?? { reply: name, ...each, recordings: [] }
        byDifference.set(id, finding)
        finding.recordings.push(file)
      }
      notCompared.push(...found.notCompared.map((text) => `${file}: ${text}`))
      compared++
    } catch (error) {
      if (!(error instanceof NotCompared)) throw error
      notCompared.push(`${file}: ${error.message}`)
    }
  }
  const findings = [...byDifference.values()]
  const report = { compared, findings, notCompared }
  print(flags.json ? JSON.stringify(report, null, 2) : toText(report, flags))
  if (findings.some(({ kind }) => kind !== allow)) process.exitCode = 1
  else if (notCompared.length > 0 || compared === 0) process.exitCode = 2
}

/** Reads a folder's recordings, oldest first, and reports files that are not valid. Ignores hidden files. */
function readAll(folder: string, notCompared: string[]): [file: string, recording: Recording][] {
  const recordings: [file: string, recording: Recording][] = []
  for (const file of readOrFail(() => readdirSync(folder), folder).sort()) {
    try {
      if (file.startsWith('.')) continue
      if (!isRecordingFile(file)) throw new RecordingError(`${file}: is not a .recording.jsonl file`)
      const path = join(folder, file)
      const text = readOrFail(() => readRegularFile(path), path).toString()
      recordings.push([file, recordingOf(text, file)])
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error
      notCompared.push(error.message)
    }
  }
  if (recordings.length === 0 && notCompared.length === 0)
    notCompared.push(`${folder}: has no .recording.jsonl files`)
  const timeOf = ({ head }: Recording) => Date.parse(head.recordedAt ?? '') || 0
  return recordings.sort(([, left], [, right]) => timeOf(left) - timeOf(right))
}

async function compare(
  recorded: Answer,
  answers: AsyncIterable<Answer>,
  isUpstream: boolean,
): Promise<Comparison> {
  const comparisons: Comparison[] = []
  let reason = ''
  for await (const answer of answers) {
    if (answer.status !== recorded.status) {
      if (comparisons.length === 0) reason ||= statusMessage(answer, recorded.status)
    } else {
      const comparison = isUpstream
        ? compareAnswers(recorded, answer, { ours: 'the recording', theirs: 'the real gateway' })
        : compareAnswers(answer, recorded, { ours: 'Understudy', theirs: 'the recording' })
      comparisons.push(comparison)
      if (weightOf(comparison) === 0) break
    }
  }
  const [best] = comparisons.sort((left, right) => weightOf(left) - weightOf(right))
  if (!best) throw new NotCompared(reason)
  // Without a fault, Understudy replies with another status.
  return reason ? { ...best, notCompared: [reason, ...best.notCompared] } : best
}

/** A path that was not compared outweighs a difference, because it may hide several. */
function weightOf({ differences, notCompared }: Comparison): number {
  return differences.length + 10 * notCompared.length
}

function compareAnswers(ours: Answer, theirs: Answer, names: { ours: string; theirs: string }): Comparison {
  if (ours.type !== theirs.type) {
    const message = `is ${theirs.type || 'absent'}, but ${ours.type || 'absent'} in ${names.ours}`
    return { differences: [{ path: 'content-type', kind: 'type', message }], notCompared: [] }
  }
  const [mine, other] = [read(ours), read(theirs)]
  const { differences, notCompared } = compareShapes(mine.shape, other.shape, names)
  const redacted = [...mine.shape.redacted, ...other.shape.redacted].map((path) => `${path}: is redacted`)
  return { differences, notCompared: [...mine.unread, ...other.unread, ...notCompared, ...redacted] }
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: Uint8Array
}

function completed(recording: Recording): { request: RecordedRequest; reply: Answer } {
  const { request, reply, end } = recording
  if (!request) throw new NotCompared('has no request')
  if (!reply) throw new NotCompared('has no reply')
  if (end?.end !== 'fin') throw new NotCompared(`the reply is incomplete (${end?.end ?? 'in progress'})`)
  return { request, reply: answer(reply.status, reply.headers['content-type'], bodyOf(recording)) }
}

function answer(status: number, contentType: string | null | undefined, body: Uint8Array): Answer {
  const type = (contentType ?? '').replace(/;.*/, '').trim().toLowerCase()
  return { status, type, body }
}

/** Yields replies with and without a script, because a recorded reply may contain anything a model can generate. */
async function* askUnderstudy(
  gateway: GatewayCore,
  request: RecordedRequest,
  operation: AnyOperation | undefined,
  recorded: Answer,
): AsyncGenerator<Answer> {
  if (!operation) throw new NotCompared(`Understudy has no operation ${request.method} ${request.path}`)
  const url = new URL('https://gateway.example/api/v1')
  const ask = () => send(toFetch(gateway), url, request, { authorization: 'Bearer any', 'x-api-key': 'any' })
  const askWith = async (rule: Pick<Rule, 'fault' | 'reply'>) => {
    using _ = gateway.use({ on: operation.id as OperationName, ...rule })
    return await ask()
  }
  const usual = await ask()
  yield usual
  const { status } = recorded
  if (status >= 400 && usual.status !== status) yield await askWith({ fault: { name: 'status', status } })
  if (!operation.protocol || status !== 200 || usual.type !== recorded.type) return
  const { values, kinds } = read(recorded)
  const reply = scriptOf(values)
  if (recorded.type === eventStream && reply.output?.length === 0 && !values.some(isFailure))
    throw new NotCompared('its stream contains neither text nor a call')
  const scripted = await askWith({ reply })
  yield scripted
  const failedAt = values.findIndex(isFailure)
  if (failedAt < 0 || recorded.type !== eventStream) return
  // The reply fails after the same kind of event, whose text may have other tokens.
  const afterEvents = Math.max(1, read(scripted).kinds.lastIndexOf(kinds[failedAt - 1] ?? '') + 1)
  const { output } = reply
  for (const form of ['failed', 'error'] as const)
    yield await askWith({ reply: { output }, fault: { name: 'stream-error-event', form, afterEvents } })
}

async function* askUpstream(
  request: RecordedRequest,
  operation: AnyOperation | undefined,
  upstream: URL,
  key: string | undefined,
): AsyncGenerator<Answer> {
  if (!/GET|HEAD/.test(request.method) && (operation === undefined || operation.writes))
    throw new NotCompared(`${request.method} ${request.path} could change the state of the real gateway`)
  yield await send(fetch, upstream, request, authorizationFor(upstream, key))
}

const timeoutMs = 60_000

/** Recorded headers that are sent again, unless they are redacted. */
const sentHeaders = /^(?:accept|content-type|anthropic-.*|openai-beta)$/

async function send(
  fetch: typeof globalThis.fetch,
  base: URL,
  request: RecordedRequest,
  authorization: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { method, path, query, headers } = request
  const kept = Object.entries(headers).filter(
    ([name, value]) => sentHeaders.test(name) && !isPlaceholder(value),
  )
  const body = method === 'GET' || method === 'HEAD' ? null : (bytesOf(request) as Uint8Array<ArrayBuffer>)
  try {
    const response = await fetch(upstreamUrl(base, path, query), {
      method,
      headers: { ...Object.fromEntries(kept), ...authorization },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { status } = response
    return answer(status, response.headers.get('content-type'), new Uint8Array(await response.arrayBuffer()))
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    throw new NotCompared(`${method} ${path} failed: ${reason}`)
  }
}

function statusMessage({ status, body }: Answer, recorded: number): string {
  const reason = Object(Object(parseJson(decodeUtf8(body))).error).message
  return `the status is ${status} instead of ${recorded}${reason === undefined ? '' : `: ${reason}`}`
}

const eventStream = 'text/event-stream'

function read({ type, body }: Answer) {
  const shape = new Shape()
  const text = decodeUtf8(body)
  if (type !== eventStream) {
    const value = parseJson(text)
    if (value === undefined && body.length > 0) throw new NotCompared('the body is not JSON')
    shape.addBody(value)
    return { shape, values: [value], kinds: [], unread: [] }
  }
  const unread: string[] = []
  // The last event may lack its blank line.
  const events = eventsIn(`${text ?? ''}\n\n`, (line) =>
    unread.push(`'${truncate(line, 40)}' is not part of an event`),
  ).filter(({ value, data }, index) => {
    const isRead = value !== undefined || data === '[DONE]'
    if (!isRead) unread.push(`event ${index + 1} is not JSON`)
    return isRead
  })
  if (events.length === 0) throw new NotCompared('the stream has no events with JSON')
  shape.addStream(events)
  return { shape, values: events.map(({ value }) => value), kinds: events.map(kindOf), unread }
}

function gateways(dialect: string | undefined, extras: readonly AnyExtra[]): (name: string) => GatewayCore {
  const byDialect = new Map<string, GatewayCore>()
  return (recorded) => {
    const name = dialect ?? recorded
    const options = name === 'neutral' ? {} : { dialect: name }
    try {
      const gateway = byDialect.get(name) ?? new GatewayCore(options as GatewayOptionsInput, { extras })
      byDialect.set(name, gateway)
      return gateway
    } catch (error) {
      if (dialect === undefined)
        throw new NotCompared(`Understudy has no dialect '${name}': choose another with --dialect`)
      throw new UsageError((error as Error).message.replace(/^.* options\.dialect/, '--dialect'))
    }
  }
}

function toText(
  { compared, findings, notCompared }: { compared: number; findings: Finding[]; notCompared: string[] },
  { quiet, allow }: DriftFlags,
): string {
  const lines = findings.map(({ kind, reply, path, message, recordings: [first, ...others] }) => {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return `${kind === allow ? 'allowed' : kind}  ${reply} ${path || 'body'} ${message} (${first}${more})`
  })
  const result =
    findings.length === 0 ? 'No drift' : `${findings.length} difference${findings.length === 1 ? '' : 's'}`
  const summary =
    compared === 0
      ? 'Nothing was compared'
      : `${result} in ${compared} recorded ${compared === 1 ? 'reply' : 'replies'}`
  const rest = notCompared.length > 0 ? `; ${notCompared.length} not compared` : ''
  const details = quiet ? [] : [...lines, ...notCompared.map((text) => `not compared: ${text}`)]
  return [...details, summary + rest].join('\n')
}
