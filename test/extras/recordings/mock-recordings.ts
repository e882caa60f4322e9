/** Records Understudy itself, with random data and requests. */

import { type Recording, toContent } from '../../../src/extras/recordings/recording.ts'
import { toRecording } from '../../../src/extras/recordings/recording-files.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { createGateway } from '../../../src/index.ts'
import { random } from '../../../src/lib/seed.ts'
import { open } from '../../call.ts'

export interface Ask {
  readonly method: string
  readonly path: string
  readonly body?: object
}

const redactor = new Redactor()

/** Sends requests, and returns the replies as recordings by name. */
export async function recordingsOfMock(asks: readonly Ask[], seed: number): Promise<Map<string, Recording>> {
  const gateway = createGateway({ seed, timeScale: 0, recordCounts: { providers: 20 + (seed % 9) } })
  const recordings = new Map<string, Recording>()
  for (const [index, { method, path, body }] of asks.entries()) {
    const response = await open(gateway, `${method} ${path}`, { body })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const [bare = path, query] = path.split('?')
    const content = toContent(new TextEncoder().encode(body ? JSON.stringify(body) : ''))
    const recording = toRecording(
      {
        request: { method, path: bare, query: query ? `?${query}` : '', headers: {}, ...content },
        reply: { ms: 1, status: response.status, headers: Object.fromEntries(response.headers) },
        chunks: [{ ms: 2, bytes }],
        end: { how: 'fin', ms: 3 },
      },
      { redactor, operation: undefined },
    )
    recordings.set(`${index}.recording.jsonl`, recording)
  }
  return recordings
}

/** Returns random valid and invalid requests of every kind. */
export function randomAsks(seed: number, count = 8): Ask[] {
  const next = random('asks', seed)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item
  const tool = {
    type: 'function',
    name: 'look_up',
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  }
  const question = () => ({
    model: pick(['aurora/dawn-2', 'zephyr/breeze-1:online', '@preset/research-brief', 'x-ai/any']),
    input: pick(['Hello', 'How do tides work?', 'Write a list of rivers', 'Wörter 🌊', 'x'.repeat(50)]),
    stream: next() < 0.6,
    ...(next() < 0.3 && { max_output_tokens: 1 + Math.floor(next() * 40) }),
    ...(next() < 0.3 && { plugins: [{ id: 'web', max_results: 1 + Math.floor(next() * 5) }] }),
    ...(next() < 0.2 && { tools: [{ type: 'gateway:web_search' }] }),
    ...(next() < 0.2 && { tools: [tool], tool_choice: 'required' }),
    ...(next() < 0.1 && { metadata: { a: '1' } }),
    ...(next() < 0.1 && { temperature: next() }),
  })
  const asks: (() => Ask)[] = [
    () => ({ method: 'GET', path: '/providers' }),
    () => ({ method: 'GET', path: '/embeddings/models' }),
    () => ({
      method: 'GET',
      path: `/benchmarks?${pick(['max_results=3', 'source=design-source', 'source=index-source', 'task_type=coding', 'max_results=0'])}`,
    }),
    () => ({ method: 'GET', path: `/presets/${pick(['email-copywriter', 'code-review', 'none'])}` }),
    () => ({
      method: 'PATCH',
      path: '/workspaces/production',
      body: pick([{ name: 'N' }, { slug: 'BAD' }, { description: null }]),
    }),
    () => ({ method: 'POST', path: '/responses', body: question() }),
    () => ({ method: 'POST', path: '/responses', body: question() }),
    () => ({ method: 'POST', path: '/responses', body: { model: 'none' } }),
  ]
  return Array.from({ length: count }, () => pick(asks)())
}
