/** Regression tests for fixed bugs in faults. */
import { createOpenAI } from '@ai-sdk/openai'
import { streamText } from 'ai'
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../src/faults/index.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'
import { describeAdapters } from '../describe-adapters.ts'

const question = { model: 'aurora/dawn-1', input: 'How do tides work, and what does the moon do?' }
const streamed = { ...question, stream: true }

describeAdapters('fault regressions', (entrance) => {
  const use = (rule: Partial<Rule>) => entrance.sandbox.use({ on: 'createResponse', ...rule } as Rule)
  const ask = (body: object = streamed) => entrance.call('POST /responses', { body })
  const warnings = () => entrance.sandbox.journal.last('createResponse')?.warnings ?? []
  const unused = () => entrance.sandbox.unusedRules().length

  describe('positions', () => {
    it.each([
      { name: 'stream-error-event', afterMs: 50 },
      { name: 'stream-error-event', afterBytes: 1_000_000 },
      { name: 'stream-cut', afterBytes: 1_000_000 },
      { name: 'stream-cut', afterMs: 50 },
      { name: 'stream-reset', afterEvents: 10_000 },
      { name: 'stream-cut', afterDeltas: 10_000 },
    ] as const)('have no effect and record a warning if they are past the end: %j', async (fault) => {
      use({ fault })
      const { text } = await ask()
      expect(text).toMatch(/response\.completed[\s\S]*data: \[DONE\]\n\n$/)
      expect(warnings()).toEqual([expect.stringContaining(`'${fault.name}' found nothing to act on: the `)])
      expect(unused()).toBe(1)
    })

    it.each([
      ['four five six', { afterDeltas: 2 }, 2],
      ['four', {}, 0],
      ['', {}, 0],
    ])('do not count deltas of reasoning before %j: %j', async (content, place, count) => {
      const thought = { type: 'reasoning', summary: ['One two three'] } as const
      const output = content ? [thought, { type: 'message' as const, content }] : [thought]
      use({ reply: { output }, fault: { name: 'stream-cut', ...place } })
      const { text } = await ask()
      expect(text.match(/"response\.reasoning\w*\.delta"/g)?.length).toBeGreaterThan(2)
      expect(text.match(/"response\.output_text\.delta"/g) ?? []).toHaveLength(count)
      expect(text).not.toContain('response.completed')
    })

    it('are moved to the end of the event if stream-error-event is at a byte inside it', async () => {
      use({ fault: { name: 'stream-error-event', afterBytes: 1000 } })
      const { text } = await ask()
      for (const line of text.split('\n\n').filter((each) => each.startsWith('data: {')))
        expect(() => JSON.parse(line.slice(6))).not.toThrow()
    })
  })

  describe('faults with nothing to act on', () => {
    it.each([
      ['citations', 'citation-out-of-range', question],
      ['the field', { name: 'field', path: 'nowhere' }, question],
      ['enough bytes', { name: 'truncated-body', afterBytes: 1_000_000 }, question],
      ['a stream', ['latency', 'stream-cut'], question],
    ] as const)('record a warning if the reply has no %s', async (_name, fault, body) => {
      const quickFault = JSON.parse(JSON.stringify(fault).replace('"latency"', '{"name":"latency","ms":1}'))
      use({ fault: [quickFault].flat() })
      expect((await ask(body)).status).toBe(200)
      expect(warnings()).toEqual([expect.stringContaining('found nothing to act on')])
      expect(unused()).toBe(Array.isArray(fault) ? 0 : 1)
    })

    it('stream-instead-of-json leaves an operation without streams alone', async () => {
      use({ on: '*', fault: 'stream-instead-of-json' })
      expect((await entrance.call('GET /providers')).status).toBe(200)
      expect(entrance.sandbox.journal.last('listProviders')?.warnings).toEqual([
        "'stream-instead-of-json' found nothing to act on: the operation has no event stream",
      ])
      expect(unused()).toBe(1)
    })
  })

  it("truncated-body also acts on the operation's error replies", async () => {
    use({ fault: 'truncated-body' })
    const response = await entrance.open('POST /responses', { body: { model: '', input: 'x' } })
    expect(response.status).toBe(400)
    await expect(response.text()).rejects.toThrow(TypeError)
  })

  it('stream-reset delivers earlier events before the error, also to the AI SDK', async () => {
    use({ fault: 'stream-reset' })
    const model = createOpenAI({
      apiKey: entrance.sandbox.apiKey,
      baseURL: entrance.baseUrl,
      fetch: (...call) => entrance.fetch(...call),
    }).responses(question.model)
    let deltas = 0
    let failure: unknown
    const recordFailure = (error: unknown) => {
      failure = error
    }
    const { fullStream } = streamText({ model, prompt: question.input, maxRetries: 0, onError() {} })
    try {
      for await (const part of fullStream) {
        if (part.type === 'text-delta') deltas++
        if (part.type === 'error') recordFailure(part.error)
      }
    } catch (error) {
      recordFailure(error)
    }
    expect(deltas).toBe(3)
    expect(failure).toBeInstanceOf(Error)
  })

  // Clients on a socket decompress in a separate thread, which may be delayed on a busy machine.
  it('stream-reset delivers earlier events of a compressed stream', { retry: 2 }, async () => {
    use({ fault: ['gzip-body', 'stream-reset'] })
    const deltas = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const response = await entrance.open('POST /responses', { body: streamed })
        let text = ''
        const read = async () => {
          for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part
        }
        await expect(read()).rejects.toThrow(TypeError)
        return text.match(/"response\.output_text\.delta"/g)?.length
      }),
    )
    expect(deltas).toEqual(Array(4).fill(3))
  })

  it.each<Fault>([
    { name: 'wrong-content-type', contentType: 'a\r\nb' },
    { name: 'random-bytes', contentType: 'a\r\nb' },
    { name: 'status', headers: { 'x-a': 'a\r\nb' } },
    { name: 'status', headers: { 'transfer-encoding': 'chunked' } },
  ])('use() rejects %j', (fault) => {
    expect(() => use({ fault })).toThrow(/header|frames/)
  })

  it('rate limit headers do not depend on the real duration of requests', async () => {
    const read = async (pauseMs: number) => {
      entrance.sandbox.reset()
      entrance.sandbox.use({ on: '*', rateLimit: { requests: 2, per: 10_000 }, fault: 'rate-limit' })
      const values: (string | null)[] = []
      for (let call = 0; call < 3; call++) {
        const { headers } = await ask(question)
        values.push(headers.get('x-ratelimit-reset'), headers.get('retry-after'))
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      return values
    }
    expect(await read(0)).toEqual(await read(15))
  })
})
