/**
 * Tests live comparisons: the requests sent to a real gateway, and their budget.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askGateway } from '../../../src/extras/recordings/drift-command.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { startUpstream } from './streams.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-live-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs the live check against an upstream that sends the given replies. Returns the requests and the results. */
async function requestsTo(
  answer: (line: string, call: number) => [number, string],
  { budgetUsd = 1, model }: { budgetUsd?: number; model?: string } = {},
) {
  const sent: string[] = []
  await using upstream = await startUpstream(({ method, url, headers, body }, response) => {
    const line = `${method} ${url.slice('/api/v1'.length)}`
    sent.push(`${line} ${headers.authorization} ${body}`.trimEnd())
    const [status, text] = answer(line, sent.length)
    if (status === 0) response.destroy()
    else response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  const logged: string[] = []
  const { recordings, unchecked } = await askGateway({
    upstream: upstream.url,
    key: 'secret-key-of-mine',
    redactor: new Redactor(),
    folder,
    budgetUsd,
    model,
    onRequest: (line) => logged.push(line),
  })
  return { seen: sent, told: logged, unchecked, recordings: recordings.size }
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
    const { seen: sent, told: logged, unchecked, recordings } = await requestsTo(() => [200, '{}'])
    expect(logged).toEqual(listings)
    expect(sent).toEqual(
      listings.map((line) => `${line} Bearer secret-key-of-mine${line.startsWith('POST') ? ' {}' : ''}`),
    )
    expect({ unchecked, recordings }).toEqual({ unchecked: [noModel], recordings: 5 })
  })

  it('requests a model reply and a stream within the budget', async () => {
    const cost =
      (text: string) =>
      (_line: string, call: number): [number, string] => [200, call === 6 ? text : '{}']
    const whole = await requestsTo(cost('{}'), { model: 'a/b', budgetUsd: 0.02 })
    expect(whole.told).toEqual([...listings, 'POST /responses', 'POST /responses'])
    const bodies = whole.seen.slice(5).map((line) => JSON.parse(line.slice(line.indexOf('{'))))
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
      const { seen: sent, unchecked } = await requestsTo((_, call) => [200, call === 6 ? text : '{}'], {
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
