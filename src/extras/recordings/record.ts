/** `record`: a transparent proxy that records exchanges. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { unauthorized } from '../../gateway/admit.ts'
import { Router } from '../../gateway/router.ts'
import { envelope } from '../../http/errors.ts'
import { hideInString } from '../../http/secrets.ts'
import { splitAddress } from '../../lib/address.ts'
import { joinBytes, toLatin1 } from '../../lib/bytes.ts'
import { monotonic, wallClock } from '../../lib/clock.ts'
import { inMegabytes } from '../../lib/data-file.ts'
import { print, printError } from '../../lib/print.ts'
import { setTimeout } from '../../lib/real-timers.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { operations } from '../../operations/index.ts'
import { bearerOf, Guard } from '../../server/guard.ts'
import { refuse, refuseTunnel, send } from '../../server/send.ts'
import { toListenError } from '../../server/server-options.ts'
import { decode, decodeChunks, encodingOf, withoutEncoding } from './content-coding.ts'
import { lastEvent } from './events.ts'
import { type RecordedEnding, toContent } from './recording.ts'
import { type Exchange, RecordingFolder, type RecordOutcome, toRecording } from './recording-files.ts'
import { type RedactionFlags, type Redactor, toRedactor, upstreamSecrets } from './redact.ts'
import {
  authorizationFor,
  endToEnd,
  flat,
  isHopByHop,
  requestUpstream,
  shownUpstream,
  upstreamUrl,
} from './upstream.ts'

/** `record` flags, as described in `commands.ts`, and settings for tests. */
export interface RecorderSetup {
  readonly upstream: URL
  readonly recordings: string
  readonly redactor: Redactor
  readonly key?: string | undefined
  readonly all?: boolean | undefined
  readonly dialect?: string | undefined
  readonly port?: number
  readonly host?: string
  readonly allowedHosts?: readonly string[] | undefined
  readonly token?: string | undefined
  /** Default: unlimited. */
  readonly idleMs?: number
  /** Grace period for open exchanges after `close`, and for streams after the last event, in ms. Default: 5,000. */
  readonly graceMs?: number
  /** Maximum size of a recorded body in bytes. Larger bodies are forwarded but not recorded. Default: 64 MB. */
  readonly maxBytes?: number
  readonly onExchange?: (line: ExchangeLine) => void
}

export interface ExchangeLine {
  readonly method: string
  readonly path: string
  readonly result: RecordOutcome
}

export async function startRecorder(setup: RecorderSetup) {
  const { host = '127.0.0.1', port = 0, allowedHosts = [], token } = setup
  const { maxBytes = 64 * 1024 * 1024, graceMs = 5000 } = setup
  const folder = new RecordingFolder(setup.recordings, setup.redactor)
  const guard = new Guard({ host, allowedHosts: [...allowedHosts], allowedOrigins: [], token })
  const router = new Router(operations)
  const open = new Set<Promise<unknown>>()

  const server = createServer((request, response) => {
    try {
      guard.assertHost(request)
      guard.assertSameOrigin(request)
      assertToken(guard, request, setup.key !== undefined)
      const exchange = proxy(request, response, { ...setup, folder, router, maxBytes, graceMs })
      const { method } = exchange
      const path = setup.redactor.finder.replace(exchange.path)
      const reported = exchange.result.then((result) => setup.onExchange?.({ method, path, result }))
      open.add(reported)
      reported.finally(() => open.delete(reported))
    } catch (error) {
      refuse(response, error)
    }
  })
  server.on('connect', refuseTunnel)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, port, host)))
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/api/v1`,
    token: guard.token,
    /** Shuts down after waiting for open exchanges, for up to `waitMs` real milliseconds. */
    async close(waitMs = graceMs) {
      const stopped = new Promise((resolve) => server.close(resolve))
      setTimeout(() => server.closeAllConnections(), waitMs).unref()
      while (open.size > 0) await Promise.all(open)
      server.closeAllConnections()
      await stopped
    },
  }
}

/** @param hasKey If true, the client's API key is not forwarded, so it may contain the token. */
function assertToken(guard: Guard, { headers }: IncomingMessage, hasKey: boolean): void {
  const keys = hasKey ? [bearerOf(headers.authorization), headers['x-api-key']] : []
  if (guard.accepts(headers['x-understudy-token'], ...keys)) return
  throw unauthorized(
    `Missing or wrong token. The x-understudy-token header${hasKey ? ' or API key' : ''} must contain the token printed at startup or set with --token`,
  )
}

/** Delay between the last byte and a reset, in real milliseconds. An immediate reset would overtake that byte. */
const resetAfterMs = 20
/** Number of trailing bytes to keep, because chunks may split a stream's last event. */
const tailBytes = 64

interface ExchangeSetup extends RecorderSetup {
  readonly folder: RecordingFolder
  readonly router: Router
  readonly maxBytes: number
  readonly graceMs: number
}

/** Forwards an exchange's bytes as they arrive, and records them. Throws 400 for a path outside the base URL. */
function proxy(request: IncomingMessage, response: ServerResponse, setup: ExchangeSetup) {
  const { upstream, key, idleMs = 0, maxBytes, graceMs } = setup
  const { method = 'GET', url = '/' } = request
  // A client that uses the recorder as its HTTP proxy sends an absolute URL.
  const target = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '')
  const route = target.replace(/\?.*/, '')
  const path = splitAddress(route).route ?? route
  const query = target.slice(route.length)
  const outcome = Promise.withResolvers<RecordOutcome>()
  const sent: Uint8Array[] = []
  const chunks: { ms: number; bytes: Uint8Array }[] = []
  let [sentBytes, receivedBytes, sentAt] = [0, 0, monotonic()]
  let reply: Exchange['reply']
  let problem: string | undefined
  let tail = ''
  let isComplete = false
  let isOver = false

  const elapsed = () => monotonic() - sentAt
  const receive = (bytes: Uint8Array) => {
    const text = tail + toLatin1(bytes)
    isComplete ||= lastEvent.test(text)
    tail = text.slice(-tailBytes)
    receivedBytes += bytes.length
    if (receivedBytes > maxBytes) problem ??= `the reply is larger than ${inMegabytes(maxBytes)}`
    else chunks.push({ ms: elapsed(), bytes })
  }
  const end = (how: RecordedEnding) => {
    if (isOver) return
    isOver = true
    const ms = elapsed()
    if (how !== 'fin') {
      sending.destroy()
      const { socket } = request
      socket.write('', () => setTimeout(() => socket.resetAndDestroy(), resetAfterMs))
    }
    if (!request.complete) problem ??= 'the request is incomplete'
    if (sentBytes > maxBytes) problem ??= `the request is larger than ${inMegabytes(maxBytes)}`
    outcome.resolve(write({ how, ms }))
  }
  const write = async (ending: Exchange['end']): Promise<RecordOutcome> => {
    try {
      if (problem !== undefined) return { kind: 'not-recorded', reason: problem }
      const { redactor, folder, router, dialect = 'neutral', all } = setup
      const asked = { method, path, query, ...requestContent(request, joinBytes(sent), maxBytes) }
      const exchange = await withDecodedReply({ request: asked, reply, chunks, end: ending }, maxBytes)
      const operation = router.find(method, path).operation?.id
      const recordedAt = wallClock().toISOString()
      const recording = toRecording(exchange, redactor, operation, { dialect, recordedAt })
      const { key } = recording.head
      if (all) folder.forget(key)
      if (folder.has(key)) return { kind: 'not-recorded', reason: 'the request is already recorded' }
      return folder.write(recording)
    } catch (error) {
      return { kind: 'not-recorded', reason: (error as Error).message }
    }
  }

  const sending = requestUpstream(upstreamUrl(upstream, path, query), {
    method,
    headers: { ...authorizationFor(upstream, key), ...upstreamHeaders(request, key !== undefined) },
  })
    .setTimeout(idleMs, () => end('idle'))
    .on('finish', () => {
      sentAt = monotonic()
    })
    .on('response', (received) => {
      const status = received.statusCode as number
      reply = { ms: elapsed(), status, headers: flat(received.headers) }
      response.writeHead(status, received.statusMessage, replyHeaders(received))
      response.flushHeaders()
      received.pipe(response)
      // After the client disconnects, `pipe` pauses the reply, so the rest would not be recorded.
      response.on('close', () => received.resume())
      received.on('data', receive)
      received.on('end', () => end('fin')).on('error', () => end('reset'))
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      if (isOver) return
      if (error.code === 'ECONNRESET' || response.headersSent) return end('reset')
      send(
        response,
        envelope(502, `The recorder cannot reach ${upstream.origin}: ${error.code ?? error.message}`),
      )
      problem = 'the upstream cannot be reached'
      end('fin')
    })
  request.on('data', (bytes: Buffer) => {
    sentBytes += bytes.length
    if (sentBytes <= maxBytes) sent.push(bytes)
  })
  request.pipe(sending)
  response.on('close', () => {
    // After the last event, the upstream still has time to end the stream.
    if (isComplete) setTimeout(() => end('aborted-by-client'), graceMs).unref()
    else end('aborted-by-client')
  })
  return { method, path, result: outcome.promise }
}

function requestContent({ headers }: IncomingMessage, body: Uint8Array, maxBytes: number) {
  const { 'x-understudy-token': _, ...sent } = flat(headers)
  const encoding = encodingOf(sent)
  if (encoding === undefined) return { headers: sent, ...toContent(body) }
  try {
    return { headers: withoutEncoding(sent), ...toContent(decode(body, encoding, maxBytes)) }
  } catch (error) {
    throw new Error(`the request ${(error as Error).message}`)
  }
}

/** Decodes the chunks of a compressed reply. Throws if the body cannot be decoded. */
async function withDecodedReply(exchange: Exchange, maxBytes: number): Promise<Exchange> {
  const { request, reply, chunks } = exchange
  if (!reply || chunks.length === 0) return exchange
  const encoding = encodingOf(reply.headers, request?.method, reply.status)
  if (encoding === undefined) return exchange
  try {
    const decoded = await decodeChunks(chunks, encoding, maxBytes)
    return { ...exchange, reply: { ...reply, headers: withoutEncoding(reply.headers) }, chunks: decoded }
  } catch (error) {
    throw new Error(`the reply ${(error as Error).message}`)
  }
}

function upstreamHeaders({ headers }: IncomingMessage, hasKey: boolean): Record<string, string> {
  const sent = endToEnd(flat(headers))
  // Without this header, Node would send a GET's body unframed, and the upstream would parse it as the next request.
  if (headers['transfer-encoding'] !== undefined) sent['transfer-encoding'] = 'chunked'
  if (!hasKey) return sent
  const { 'x-api-key': _, authorization: __, ...rest } = sent
  return rest
}

/** Returns the upstream's end-to-end headers as a list of names and values, to preserve repeated headers. */
function replyHeaders({ rawHeaders, headers: { connection } }: IncomingMessage): string[] {
  const nameAt = (index: number) => rawHeaders[index - (index % 2)] as string
  return rawHeaders.filter((_, index) => !isHopByHop(nameAt(index).toLowerCase(), connection))
}

interface RecordFlags extends RedactionFlags, Omit<RecorderSetup, 'redactor' | 'key' | 'allowedHosts'> {
  keyEnv?: string
  allowedHost?: string[]
  allowCi?: true
  quiet?: true
  json?: true
}

export async function record(flags: RecordFlags): Promise<void> {
  const { upstream, recordings, quiet, json } = flags
  const key = flags.keyEnv === undefined ? undefined : keyIn(flags.keyEnv)
  const redactor = toRedactor(flags, upstreamSecrets(upstream, key))
  const shown = redactor.finder.replace(shownUpstream(upstream))
  if (!/\/v1\/?$/.test(upstream.pathname))
    printError(
      `warning: --upstream ${shown} does not end in /api/v1. Did you mean ${upstream.origin}/api/v1?`,
    )
  if (process.env['CI'] && !flags.allowCi)
    throw new UsageError('Recording is disabled because CI is set: enable it with --allow-ci')
  const summary = { exchanges: 0, recorded: 0, skipped: 0, leaked: 0 }
  const recorder = await startRecorder({
    ...flags,
    redactor,
    key,
    allowedHosts: flags.allowedHost,
    onExchange(line) {
      const { kind } = line.result
      summary.exchanges++
      summary[kind === 'not-recorded' ? 'skipped' : kind]++
      if (json) print(JSON.stringify(line))
      else if (!quiet || line.result.kind === 'leaked') print(printed(line))
    },
  }).catch((error: NodeJS.ErrnoException) => {
    // System errors have a code, such as those of an unusable port or folder.
    throw error.code === undefined ? error : new UsageError(error.message)
  })
  const { baseUrl, token } = recorder
  if (json) print(JSON.stringify({ ready: true, baseUrl, upstream: shown, recordings, token }))
  else if (!quiet || token !== flags.token) print(readyText(baseUrl, token, flags, shown))

  let isStopping = false
  const stop = async () => {
    // A second signal ends open exchanges without waiting.
    if (isStopping) return recorder.close(0)
    isStopping = true
    await recorder.close()
    const { recorded, skipped, leaked } = summary
    const rest = leaked > 0 ? `, ${leaked} not written because they still contained a secret` : ''
    const text = `${recorded} recorded to ${recordings}/, ${skipped} skipped${rest}`
    print(json ? JSON.stringify({ summary }) : text)
    process.exit(leaked > 0 ? 1 : 0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
}

export function keyIn(name: string): string {
  const key = process.env[name]
  if (key) return key
  if (!/^[A-Za-z_]\w*$/.test(name) || hideInString(name) !== name)
    throw new UsageError('--key-env expects the name of an environment variable, not the key itself')
  throw new UsageError(`The environment variable ${name} is not set: set it to the key, or omit --key-env`)
}

function readyText(baseUrl: string, token: string | undefined, flags: RecordFlags, shown: string): string {
  const or = flags.keyEnv === undefined ? '' : ', or as their API key'
  const tokenRow = `  token      ${flags.token ? 'as set' : token}   (clients send it in x-understudy-token${or})\n`
  const rows = `  base URL   ${baseUrl}\n${token === undefined ? '' : tokenRow}  stop       Ctrl-C`
  return `\nRecording ${shown} into ${flags.recordings}/\n\n${rows}\n`
}

function printed({ method, path, result }: ExchangeLine): string {
  const line = `${method} ${path}`
  switch (result.kind) {
    case 'recorded':
      return `${line}: ${result.status || 'no reply'}, ${result.chunks === 1 ? '1 chunk' : `${result.chunks} chunks`}, ${Math.round(result.ms)} ms -> ${result.file}`
    case 'leaked':
      return `${line}: not written, because ${result.file} still contained a secret (${result.leaks.join(', ')})`
    case 'not-recorded':
      return `${line}: not recorded, because ${result.reason}`
  }
}
