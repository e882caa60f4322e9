/**
 * Records and replays fifty streams, one at a time and a hundred at once. Times are only printed, because
 * they depend on the machine.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRecorder } from '../../../src/extras/recordings/record.ts'
import { parseRecording } from '../../../src/extras/recordings/recording.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { startServer } from '../../../src/serve.ts'
import {
  ask,
  joined,
  type ReceivedReply,
  splitPoints,
  startStreams,
  startUpstream,
  syntheticStreams,
} from './streams.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'understudy-recording-'))
})
afterAll(() => rm(root, { recursive: true }))

const streams = syntheticStreams(50, 7)

async function recordAll(out: string): Promise<void> {
  await using upstream = await startStreams(streams)
  const recorder = await startRecorder({ upstream: upstream.url, out, redactor: new Redactor() })
  for (const { path, body } of streams) await ask(recorder.baseUrl, path, { body })
  await recorder.close()
}

/** Returns each chunk's deviation from its recorded time, relative to the first chunk. */
function lateness(received: ReceivedReply, times: readonly number[]): number[] {
  const [first] = received.chunks
  return received.chunks.map(({ ms }, index) =>
    Math.abs(ms - (first?.ms ?? 0) - ((times[index] ?? 0) - (times[0] ?? 0))),
  )
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

describe('fifty synthetic streams of three protocols', () => {
  it('are replayed one at a time with equal bytes, chunk boundaries and endings', async () => {
    const out = join(root, 'fifty')
    await recordAll(out)
    const recordings = await Promise.all(
      (await readdir(out)).map(async (file) => parseRecording(await readFile(join(out, file), 'utf8'))),
    )
    await using server = await startServer({ recordings: out })
    const late: number[] = []
    for (const stream of streams) {
      const received = await ask(server.baseUrl, stream.path, { body: stream.body })
      const recording = recordings.find(
        ({ request }) => JSON.stringify(request?.json) === JSON.stringify(stream.body),
      )
      expect(joined(received.chunks)).toBe(joined(stream.chunks))
      expect(splitPoints(received.chunks)).toEqual(splitPoints(stream.chunks))
      expect(received.end).toBe(stream.end)
      late.push(...lateness(received, recording?.chunks.map(({ ms }) => ms) ?? []))
    }
    console.log(
      `replay, one stream: p50 ${quantile(late, 0.5).toFixed(1)} ms, p99 ${quantile(late, 0.99).toFixed(1)} ms late`,
    )
  })

  it('are replayed identically, a hundred at a time', async () => {
    const out = join(root, 'hundred')
    await recordAll(out)
    const recordings = await Promise.all(
      (await readdir(out)).map(async (file) => parseRecording(await readFile(join(out, file), 'utf8'))),
    )
    await using server = await startServer({ recordings: out })
    await using second = await server.gateway.createSandbox()
    const both = streams.flatMap((stream) => [
      { stream, key: 'any' },
      { stream, key: second.apiKey },
    ])
    const all = await Promise.all(
      both.map(({ stream, key }) =>
        ask(server.baseUrl, stream.path, { body: stream.body, headers: { authorization: `Bearer ${key}` } }),
      ),
    )
    const late = all.flatMap((received, index) => {
      const { stream } = both[index] as (typeof both)[number]
      expect(joined(received.chunks)).toBe(joined(stream.chunks))
      const recording = recordings.find(
        ({ request }) => JSON.stringify(request?.json) === JSON.stringify(stream.body),
      )
      return lateness(received, recording?.chunks.map(({ ms }) => ms) ?? [])
    })
    console.log(
      `replay, 100 at once: p50 ${quantile(late, 0.5).toFixed(1)} ms, p99 ${quantile(late, 0.99).toFixed(1)} ms late`,
    )
  })
})

describe('the recorder', () => {
  it('forwards chunks with little delay', async () => {
    const [stream] = streams
    if (!stream) throw new Error('no stream')
    const sentAt: number[] = []
    await using upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let index = 0; index < 400; index++) {
        await new Promise((resolve) => setTimeout(resolve, 3))
        sentAt.push(performance.now())
        response.write(
          `data: {"type":"response.output_text.delta","item_id":"msg_1","delta":"tide ${index}"}\n\n`,
        )
      }
      response.end('data: [DONE]\n\n')
    })
    const measure = async (baseUrl: string) => {
      sentAt.length = 0
      const delays: number[] = []
      await ask(baseUrl, '/responses', { body: {} }, ({ chunks }) => {
        const sent = sentAt[chunks.length - 1]
        if (sent !== undefined) delays.push(performance.now() - sent)
      })
      return delays
    }
    const direct = await measure(upstream.url.href)
    const recorder = await startRecorder({
      upstream: upstream.url,
      out: join(root, 'delay'),
      redactor: new Redactor(),
    })
    const through = await measure(recorder.baseUrl)
    await recorder.close()
    const added = (share: number) => (quantile(through, share) - quantile(direct, share)).toFixed(2)
    console.log(`recording adds: p50 ${added(0.5)} ms, p99 ${added(0.99)} ms`)
    expect(through.length).toBeGreaterThanOrEqual(400)
  })
})
