/**
 * A fixed list of 50 mixed calls, sent to a new server over a socket. Run as a program, this file
 * prints the transcript.
 */
import { startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

export interface Line {
  line: string
  status: number
  headers: Record<string, string>
  body: string
}

interface PlannedCall {
  line: string
  body?: unknown
  /**
   * If true, the call changes neither rows nor counters, so parallel calls return the same bytes, except for
   * times.
   */
  pure: boolean
}

const questions = [
  'How do tides work?',
  'Why is the sky blue?',
  'Wie backt man Brot?',
  '🦊 foxes, please',
  'Tell me a joke',
]

const reads = [
  'GET /providers',
  'GET /embeddings/models',
  'GET /benchmarks',
  'GET /benchmarks?source=index-source&task_type=coding',
  'GET /benchmarks?source=design-source&arena=builders',
  'GET /benchmarks?max_results=3',
  'GET /benchmarks?max_results=0',
  'GET /presets/email-copywriter',
  'GET /presets/code-review',
  'GET /presets/nobody',
  'GET /nothing',
  'DELETE /providers',
]

const model = 'aurora/dawn-2'
const respond = (body: object, pure = true) => ({ line: 'POST /responses', body, pure })
const update = (id: string, body: object) => ({ line: `PATCH /workspaces/${id}`, body, pure: false })

export const calls: readonly PlannedCall[] = [
  ...reads.map((line) => ({ line, pure: true })),
  ...questions.map((input) => respond({ model, input })),
  ...questions.map((input) => respond({ model, input, stream: true })),
  ...questions.map((input) => respond({ model: 'borealis/polar-4:online', input })),
  respond({ model: 42 }),
  respond({ model, input: 'Short', max_output_tokens: 3 }),
  respond({ model: '@preset/code-review', input: 'x = 1' }),
  ...reads.slice(0, 5).map((line) => ({ line, pure: false })),
  ...questions.map((input) => respond({ model, input }, false)),
  ...Array.from({ length: 5 }, (_, index) => update('production', { name: `Name ${index}` })),
  update('production', { slug: 'staging' }),
  update('production', { slug: 'live' }),
  update('production', { name: 'Gone' }),
  update('live', {}),
  update('live', { name: '' }),
]

/** Sends the calls sequentially or concurrently, and returns everything received except the date. */
export async function transcript(
  seed: number,
  list: readonly PlannedCall[],
  mode: 'in turn' | 'at once',
): Promise<Line[]> {
  await using server = await startServer({ seed })
  const send = async ({ line, body }: PlannedCall): Promise<Line> => {
    const response = await open(server, line, { body })
    const { date: _, ...headers } = Object.fromEntries(response.headers)
    return {
      line: `${line} ${JSON.stringify(body) ?? ''}`,
      status: response.status,
      headers,
      body: await response.text(),
    }
  }
  if (mode === 'at once') return await Promise.all(list.map(send))
  const lines: Line[] = []
  for (const call of list) lines.push(await send(call))
  return lines
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(JSON.stringify(await transcript(Number(process.argv[2]), calls, 'in turn')))
}
