/**
 * `record`: the recorder, until somebody stops it.
 */
import { type ExchangeLine, startRecorder } from '../contract/recorder.ts'
import { type RedactionFlags, toRedactor } from './redaction-file.ts'
import { UsageError } from './usage-error.ts'

/** The flags, as they are parsed. */
export interface RecordFlags extends RedactionFlags {
  upstream: URL
  out: string
  keyEnv?: string
  new?: true
  all?: true
  dialect: string
  port: number
  host: string
  idleMs: number
  allowCi?: true
  quiet?: true
  json?: true
}

/** Real milliseconds in which exchanges may finish after a signal. */
const graceMs = 5000

export async function record(flags: RecordFlags): Promise<void> {
  const { upstream, out, all, dialect, port, host, idleMs, quiet, json } = flags
  if (process.env['CI'] && !flags.allowCi)
    throw new UsageError('CI is set, so nothing is recorded: --allow-ci records all the same')
  const key = flags.keyEnv === undefined ? undefined : keyIn(flags.keyEnv)
  const lines: ExchangeLine[] = []
  const print = (line: ExchangeLine) => {
    if (json) console.log(JSON.stringify(line))
    else if (!quiet || line.result.kind === 'leaked') console.log(printed(line))
  }
  const recorder = await startRecorder({
    upstream,
    out,
    redactor: toRedactor(flags, key),
    key,
    mode: all ? 'all' : 'new',
    dialect,
    port,
    host,
    idleMs,
    onExchange(line) {
      lines.push(line)
      print(line)
    },
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new UsageError(`Port ${port} is in use: choose another with --port, or --port 0 for any free one`)
    if (error.code && error.syscall) throw new UsageError(error.message)
    throw error
  })
  const { baseUrl } = recorder
  if (json) console.log(JSON.stringify({ ready: true, baseUrl, upstream: upstream.href, out }))
  else if (!quiet) console.log(readyText(baseUrl, upstream, out))

  let isStopped = false
  const stop = async () => {
    await recorder.close(isStopped ? 0 : graceMs)
    if (isStopped) return
    isStopped = true
    const summary = summaryOf(lines)
    console.log(json ? JSON.stringify({ summary }) : summaryText(summary, out))
    process.exit(summary.leaked > 0 ? 1 : 0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

/** The key in a variable of the environment. */
export function keyIn(name: string): string {
  const key = process.env[name]
  if (key) return key
  throw new UsageError(`The environment has no ${name}: set it to the key, or leave --key-env out`)
}

function readyText(baseUrl: string, upstream: URL, out: string): string {
  return `\nRecording ${upstream.href} into ${out}/\n\n  base URL   ${baseUrl}\n  stop       Ctrl-C\n`
}

function printed({ method, path, result }: ExchangeLine): string {
  const asked = `${method} ${path}`
  switch (result.kind) {
    case 'taped':
      return `${asked}: ${result.status || 'no answer'}, ${result.chunks} chunks, ${Math.round(result.ms)} ms -> ${result.file}`
    case 'leaked': {
      const [first] = result.leaks
      return `${asked}: not kept, ${result.file}:${first?.line} still held a secret (${first?.kind})`
    }
    case 'not-taped':
      return `${asked}: passed on, not taped: ${result.reason}`
  }
}

function summaryOf(lines: readonly ExchangeLine[]) {
  const count = (kind: string) => lines.filter(({ result }) => result.kind === kind).length
  return {
    exchanges: lines.length,
    taped: count('taped'),
    passedOn: count('not-taped'),
    leaked: count('leaked'),
  }
}

function summaryText(
  { exchanges, taped, passedOn, leaked }: ReturnType<typeof summaryOf>,
  out: string,
): string {
  const lost = leaked > 0 ? `, ${leaked} deleted because a secret was left in them` : ''
  return `${exchanges} exchanges: ${taped} taped into ${out}/, ${passedOn} passed on only${lost}`
}
