/**
 * Tests live comparisons: the requests sent to a real gateway, and their budget.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { recordLive } from '../../../src/extras/recordings/drift-command.ts'
import { startUpstream } from './streams.ts'

afterEach(() => vi.unstubAllEnvs())

/** Runs the live check against an upstream that sends the given replies. Returns the requests and the results. */
async function requestsTo(
  answer: (line: string, call: number) => [number, string],
  { budgetUsd = 1, model }: { budgetUsd?: number; model?: string } = {},
) {
  const sent: string[] = []
  await using upstream = await startUpstream(({ method, url, headers, body }, response) => {
    const line = `${method} ${url.slice('/api/v1'.length)}`
    const type = headers['content-type'] ?? ''
    sent.push([line, headers.authorization, type, body].filter(Boolean).join(' '))
    const [status, text] = answer(line, sent.length)
    if (status === 0) response.destroy()
    else response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  vi.stubEnv('KEY_OF_MINE', 'secret-key-of-mine')
  const unchecked: string[] = []
  const flags = { upstream: upstream.url, keyEnv: 'KEY_OF_MINE', budgetUsd, model }
  const recordings = await recordLive(flags, unchecked)
  return { sent, unchecked, recordings: recordings.size }
}

const listings = [
  'GET /providers',
  'GET /embeddings/models',
  'GET /benchmarks?max_results=5',
  'GET /presets/understudy-drift-check',
  'POST /responses',
]
const noModel = 'live POST /responses: set a model with --model'
const usedUp = 'live POST /responses: the budget is exhausted'

describe('drift --live', () => {
  it('requests lists and an error reply with the key, but no model reply without --model', async () => {
    const { sent, unchecked, recordings } = await requestsTo(() => [200, '{}'])
    const rest = (line: string) => (line.startsWith('POST') ? ' application/json {}' : '')
    expect(sent).toEqual(listings.map((line) => `${line} Bearer secret-key-of-mine${rest(line)}`))
    expect({ unchecked, recordings }).toEqual({ unchecked: [noModel], recordings: 5 })
  })

  it('requests a model reply and a stream within the budget', async () => {
    const cost =
      (text: string) =>
      (_line: string, call: number): [number, string] => [200, call === 6 ? text : '{}']
    const whole = await requestsTo(cost('{}'), { model: 'a/b', budgetUsd: 0.02 })
    const bodies = whole.sent.slice(5).map((line) => JSON.parse(line.slice(line.indexOf('{'))))
    const question = { model: 'a/b', input: 'Say hello.', max_output_tokens: 16 }
    expect(bodies).toEqual([question, { ...question, stream: true }])
    expect(whole).toMatchObject({ unchecked: [], recordings: 7 })
  })

  it.each([
    [0.009, '{}', 5, [usedUp, usedUp]],
    // A reply that does not state its cost counts as 0.01.
    [0.01, '{}', 6, [usedUp]],
    [0.02, '{}', 7, []],
    [0.02, '{"usage":{"cost":0.011}}', 6, [usedUp]],
    [0.02, '{"usage":{"cost":0.01}}', 7, []],
    [0.01, '{"cost": 0}', 7, []],
    [1, '{"cost":2e-1}', 7, []],
    [0.2, '{"cost":2e-1}', 6, [usedUp]],
    // The last cost in the reply is used.
    [1, '{"cost":1}{"cost":0.5}', 7, []],
    [1, '{"cost":0.5}{"cost":1}', 6, [usedUp]],
  ])(
    'stops at the budget: %f with replies %s allows %i requests',
    async (budgetUsd, text, requests, reasons) => {
      const { sent, unchecked } = await requestsTo((_, call) => [200, call === 6 ? text : '{}'], {
        budgetUsd,
        model: 'a/b',
      })
      expect([sent.length, unchecked]).toEqual([requests, reasons])
    },
  )

  it('reports rejected keys, failures and disconnects as unchecked, and compares other errors', async () => {
    const statuses = [401, 403, 404, 500, 599]
    const { unchecked } = await requestsTo((_, call) => [statuses[call - 1] ?? 200, '{}'])
    expect(unchecked).toEqual([
      'live GET /providers: responded with 401',
      'live GET /embeddings/models: responded with 403',
      'live GET /presets/understudy-drift-check: responded with 500',
      'live POST /responses: responded with 599',
      noModel,
    ])
    const gone = await requestsTo((_, call) => (call === 1 ? [0, ''] : [499, '{}']))
    expect(gone.unchecked).toEqual([expect.stringContaining('live GET /providers: '), noModel])
  })
})
