/**
 * Sample calls of every kind, for tests and screenshots.
 */
import type { RunningServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'

/** Ids of some of the calls. */
export interface SampleCalls {
  conversation: string
  cut: string
  unmatched: string
}

export async function makeSampleCalls({ baseUrl, gateway }: RunningServer): Promise<SampleCalls> {
  const ask = async (line: string, body?: unknown) => {
    const response = await open({ baseUrl }, line, { body })
    // A cut stream throws.
    await response.text().catch(() => undefined)
    return response.headers.get('x-request-id') ?? ''
  }
  await ask('GET /providers')
  await ask('GET /embeddings/models')
  await ask('PATCH /workspaces/production', { description: 'Prompts that serve customers' })
  await ask('POST /responses', { model: 'aurora/dawn-2', input: 'Why do tides come twice a day?' })
  gateway.use({
    name: 'busy-morning',
    description: 'Streams are cut, and one model is overloaded.',
    rules: [
      {
        name: 'cut',
        on: 'createResponse',
        when: { stream: true, input: 'moon' },
        fault: { name: 'stream-cut', afterDeltas: 6 },
      },
      {
        name: 'refused',
        on: 'createResponse',
        when: { model: 'aurora/dawn-1' },
        fault: { name: 'status', status: 529 },
      },
      { on: 'getPreset', when: { params: { slug: 'summary' } }, fault: { name: 'status', status: 503 } },
    ],
  })
  await ask('POST /responses', { model: 'aurora/dawn-1', input: 'Say it in one line.' })
  const cut = await ask('POST /responses', {
    model: 'aurora/dawn-2',
    input: 'What does the moon have to do with it?',
    stream: true,
  })
  await ask('GET /presets/code-review')
  const unmatched = await ask('GET /provider')
  await ask('GET /benchmarks?max_results=5')
  const conversation = await ask('POST /responses', {
    model: 'aurora/dawn-2',
    stream: true,
    instructions: 'Answer as a harbour master would.',
    input: [
      { role: 'user', content: 'When is high tide?' },
      { role: 'assistant', content: 'At six in the morning.' },
      { role: 'user', content: 'And the next one?' },
    ],
  })
  return { conversation, cut, unmatched }
}

/** URL hash of every screen. */
export function screensOf({ conversation, cut, unmatched }: SampleCalls): Record<string, string> {
  return {
    calls: '#/calls',
    why: `#/calls?call=${conversation}&in=default`,
    cut: `#/calls?call=${cut}&in=default`,
    unmatched: `#/calls?call=${unmatched}&in=default`,
    request: `#/calls?call=${conversation}&in=default&tab=request`,
    reply: `#/calls?call=${conversation}&in=default&tab=reply`,
    stream: `#/calls?call=${conversation}&in=default&tab=stream`,
    raw: `#/calls?call=${conversation}&in=default&tab=raw`,
    scenarios: '#/scenarios',
    data: '#/data',
    row: '#/data?collection=workspaces&row=%2B',
    sandboxes: '#/sandboxes',
    metrics: '#/metrics',
    try: '#/try',
  }
}
