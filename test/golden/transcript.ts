/**
 * The golden transcript: 120 requests over 4 transports under 12 scenarios, seed 1. Each call records the
 * reply as the client received it and its journal entry, without real times and without headers that frame a
 * body.
 *
 * A file contains one scenario's calls; calls that depend on sample texts or generated values are in
 * `<scenario>.generated.txt`. A call is a list of lines. `@3-7` repeats lines 3 to 7 of another call, `@all`
 * repeats the whole call. `msw` and `intercept` repeat the call over `fetch`, `fetch` repeats the call over
 * `socket`, and `socket` repeats the same request under `none`.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { createGateway, type Gateway, type JournalEntry } from '../../src/index.ts'
import type { RemoteGateway } from '../../src/remote.ts'
import { type GatewayName, type GoldenRequest, type Group, gateways, groups } from './requests.ts'
import { isScripted, scenarios } from './scenarios.ts'
import { baseUrl, type Received, type Send, type Sent, type TransportName, transports } from './transports.ts'

/** Each call's lines, by `scenario > group > request > transport`. */
export type Transcript = Map<string, readonly string[]>

const transportNames = Object.keys(transports) as TransportName[]
const scenarioNames = Object.keys(scenarios)

interface Story {
  scenario: string
  transport: TransportName
  group: Group
}

/** Every group under every scenario over every transport. */
export const stories: readonly Story[] = transportNames.flatMap((transport) =>
  scenarioNames.flatMap((scenario) => groups.map((group) => ({ scenario, transport, group }))),
)

/** Sends the requests in each story, one after another. */
export async function record(chosen: readonly Story[]): Promise<Transcript> {
  const transcript: Transcript = new Map()
  for (const transport of transportNames) {
    for (const name of Object.keys(gateways) as GatewayName[]) {
      const here = chosen.filter((story) => story.transport === transport && story.group.gateway === name)
      if (here.length === 0) continue
      const gateway = createGateway({ seed: 1, timeScale: 0, baseUrl, ...gateways[name] })
      const entrance = await transports[transport](gateway)
      try {
        for (const story of here) await play(story, gateway, entrance.send, transcript)
      } finally {
        await entrance.close()
      }
    }
  }
  return transcript
}

/** A gateway in this process, or a remote one. */
type Controlled = Gateway | RemoteGateway

/** Sends a story's requests, one after another. */
export async function play(
  { scenario, transport, group }: Story,
  gateway: Controlled,
  send: Send,
  into: Transcript,
) {
  await gateway.reset()
  const hasExtensions = group.gateway === 'full' || group.gateway === 'openrouter'
  const rules = scenarios[scenario]?.([
    'createResponse',
    ...(hasExtensions ? (['createChatCompletion', 'createMessage'] as const) : []),
  ])
  if (rules) await gateway.use(rules)
  let previous = 'none'
  for (const [index, request] of group.requests.entries()) {
    const sent = toSent(request, previous)
    const hasText = /responses|completions|messages/.test(request.line)
    const mayHang = scenario === 'stalled' && hasText && !('x-understudy-scenario' in sent.headers)
    const count = (await gateway.journal.entries()).length
    const received = await send(sent, (body) => mayHang && /^data:.*\n\n/m.test(body))
    previous = /"(resp_\w+)"/.exec(received.body.toString())?.[1] ?? previous
    const entry = await settledEntry(gateway, count)
    into.set(keyOf(scenario, group, index, transport), linesOf(received, entry, sent))
  }
}

function keyOf(scenario: string, { name, requests }: Group, index: number, transport: string): string {
  return `${scenario} > ${name} > ${index + 1} ${requests[index]?.line} > ${transport}`
}

function toSent({ line, body, headers }: GoldenRequest, previous: string): Sent {
  const [method = '', path = ''] = line.split(' ')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = text === undefined ? null : 'application/json'
  const all = { authorization: 'Bearer golden', 'content-type': type, ...headers }
  return {
    method,
    path,
    headers: pick(all, (_, value) => value !== null) as Record<string, string>,
    // Sent as bytes, because `fetch` adds a content type to strings.
    body: text === undefined ? undefined : Buffer.from(text.replace('$previous', previous)),
  }
}

function pick<Value>(all: Record<string, Value>, isPicked: (name: string, value: Value) => boolean) {
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => isPicked(name, value)))
}

/** Waits, up to a limit, until the newest call is delivered. Returns its entry, or undefined if it did not arrive. */
async function settledEntry(gateway: Controlled, countBefore: number): Promise<JournalEntry | undefined> {
  for (let attempt = 0; ; attempt++) {
    const entries = await gateway.journal.entries()
    const entry = entries.length > countBefore ? entries.at(-1) : undefined
    const isSettled = entry && entry.delivery !== 'pending' && entry.durationMs !== null
    if (isSettled || attempt === 500) return entry
    await new Promise((resolve) => setTimeout(resolve, attempt < 10 ? 0 : 2))
  }
}

function linesOf(
  { status, headers, body, end }: Received,
  entry: JournalEntry | undefined,
  sent: Sent,
): string[] {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b
  const text = (isGzip ? gunzipSync(body) : body).toString()
  const shown = headers.map(([name, value]) => `${name}: ${name.toLowerCase() === 'date' ? '…' : value}`)
  const inOrder = shown.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  const bodyLines = text === '' ? [] : text.split('\n').flatMap((line) => fieldLines(`| ${line}`))
  return [
    `${status}${isGzip ? ' gzip' : ''}`,
    ...inOrder,
    ...bodyLines,
    end,
    ...entryLines(entry, sent, text),
  ]
}

/**
 * Splits JSON into one line per field; indented lines continue the previous one. Control characters
 * are shown as symbols.
 */
function fieldLines(line: string): string[] {
  return line
    .replace(/\p{Cc}/gu, (each) => String.fromCodePoint(0x2400 + each.charCodeAt(0)))
    .replace('\ufeff', '(BOM)')
    .split(/(?<=,)(?=")/)
    .map((field, index) => (index === 0 ? field : `  ${field}`))
}

/** Headers that depend on the transport, not on the reply. */
const framing = ['content-length', 'transfer-encoding', 'connection', 'date', 'keep-alive']

/** Returns the fields that have a value and do not depend on real time. */
function entryLines(entry: JournalEntry | undefined, sent: Sent, replyText: string): string[] {
  if (!entry) return ['not in the journal']
  const { durationMs: _, firstByteMs: __, timeline: ___, ...fields } = entry
  const sentText = sent.body?.toString() ?? ''
  const shown = {
    ...fields,
    // Omits an error's stack.
    warnings: fields.warnings.map((warning) => warning.replace(/\n {4}at .*/s, '')),
    headers: pick(fields.headers, (name) => name in sent.headers),
    replyHeaders: pick(fields.replyHeaders, (name) => !framing.includes(name)),
    body: JSON.stringify(fields.body) === sentText ? 'as sent' : fields.body,
    rawBody: fields.rawBody.text === sentText && !fields.rawBody.cut ? 'as sent' : fields.rawBody,
    replyBody:
      fields.replyBody.text === replyText && !fields.replyBody.cut ? 'as received' : fields.replyBody,
  }
  return Object.entries(shown).flatMap(([name, value]) => {
    const json = JSON.stringify(value)
    return json === undefined || ['null', '[]', '{}', 'false'].includes(json)
      ? []
      : fieldLines(`${name} ${json}`)
  })
}

interface GoldenFile {
  name: string
  scenario: string
  isGenerated: boolean
}

/** Transcript files. Files for the `none` scenario come first, because the others refer to them. */
export const goldenFiles: readonly GoldenFile[] = scenarioNames.flatMap((scenario) =>
  (isScripted(scenario) ? [false] : [false, true]).map((isGenerated) => ({
    name: `transcript/${scenario}${isGenerated ? '.generated' : ''}.txt`,
    scenario,
    isGenerated,
  })),
)

/** Yields a file's calls, each with the call whose lines it repeats. */
export function* callsOf({ scenario, isGenerated }: GoldenFile) {
  for (const group of groups) {
    const hasGenerated = group.isGenerated && !isScripted(scenario)
    if (hasGenerated !== isGenerated) continue
    for (const index of group.requests.keys()) {
      const under = (name: string, transport: TransportName) => keyOf(name, group, index, transport)
      const hasOther = scenario === 'none' || hasGenerated !== group.isGenerated
      const bases = {
        socket: hasOther ? '' : under('none', 'socket'),
        fetch: under(scenario, 'socket'),
        msw: under(scenario, 'fetch'),
        intercept: under(scenario, 'fetch'),
      }
      for (const transport of transportNames)
        yield { key: under(scenario, transport), base: bases[transport] }
    }
  }
}

export function encode(file: GoldenFile, transcript: Transcript): string {
  const calls = [...callsOf(file)].map(({ key, base }) =>
    [`# ${key}`, ...withRuns(transcript.get(key) ?? [], transcript.get(base) ?? []), ''].join('\n'),
  )
  return calls.join('\n')
}

/** Reads all of the transcript's files. */
export function decode(): Transcript {
  const transcript: Transcript = new Map()
  for (const file of goldenFiles) {
    const text = readFileSync(new URL(file.name, import.meta.url), 'utf8')
    const calls = new Map(
      text.split(/^# /m).map((call) => {
        const [key = '', ...lines] = call.trimEnd().split('\n')
        return [key, lines]
      }),
    )
    for (const { key, base } of callsOf(file))
      transcript.set(key, withoutRuns(calls.get(key) ?? [], transcript.get(base) ?? []))
  }
  return transcript
}

/** Replaces runs of lines that also occur in the base with `@from-to`. */
function withRuns(lines: readonly string[], base: readonly string[]): string[] {
  const encoded: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string
    let [first, longest] = [0, 0]
    for (let from = base.indexOf(line); from !== -1; from = base.indexOf(line, from + 1)) {
      let length = 1
      while (at + length < lines.length && lines[at + length] === base[from + length]) length++
      if (length > longest) [first, longest] = [from, length]
    }
    if (longest === base.length && longest > 0) encoded.push('@all')
    else encoded.push(longest === 0 ? line : `@${first + 1}-${first + longest}`)
    at += Math.max(longest, 1)
  }
  return encoded
}

function withoutRuns(encoded: readonly string[], base: readonly string[]): readonly string[] {
  return encoded.flatMap((line) => {
    const [, run, to] = /^@(all|\d+)(?:-(\d+))?$/.exec(line) ?? []
    if (run === undefined) return [line]
    return run === 'all' ? base : base.slice(Number(run) - 1, Number(to))
  })
}
