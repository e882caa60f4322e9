/**
 * The golden transcript: every reply as a client receives it, with what the journal says of the call, for seed 1.
 * `golden.txt` has the replies over a socket; the other transports must deliver the same. After an intended change, run
 * `npx vitest run -u --project quick test/golden`, and review the diff before you commit.
 */
import { createHash } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { createGateway, type Gateway, type JournalEntry } from '../../src/index.ts'
import { type GatewayName, type GoldenRequest, type Group, gateways, groups } from './requests.ts'
import { baseUrl, type Received, type Sent, type TransportName, transports } from './transports.ts'

/** Lines of each call, by the call's heading. */
type Transcript = Map<string, string[]>

let overSocket: Transcript
beforeAll(async () => {
  overSocket = await record('socket', groups)
})

it('is unchanged over a socket', async () => {
  const calls = [...overSocket].map(([heading, lines]) => `# ${heading}\n${lines.join('\n')}\n`)
  await expect(calls.join('\n')).toMatchFileSnapshot('golden.txt')
})

it.each(['fetch', 'msw', 'intercept'] as const)('is the same over %s', async (transport) => {
  const chosen = groups.filter(({ name }) => name !== 'texts')
  for (const [heading, lines] of await record(transport, chosen))
    expect(withoutFraming(lines), heading).toEqual(withoutFraming(overSocket.get(heading) ?? []))
})

it('starts from the same records', async () => {
  const { db } = createGateway({ recordCounts: { benchmarks: 110, models: 40, pages: 60, presets: 30 } })
  const hashes: Record<string, string> = {}
  for (const [name, collection] of Object.entries(db)) {
    const records = await collection.list()
    const hash = createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 16)
    hashes[name] = `${records.length} records, ${hash}`
  }
  await expect(`${JSON.stringify(hashes, null, 2)}\n`).toMatchFileSnapshot('records.json')
})

/** Sends each group's requests to a fresh sandbox, one after another. */
async function record(transport: TransportName, chosen: readonly Group[]): Promise<Transcript> {
  const transcript: Transcript = new Map()
  for (const name of Object.keys(gateways) as GatewayName[]) {
    const gateway = createGateway({ seed: 1, timeScale: 0, baseUrl, ...gateways[name] })
    const entrance = await transports[transport](gateway)
    try {
      for (const group of chosen) {
        if (group.gateway !== name) continue
        await gateway.reset()
        if (group.scenario) gateway.use(group.scenario)
        let previous = 'none'
        for (const [index, request] of group.requests.entries()) {
          const received = await entrance.send(toSent(request, previous), () => false)
          previous = /"(resp_\w+)"/.exec(received.body.toString())?.[1] ?? previous
          const heading = `${group.name} > ${index + 1} ${request.line}`
          const lines = linesOf(request, received, await settledEntry(gateway))
          // Of the texts, only the request and the text itself: other groups show the same fields.
          const isShown = group.name !== 'texts' ? () => true : (line: string) => /^> |"text":/.test(line)
          transcript.set(heading, lines.filter(isShown))
        }
      }
    } finally {
      await entrance.close()
    }
  }
  return transcript
}

function toSent({ line, body, headers }: GoldenRequest, previous: string): Sent {
  const [method = '', path = ''] = line.split(' ')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = text === undefined ? null : 'application/json'
  const all = Object.entries({ authorization: 'Bearer golden', 'content-type': type, ...headers })
  const sent = all.filter((header): header is [string, string] => header[1] !== null)
  // Sent as bytes, because `fetch` adds a content type to strings.
  const bytes = text === undefined ? undefined : Buffer.from(text.replace('$previous', previous))
  return { method, path, headers: Object.fromEntries(sent), body: bytes }
}

/** Returns the newest call once it is delivered. */
async function settledEntry(gateway: Gateway): Promise<JournalEntry | undefined> {
  for (let attempt = 0; ; attempt++) {
    const entry = gateway.journal.entries().at(-1)
    if (entry?.delivery !== 'pending' || attempt === 500) return entry
    await new Promise((resolve) => setTimeout(resolve, attempt < 10 ? 0 : 2))
  }
}

/** Headers of every reply on a kept connection. They are listed only if one is missing or different. */
const usual = ['connection: keep-alive', 'date: …', 'keep-alive: timeout=5']

/**
 * A stream has a line per event, JSON a line per field of the upper levels. Empty lists of the journal are omitted, and
 * its delivery if it is the same as the client's.
 */
function linesOf(
  request: GoldenRequest,
  { status, headers, body, end }: Received,
  entry?: JournalEntry,
): string[] {
  const text = body.toString()
  const isJson = headers.some(([name, value]) => name.toLowerCase() === 'content-type' && /json/.test(value))
  const all = headers.map(([name, value]) => `${name.toLowerCase()}: ${name === 'Date' ? '…' : value}`)
  const isUsual = usual.every((line) => all.includes(line))
  const shown = isUsual ? all.filter((line) => !usual.includes(line)) : all
  const notes = entry && {
    operation: entry.operation,
    delivery: entry.delivery === end ? undefined : entry.delivery,
    usage: entry.usage ?? undefined,
    assumptions: entry.assumptions.length > 0 ? entry.assumptions : undefined,
    warnings: entry.warnings.length > 0 ? entry.warnings : undefined,
  }
  return [
    ...(request.body === undefined ? [] : [`> ${visible(JSON.stringify(request.body)).slice(0, 200)}`]),
    `${status}`,
    ...shown.sort(),
    ...(isJson ? jsonLines(text) : text.split('\n').filter(Boolean)).map((line) => `| ${visible(line)}`),
    end,
    `journal ${JSON.stringify(notes) ?? 'has no entry'}`,
  ]
}

function jsonLines(text: string): string[] {
  return text.split(/(?<=[{,[])(?="(?:data|error|output|usage|content|choices|id|model|text|message|name)":)/)
}

/** Shows control characters as symbols. */
function visible(line: string): string {
  return line.replace(/\p{Cc}/gu, (each) => String.fromCodePoint(0x2400 + each.charCodeAt(0)))
}

/** Headers that depend on the transport, not on the reply. */
const framing = /^(content-length|transfer-encoding|connection|date|keep-alive): /

function withoutFraming(lines: readonly string[]): string[] {
  return lines.filter((line) => !framing.test(line))
}
