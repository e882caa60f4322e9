import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { encodeFrame, toBytes } from '../../src/http/encode.ts'
import type { Frame, StreamEvent } from '../../src/http/reply.ts'
import { pacedFrames } from '../../src/model/respond.ts'
import { cite } from '../../src/model/search/citations.ts'
import { cutItems } from '../../src/model/token-limit.ts'
import { responses } from '../../src/operations/responses/protocol.ts'
import { responsesWriter } from '../../src/operations/responses/stream.ts'
import { type Answer, noTokens } from '../../src/resources/answer.ts'
import { CreateResponseBody } from '../../src/resources/create-response-body.ts'
import type { StreamOptions } from '../../src/resources/protocol.ts'
import { type Latency, LatencyOption } from '../../src/sandbox/latency.ts'

const usage = { ...noTokens, inputTokens: 1, outputTokens: 1 }
const text = 'Hei 👩‍👩‍👧 maailma: a naïve answer, in a few words.'

function frames(change: Partial<StreamOptions & { latency?: Latency }> = {}): Frame[] {
  const options = { stream: { events: 'all' as const }, ...change }
  const body = CreateResponseBody.parse({ model: 'aurora/dawn-2', input: 'Hi' })
  const cited = cite(text, [{ url: 'https://docs.example.com/a', title: 'Docs' }])
  const { items } = cutItems({
    items: [
      { type: 'web_search_call', action: { type: 'search', query: 'Hi' } },
      { type: 'message', parts: [cited] },
    ],
    reasoningTokens: 0,
  })
  const choice = { items, end: { status: 'completed' as const }, usage }
  const answer: Answer = { model: body.model, question: 'Hi', choices: [choice], usage }
  const sandbox = { seed: 1, memory: new Map<string, number>() }
  const response = responses.object(answer, { body, now: 0, requestKey: 'key', sandbox })
  const events = responses.events(response, answer, body)
  return [...pacedFrames(events, responsesWriter(options), responses.places, options.latency)]
}

function eventsOf(list: Frame[]): StreamEvent[] {
  return list.flatMap((frame) => (frame.kind === 'event' ? [frame.event] : []))
}

function waitsOf(list: Frame[]): number[] {
  return list.flatMap((frame) => (frame.kind === 'wait' ? [frame.ms] : []))
}

const paced = (latency: z.input<typeof LatencyOption>) => ({ latency: LatencyOption.parse(latency) })

const tokenCount = eventsOf(frames()).filter(({ type }) => type === 'response.output_text.delta').length

describe("a stream's bytes", () => {
  const list = frames(paced({ perToken: 50 }))
  const bytes = Buffer.concat(
    list.flatMap((frame) =>
      frame.kind === 'wait' || frame.kind === 'hang-up' ? [] : [toBytes(encodeFrame(frame))],
    ),
  )

  it('are parsed as the same events, however they are split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        const read: string[] = []
        const parser = createParser({ onEvent: ({ data }) => read.push(data) })
        const decoder = new TextDecoder()
        const ends = [...cuts, bytes.length].sort((left, right) => left - right)
        ends.forEach((end, index) => {
          parser.feed(decoder.decode(bytes.subarray(ends[index - 1] ?? 0, end), { stream: true }))
        })
        expect(read.pop()).toBe('[DONE]')
        expect(read.map((data) => JSON.parse(data))).toEqual(eventsOf(list))
      }),
      { numRuns: 50 },
    )
  })
})

describe("a stream's pacing", () => {
  it('adds no waits by default', () => {
    expect(waitsOf(frames())).toEqual([])
  })

  it('waits once, before the first event, if latency is a number', () => {
    expect(frames(paced(300))[0]).toEqual({ kind: 'wait', ms: 300 })
    expect(waitsOf(frames(paced(300)))).toEqual([300])
  })

  it('waits before every token with perToken', () => {
    const list = frames(paced({ perToken: 50 }))
    expect(waitsOf(list)).toEqual(Array(tokenCount).fill(50))
    expect(list[list.findIndex(({ kind }) => kind === 'wait') + 1]).toMatchObject({
      event: { type: 'response.output_text.delta' },
    })
  })

  it('is the same if only documented events are sent', () => {
    expect(waitsOf(frames({ ...paced({ perToken: 50 }), stream: { events: 'documented' } }))).toEqual(
      Array(tokenCount).fill(50),
    )
  })
})
