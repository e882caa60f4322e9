/**
 * Calls of every kind, for screens to show.
 */
import type { RunningServer } from '../../src/serve.ts'

export async function paint({ baseUrl, gateway }: RunningServer): Promise<void> {
  const ask = async (line: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method, path] = line.split(' ') as [string, string]
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: 'Bearer any', 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => undefined)
    await response?.text().catch(() => undefined)
  }
  await ask('GET /providers')
  await ask('GET /embeddings/models')
  await ask('PATCH /workspaces/production', { description: 'Prompts that serve customers' })
  await ask('POST /responses', { model: 'aurora/dawn-2', input: 'Why do tides come twice a day?' })
  gateway.use({
    name: 'busy-morning',
    description: 'Streams break off, and one answer in two is refused.',
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
  await ask('POST /responses', {
    model: 'aurora/dawn-2',
    input: 'What does the moon have to do with it?',
    stream: true,
  })
  await ask('GET /presets/code-review')
  await ask('GET /provider')
  await ask('GET /benchmarks?max_results=5')
  await ask('POST /responses', {
    model: 'aurora/dawn-2',
    stream: true,
    instructions: 'Answer as a harbour master would.',
    input: [
      { role: 'user', content: 'When is high tide?' },
      { role: 'assistant', content: 'At six in the morning.' },
      { role: 'user', content: 'And the next one?' },
    ],
  })
}
