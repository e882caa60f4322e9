/** `drift`: compares the shapes of recorded replies with those of Understudy or of a real gateway. */
import { toFetch } from '../../delivery/fetch.ts'
import type { AnyExtra } from '../../gateway/extra.ts'
import { GatewayCore } from '../../gateway/gateway.ts'
import { decodeUtf8 } from '../../lib/bytes.ts'
import { parseJson } from '../../lib/json.ts'
import { print } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import type { AnyOperation } from '../../operation.ts'
import type { GatewayOptionsInput } from '../../sandbox/options.ts'
import type { OperationName } from '../../scenarios/names.ts'
import type { Rule } from '../../scenarios/scenario.ts'
import type { ScriptedItemInput } from '../../scenarios/scripted-reply.ts'
import { eventsIn } from './events.ts'
import { keyIn } from './record.ts'
import { bodyOf, bytesOf, type RecordedRequest, type Recording } from './recording.ts'
import { readRecordingFolder } from './recordings.ts'
import { isPlaceholder } from './secrets.ts'
import { compareShapes, type Difference, type Severity, Shape } from './shapes.ts'
import { basicAuthorization, upstreamUrl } from './upstream.ts'

export interface DriftFlags {
  upstream?: URL
  keyEnv?: string
  dialect?: string
  json?: true
  failOn: 'breaking' | 'any'
  quiet?: true
}

export interface Finding extends Difference {
  /** Method, path pattern and status, such as `POST /responses 200`. */
  readonly reply: string
}

export interface DriftReport {
  readonly compared: number
  readonly findings: readonly Finding[]
  /** Recordings and parts of replies that were not compared, with reasons. */
  readonly notCompared: readonly string[]
}

/** Prints a report. Sets exit code 1 for drift, 2 if something was not compared. */
export async function drift(folder: string, flags: DriftFlags, extras: readonly AnyExtra[]): Promise<void> {
  const report = await findDrift(readRecordingFolder(folder), flags, extras)
  const { findings, notCompared, compared } = report
  if (flags.json) print(JSON.stringify(report, null, 2))
  else print(toText(report, flags.quiet))
  const failures = findings.filter(({ severity }) => flags.failOn === 'any' || severity === 'breaking')
  if (failures.length > 0) process.exitCode = 1
  else if (notCompared.length > 0 || compared === 0) process.exitCode = 2
}

export async function findDrift(
  recordings: ReadonlyMap<string, Recording>,
  { upstream, keyEnv, dialect }: Pick<DriftFlags, 'upstream' | 'keyEnv' | 'dialect'>,
  extras: readonly AnyExtra[],
): Promise<DriftReport> {
  const key = keyEnv === undefined ? undefined : keyIn(keyEnv)
  const gatewayOf = gateways(dialect, extras)
  const groups = new Map<string, { ours: Side; theirs: Side }>()
  const notCompared: string[] = []
  let compared = 0
  for (const [file, recording] of recordings) {
    try {
      const { request, reply } = completed(recording)
      const gateway = gatewayOf(recording.head.dialect)
      const { operation } = gateway.router.find(request.method, request.path)
      const answers = upstream
        ? [await askUpstream(request, operation, upstream, key)]
        : await askUnderstudy(gateway, request, operation, reply.status)
      const different = answers.find(({ status }) => status !== reply.status)
      if (different) throw new NotCompared(statusMessage(different, reply.status))
      const name = `${request.method} ${operation?.path ?? request.path} ${reply.status}`
      const group = groups.get(name) ?? { ours: new Map(), theirs: new Map() }
      groups.set(name, group)
      const [ours, theirs] = upstream ? [[reply], answers] : [answers, [reply]]
      for (const each of ours) addTo(group.ours, each)
      for (const each of theirs) addTo(group.theirs, each)
      compared++
    } catch (error) {
      if (!(error instanceof NotCompared)) throw error
      notCompared.push(`${file}: ${error.message}`)
    }
  }
  const label = upstream ? 'the recordings' : 'Understudy'
  const findings = [...groups].flatMap(([reply, { ours, theirs }]) => {
    const { differences, unknown } = compareSides(ours, theirs, label)
    notCompared.push(...unknown.map((path) => `${reply} ${path}: there is no example in ${label}`))
    return differences.map((each) => ({ reply, ...each }))
  })
  // Breaking findings first.
  findings.sort((left, right) => right.severity.localeCompare(left.severity))
  return { compared, findings, notCompared }
}

class NotCompared extends Error {}

interface Answer {
  readonly status: number
  /** Media type in lower case, without parameters. */
  readonly type: string
  readonly body: Uint8Array
}

/** Returns the request and the reply. Throws if the recording has only part of them. */
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

const message: ScriptedItemInput = {
  type: 'message',
  content: [{ text: 'Tides follow the moon.' }, { refusal: 'No.' }],
}
const reasoning: ScriptedItemInput = { type: 'reasoning', summary: 'So.' }

/** Model replies with each kind of item. A token limit can cut the message after reasoning. */
const outputs: readonly ScriptedItemInput[][] = [
  [message],
  [reasoning],
  [reasoning, message],
  [{ type: 'reasoning', content: 'The moon pulls.' }],
  [{ type: 'function_call', name: 'look_up', arguments: { q: 'tides' } }],
  [{ type: 'web_search_call', action: { query: 'tides' } }],
  [{ type: 'image_generation_call' }],
]

/** The recorded reply may contain any kind of item, so Understudy gives one reply with each. */
async function askUnderstudy(
  gateway: GatewayCore,
  request: RecordedRequest,
  operation: AnyOperation | undefined,
  status: number,
): Promise<Answer[]> {
  const url = new URL('https://gateway.example/api/v1')
  const ask = () => send(toFetch(gateway), url, request, { authorization: 'Bearer any', 'x-api-key': 'any' })
  if (!operation) throw new NotCompared(`Understudy has no operation ${request.method} ${request.path}`)
  const askWith = async (rule: Pick<Rule, 'fault' | 'reply'>) => {
    using _ = gateway.use({ on: operation.id as OperationName, ...rule })
    return await ask()
  }
  const usual = await ask()
  if (status >= 400 && usual.status !== status) return [await askWith({ fault: { name: 'status', status } })]
  if (!operation.protocol || usual.status !== 200) return [usual]
  const replies = [usual]
  for (const output of outputs) replies.push(await askWith({ reply: { output } }))
  return replies
}

/** Sends a request to a real gateway. Throws for requests that could change its state. */
async function askUpstream(
  request: RecordedRequest,
  operation: AnyOperation | undefined,
  upstream: URL,
  key: string | undefined,
): Promise<Answer> {
  if (request.method !== 'GET' && !operation?.protocol)
    throw new NotCompared(`${request.method} ${request.path} could change the state of the real gateway`)
  const headers =
    key === undefined ? basicAuthorization(upstream) : { authorization: `Bearer ${key}`, 'x-api-key': key }
  return send(fetch, upstream, request, headers)
}

/** Timeout of a request, in real milliseconds. */
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

type Side = Map<string, Shape>

function addTo(side: Side, { type, body }: Answer): void {
  const shape = side.get(type) ?? new Shape()
  const text = decodeUtf8(body)
  const value = parseJson(text)
  try {
    if (type === 'text/event-stream') shape.addStream(eventsIn(text ?? ''))
    else if (value !== undefined) shape.addBody(value)
  } catch (error) {
    throw new NotCompared((error as Error).message)
  }
  side.set(type, shape)
}

function compareSides(ours: Side, theirs: Side, label: string): ReturnType<typeof compareShapes> {
  const results = [...theirs].map(([type, shape]) => {
    const mine = ours.get(type)
    if (mine) return compareShapes(mine, shape, label)
    const message = `is ${type || 'absent'}, but ${[...ours.keys()].join(' or ')} in ${label}`
    const difference = { path: 'content-type', kind: 'type', severity: 'breaking', message } as const
    return { differences: [difference], unknown: [] }
  })
  return {
    differences: results.flatMap(({ differences }) => differences),
    unknown: results.flatMap(({ unknown }) => unknown),
  }
}

/** Returns a function that finds or creates the gateway with a recording's dialect. */
function gateways(dialect: string | undefined, extras: readonly AnyExtra[]): (name: string) => GatewayCore {
  const byDialect = new Map<string, GatewayCore>()
  const create = (name?: string) => new GatewayCore({ dialect: name } as GatewayOptionsInput, { extras })
  const createFor = (name: string) => {
    try {
      return create(name === 'neutral' ? undefined : name)
    } catch (error) {
      if (dialect === undefined) return create()
      throw new UsageError((error as Error).message.replace(/^.* options\.dialect/, '--dialect'))
    }
  }
  return (name) => {
    const wanted = dialect ?? name
    const gateway = byDialect.get(wanted) ?? createFor(wanted)
    byDialect.set(wanted, gateway)
    return gateway
  }
}

function toText({ compared, findings, notCompared }: DriftReport, isQuiet = false): string {
  const lines = findings.map(
    ({ severity, reply, path, message }) => `${severity}  ${reply} ${path || 'body'} ${message}`,
  )
  const count = (wanted: Severity) => findings.filter(({ severity }) => severity === wanted).length
  const result =
    findings.length === 0 ? 'No drift' : `${count('breaking')} breaking, ${count('additive')} additive`
  const summary =
    compared === 0
      ? 'Nothing was compared'
      : `${result} in ${compared} ${compared === 1 ? 'recording' : 'recordings'}`
  const rest = notCompared.length > 0 ? `; ${notCompared.length} not compared` : ''
  const details = isQuiet ? [] : [...lines, ...notCompared.map((text) => `not compared: ${text}`)]
  return [...details, summary + rest].join('\n')
}
