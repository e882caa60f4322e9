/** Makes sample calls of every kind, for tests and screenshots. */
import type { RunningServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'

/** Ids of the calls that tests refer to. */
export interface SampleCalls {
  conversation: string
  cut: string
  unmatched: string
}

/** Ids of a rate-limited call, and of a call that gets a tool call. */
export interface MoreCalls {
  limited: string
  tool: string
}

/** Makes calls with a rate limit, a tool call and a trace. */
export async function makeMoreCalls({ url, gateway }: RunningServer): Promise<MoreCalls> {
  const sandbox = await gateway.createSandbox({ id: 'agent' })
  sandbox.use({
    name: 'busy',
    rules: [
      {
        name: 'limit',
        on: 'createResponse',
        when: { stream: false },
        rateLimit: { requests: 2, per: '60s' },
      },
      {
        on: 'createResponse',
        when: { stream: true, input: 'forecast' },
        reply: { output: [{ type: 'function_call', name: 'get_weather', arguments: '{"city":"Lisbon"}' }] },
      },
    ],
  })
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const ask = async (body: object) => {
    const sent = { body: { model: 'aurora/dawn-2', ...body }, headers }
    const response = await open({ baseUrl: `${url}/sandboxes/agent/api/v1` }, 'POST /responses', sent)
    await response.text()
    return response.headers.get('x-request-id') ?? ''
  }
  const first = { role: 'user', content: 'Shall I take an umbrella to Lisbon?' }
  const tool = await ask({ input: 'A forecast for Lisbon, please.', stream: true })
  await ask({ input: [first] })
  await ask({
    input: [
      first,
      { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Lisbon"}' },
      { type: 'function_call_output', call_id: 'c1', output: '{"rain":true}' },
    ],
  })
  const limited = await ask({ input: [first, { role: 'user', content: 'And tomorrow?' }] })
  return { limited, tool }
}

export async function makeSampleCalls({ baseUrl, gateway }: RunningServer): Promise<SampleCalls> {
  const ask = async (line: string, body?: unknown) => {
    const response = await open({ baseUrl }, line, { body })
    // Reading a cut stream throws an error.
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
export function screensOf(
  { conversation, cut, unmatched }: SampleCalls,
  { limited, tool }: MoreCalls,
): Record<string, string> {
  return {
    empty: '#/calls?sandbox=checkout-test',
    groups: '#/calls?sandbox=agent&group=conversation',
    limited: `#/calls?call=${limited}&in=agent`,
    tool: `#/calls?call=${tool}&in=agent&tab=stream`,
    compare: `#/calls?call=${conversation}&in=default&with=${cut}&within=default`,
    found: '#/calls?q=op%3AcreateResponse+slower%3A20ms&sort=-duration',
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
    oldrow: '#/data?collection=models&row=aurora%2Fdawn-2',
    sandboxes: '#/sandboxes',
  }
}
