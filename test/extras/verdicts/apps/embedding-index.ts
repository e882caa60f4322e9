import OpenAI from 'openai'
import * as z from 'zod'
import { type App, status, type Target } from './app.ts'
import { failureOf, limited, persist, sleep } from './persist.ts'

const notes = ['Tides rise.', 'Tides fall.', 'Waves break.', 'Winds turn.', 'Salt stays.', 'Ice melts.']
const Row = z.object({ index: z.int(), embedding: z.array(z.number()).length(4) })

type Row = z.infer<typeof Row>

function checkRows(data: unknown, count: number): Row[] {
  const rows = z.array(Row).length(count).parse(data)
  return rows.map((_, place) => Row.parse(rows.find(({ index }) => index === place)))
}

async function run(
  { baseUrl, apiKey, fetch, signal }: Target,
  defect?: string,
): Promise<Record<string, number[]>> {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch, maxRetries: 0, timeout: 1500 })
  const options = { model: 'aurora/embed-small', dimensions: 4, encoding_format: 'float' as const }

  let slot = Promise.resolve()
  const inSlot = async (work: () => Promise<Row[]>): Promise<Row[]> => {
    await slot
    const { promise, resolve } = Promise.withResolvers<void>()
    slot = promise
    const rows = work()
    // Defect: an error does not free the slot for the next request.
    const afterError = defect === 'keeps-slot-after-error' ? () => {} : resolve
    rows.then(() => resolve(), afterError)
    return rows
  }

  const embed = async (input: string[]): Promise<Row[]> => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const ask = async (signal: AbortSignal) => {
      const { data } = Object(await client.embeddings.create({ ...options, input }, { signal, headers }))
      return defect === 'unchecked-rows' ? data : checkRows(data, input.length)
    }
    const once = () => inSlot(() => limited(signal, ask))
    if (defect === 'keeps-slot-after-error') return once().catch(() => sleep(10, signal).then(once))
    // Defect: a 401 counts as an expired token, and the same key is sent again.
    if (defect === 'renews-same-key')
      return once().catch((error) => (/401/.test(failureOf(error).message) ? once() : Promise.reject(error)))
    return inSlot(() => persist(signal, ask))
  }

  const index: Record<string, number[]> = {}
  // Defect: the size of a batch is not applied, so there is one request.
  const size = defect === 'one-batch' ? notes.length : 2
  for (let start = 0; start < notes.length; start += size) {
    const batch = notes.slice(start, start + size)
    try {
      // Defect: rows are used as they come, even those without an embedding.
      for (const [place, { embedding }] of (await embed(batch)).entries())
        index[batch[place] ?? ''] = embedding.map((value) => Number(value.toFixed(4)))
    } catch (error) {
      // Defect: a batch that fails is left out of the index.
      if (defect !== 'skips-failed-batch') throw error
    }
  }
  return index
}

export const embeddingIndex: App = {
  name: 'embedding-index',
  setUp() {},
  run,
  defects: {
    'one-batch': { fault: 'status', call: 3, finding: 'fault-never-acted', verdict: 'not-reached' },
    'skips-failed-batch': { fault: status(413), call: 2, verdict: 'silent' },
    'unchecked-rows': { fault: { name: 'field', path: 'data.0.embedding' }, verdict: 'crashed' },
    'renews-same-key': { fault: status(401), finding: 'not-retryable-retried' },
    'keeps-slot-after-error': { fault: 'connection-reset', call: 2, verdict: 'hung' },
  },
}
