/**
 * Finds the recording that matches a request. Repeated requests get their recordings in order, each once.
 *
 * Files can be read only in Node, whose modules are loaded when needed because the main entry also runs in browsers.
 */
import * as z from 'zod'
import { FaultSetting } from '../../faults/index.ts'
import type { Extra, FoundAnswer } from '../../gateway/extra.ts'
import { GatewayError } from '../../http/errors.ts'
import { announcesEvents } from '../../http/reply.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { monotonic } from '../../lib/clock.ts'
import { FileError, noSuch, readRegularFile } from '../../lib/data-file.ts'
import { isLoopback } from '../../lib/loopback.ts'
import { check } from '../../lib/schema-messages.ts'
import { group, type OptionsInput, type OptionsOutput, option } from '../../sandbox/option.ts'
import type { RecordingInput } from '../../sandbox/sandbox-options.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import { decode, encodingOf } from './content-coding.ts'
import {
  fileNameOf,
  firstProblem,
  isRecordingFile,
  parseRecording,
  type RecordedRequest,
  type Recording,
  RecordingError,
  RecordingSchema,
  toContent,
} from './recording.ts'
import { Redactor } from './redact.ts'
import { toReplay } from './replay.ts'
import {
  defaultIgnoreFields,
  equalsRedacted,
  hasPath,
  isRedacted,
  type KeyParts,
  keyPartsOf,
  type NamedRecording,
  nearestRecording,
} from './request-key.ts'
import { forward, mustBeBaseUrl, shownUpstream } from './upstream.ts'

export type ReplayedRecording = RecordingInput
export const ReplayedRecording = z.lazy(() => z.custom<ReplayedRecording>())

export const recordingOptions = {
  recordings: group(
    'Recordings to replay.',
    {
      from: option(
        'Recordings to replay. They take precedence over operations, but not over rules. In code, a folder (only in Node) or parsed recordings. `recordings` also accepts these values directly.',
        () => z.union([z.string().min(1), z.array(ReplayedRecording)]),
        { flag: '--recordings <folder>', isPath: true },
      ),
      onUnmatched: option(
        'Action if no recording matches: respond with a 404 that names the nearest recording (`error`), `simulate`, or pass through to `upstream` (`passthrough`). Default: `passthrough` if `upstream` is set, otherwise `error`.',
        () => z.enum(['error', 'simulate', 'passthrough']),
      ),
      onEnd: option(
        'Action once all recordings of a request have been replayed: treat the request as unmatched (`fail`), or repeat the last recording (`repeat-last`). Default: `fail`.',
        () => z.enum(['fail', 'repeat-last']),
      ),
      ignoreFields: option(
        'Body fields and query parameters (such as `query.t`) to ignore when matching recordings. Common fields that change with every request are always ignored. Default: none.',
        () => z.array(z.string().min(1)),
      ),
      upstream: option(
        'Base URL of the real gateway, which receives requests without a matching rule or recording. If `CI` is set, these requests get a 404 instead, unless the gateway is on this machine.',
        () =>
          z.url({ protocol: /^https?$/, error: mustBeBaseUrl }).refine((text) => {
            const url = URL.parse(text)
            return !url?.username && !url?.password
          }, "Must not contain credentials: requests are forwarded with the client's key"),
        { flag: '--upstream <url>' },
      ),
    },
    'from',
  ),
}
export interface RecordingOptions extends OptionsInput<typeof recordingOptions> {}

type ReplayOptions = OptionsOutput<typeof recordingOptions>['recordings']

/** Returns undefined if the options have no recordings. Throws for an invalid recording or a missing option. */
export function openRecordings({
  recordings = {},
}: RecordingOptions): Pick<Extra, 'answer' | 'handles'> | undefined {
  // Reading the options has put a list or a folder into `from`.
  const { from, upstream, ignoreFields, onEnd, ...how } = recordings as ReplayOptions
  const { onUnmatched = upstream === undefined ? 'error' : 'passthrough' } = how
  const [needed] = Object.keys(recordings)
  if (needed === undefined) return undefined
  if (onUnmatched === 'passthrough' && upstream === undefined)
    throw new TypeError(
      "createGateway: options.recordings.upstream is required for onUnmatched: 'passthrough': the base URL of the real gateway",
    )
  if (onUnmatched === 'passthrough' && !globalThis.process?.getBuiltinModule)
    throw new TypeError('createGateway: options.recordings.upstream requires Node')
  if (from === undefined && upstream === undefined)
    throw new TypeError(`createGateway: options.recordings.${needed} requires options.recordings.from`)
  // Tests in CI must not depend on a network.
  const isBlocked =
    onUnmatched === 'passthrough' &&
    Boolean(globalThis.process?.env?.['CI']) &&
    !isLoopback(new URL(String(upstream)).hostname)
  const { find, handles } = finderOf(readRecordings(from ?? [], onUnmatched !== 'error'), ignoreFields)
  const options = { onUnmatched, upstream, onEnd, isBlocked }
  /** Recordings replayed for calls in progress, because all models that a call tries get the same one. */
  const replayed = new WeakMap<CallRecord, NamedRecording>()
  return { answer: (record, rejection) => replay(find, replayed, options, record, rejection), handles }
}

function readRecordings(given: string | ReplayedRecording[], mayBeEmpty: boolean) {
  try {
    return typeof given === 'string' ? readRecordingFolder(given, mayBeEmpty) : withNames(given)
  } catch (error) {
    throw error instanceof RecordingError ? new RecordingError(`options.recordings: ${error.message}`) : error
  }
}

interface Replaying extends Pick<ReplayOptions, 'onUnmatched' | 'upstream' | 'onEnd'> {
  /** If true, `passthrough` is disabled, because `CI` is set. */
  readonly isBlocked: boolean
}

/** Replays recordings, even for requests with an unknown path or media type. */
function replay(
  find: ReturnType<typeof finderOf>['find'],
  replayed: WeakMap<CallRecord, NamedRecording>,
  { onUnmatched, upstream, onEnd, isBlocked }: Replaying,
  record: CallRecord<SandboxState>,
  rejection: unknown,
): FoundAnswer | undefined {
  // Recordings and the real gateway can have any path and media type.
  const isForeign = rejection instanceof GatewayError && [404, 405, 415].includes(rejection.status)
  if (record.route === undefined || (rejection && !isForeign)) return undefined
  const { clock, options } = record.state
  const { timeScale } = options
  const { key, recordings, explainMiss } = find({
    method: record.method,
    path: record.route,
    query: record.search,
    headers: {},
    ...toContent(requestBytesOf(record)),
  })
  const last = onEnd === 'repeat-last' ? recordings.at(-1) : undefined
  const next =
    replayed.get(record) ?? (key === undefined ? undefined : (recordings[record.state.count(key)] ?? last))
  if (next) {
    replayed.set(record, next)
    const { name: file, recording } = next
    if (recording.reply && announcesEvents(recording.reply.headers)) record.note({ asksForStream: true })
    const fault = recording.end?.end === 'idle' ? 'timeout' : 'connection-reset'
    const faults = recording.reply ? [] : [FaultSetting.parse(fault)]
    return {
      recorded: { file, faults },
      async reply(signal) {
        // With a time scale of 0, all times have passed.
        const elapsed = () => (monotonic() - record.startedAt) / timeScale
        const { waitMs, reply } = toReplay(recording, elapsed)
        await clock.wait(waitMs, signal)
        const isHead = record.method === 'HEAD' && recording.reply
        return isHead ? { ...reply, body: { kind: 'none' } } : reply
      },
    }
  }
  return {
    async reply(signal) {
      const { message, fix, nearest } = explainMiss()
      if (onUnmatched === 'error' || isBlocked) {
        record.note({ lacksRecording: true })
        throw new GatewayError(404, `${message}${isBlocked ? blocked : fix}`, nearest && { nearest })
      }
      const isForwarded = onUnmatched === 'passthrough'
      const where = isForwarded ? `; forwarded to ${shownUpstream(String(upstream))}` : ''
      record.warn(`${message}${where}`)
      if (!isForwarded) return undefined
      record.note({ lacksRecording: false })
      return forward(String(upstream), record, signal)
    },
  }
}

const blocked = '. Pass-through is disabled because CI is set: record the request, or unset CI'

/** Returns the body, decoded if possible. Throws 413 if reading it failed. */
function requestBytesOf(record: CallRecord<SandboxState>): Uint8Array {
  const { method, headers, requestBytes = new Uint8Array(), state } = record
  if (!record.requestBytes && method !== 'GET' && method !== 'HEAD')
    throw new GatewayError(413, 'The request body is incomplete, or larger than limits.requestBodyBytes')
  const encoding = encodingOf(headers)
  if (encoding === undefined) return requestBytes
  try {
    return decode(requestBytes, encoding, state.options.limits.requestBodyBytes)
  } catch (error) {
    record.warn(`The request body ${(error as Error).message}`)
    return requestBytes
  }
}

function withNames(recordings: readonly unknown[]): Map<string, Recording> {
  const byName = new Map<string, Recording>()
  for (const [index, recording] of recordings.entries()) {
    const { success, data, error } = check(RecordingSchema, recording)
    if (!success) throw new TypeError(`createGateway: ${firstProblem(error, `options.recordings[${index}]`)}`)
    byName.set(fileNameOf(data.head, byName), data)
  }
  return byName
}

export function readRecordingFile(file: string): Recording {
  return parseRecording(readOrFail(() => readRegularFile(file), file).toString(), file)
}

export function readRecordingFolder(folder: string, mayBeEmpty = true): Map<string, Recording> {
  const builtin = globalThis.process?.getBuiltinModule
  if (!builtin)
    throw new RecordingError('Reading recording files requires Node: pass parsed recordings instead')
  const names = readOrFail(() => builtin('node:fs').readdirSync(folder), folder).sort()
  const pathOf = (name: string) => `${folder.replace(/\/+$/, '')}/${name}`
  const files = names.filter(isRecordingFile)
  const har = names.find((name) => name.endsWith('.har'))
  const fix = har
    ? `import har ${pathOf(har)} --recordings ${folder}`
    : 'record, or set recordings.onUnmatched'
  if (files.length === 0 && !mayBeEmpty)
    throw new RecordingError(`${folder}: has no .recording.jsonl files. Run gateway-understudy ${fix}`)
  return new Map(files.map((file) => [file, readRecordingFile(pathOf(file))]))
}

export function readOrFail<Result>(read: () => Result, path: string): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof FileError) throw new RecordingError(error.message)
    const { code } = error as NodeJS.ErrnoException
    const notFolder = `is not a folder${path.endsWith('.har') ? '; run gateway-understudy import har' : ''}`
    const reasons: Record<string, string> = {
      ENOENT: noSuch('file or folder', path),
      ENOTDIR: notFolder,
      EEXIST: notFolder,
    }
    throw new RecordingError(`${path}: ${reasons[String(code)] ?? `cannot be read: ${code}`}`)
  }
}

/** Finds recordings that match a request. Recordings without a request or an ending never match. */
function finderOf(recordings: ReadonlyMap<string, Recording>, ignoreFields: readonly string[] = []) {
  const redactor = new Redactor({ ignoreFields: [...defaultIgnoreFields, ...ignoreFields] })
  const all = [...recordings]
    .flatMap(([name, recording]): NamedRecording[] => {
      const { request, end } = recording
      if (!request || !end) return []
      return [{ name, recording, request, parts: keyPartsOf(request, redactor.ignoreFields) }]
    })
    .sort((left, right) => numberOf(left.name) - numberOf(right.name))
  const byKey = Map.groupBy(all, ({ parts }) => toText(parts))
  const redacted = all.filter(({ request }) => isRedacted(request))
  const handles = (method: string, path: string) =>
    all.some(({ request }) => methodsFor(method).includes(request.method) && hasPath(request, path))
  const find = (sent: RecordedRequest) => {
    const { request, parts } = redactor.request(sent)
    const found = methodsFor(request.method).flatMap((method) => {
      const asked = { ...parts, method }
      if (byKey.has(toText(asked))) return asked
      const isSimilar = ({ request: other }: NamedRecording) =>
        equalsRedacted(other, { ...request, method }, redactor.ignoreFields)
      return redacted.find(isSimilar)?.parts ?? []
    })[0]
    const matching = (found && byKey.get(toText(found))) ?? []
    // A HEAD does not use up the recording of a GET.
    const key = found && toText({ ...found, method: request.method })
    const line = `${request.method} ${request.path}${request.query}`
    const { length } = matching
    const explainMiss = () => {
      const which = length === 1 ? 'The only recording' : `All ${length} recordings`
      if (length > 0)
        return {
          message: `${which} of this ${line} ${length === 1 ? 'has' : 'have'} been replayed`,
          fix: ": record the request again, or set recordings.onEnd to 'repeat-last'",
        }
      const near = nearestRecording(all, request, parts, redactor.ignoreFields)
      if (!near)
        return {
          message: `No recording of ${line}`,
          fix: '. Run gateway-understudy record, or set recordings.onUnmatched',
        }
      const { recording, field, reason } = near
      const message = `No recording matches ${line}. The nearest is ${recording}, whose ${reason}`
      return { message, fix: '', nearest: { recording, field } }
    }
    return { key, recordings: matching, explainMiss }
  }
  return { find, handles }
}

/** Returns the methods whose recordings can reply to a request. Recordings of GET also reply to HEAD. */
function methodsFor(method: string): string[] {
  return method === 'HEAD' ? ['HEAD', 'GET'] : [method]
}

function toText({ method, path, query, bodyHash }: KeyParts): string {
  return `recording ${method} ${path}?${query} ${bodyHash}`
}

function numberOf(name: string): number {
  return Number(/\.(\d+)\.recording\.jsonl$/.exec(name)?.[1] ?? 1)
}
