import * as z from 'zod'
import { type App, status, type Target } from './app.ts'
import { Failure, persist } from './persist.ts'
import { assertOk, model, outputOf, post } from './reply.ts'

const question = 'Why are spring tides high?'
const pages = ['Salt lowers the freezing point.', 'Spring tides are high when sun and moon are in line.']
const Row = z.object({ embedding: z.array(z.number()).length(8) })
const Vectors = z.object({ data: z.array(Row).length(3) })
const Annotation = z.object({ url: z.url(), start_index: z.int().min(0), end_index: z.int() })
const Content = z.object({ text: z.string().min(1), annotations: z.array(Annotation).min(1) })
const Output = z.tuple([z.object({ content: z.tuple([Content]) })])

interface Answer {
  text: string
  sources: { host: string; quote: string }[]
}

function toAnswer({ text, annotations }: z.infer<typeof Content>): Answer {
  const sources = annotations.map(({ url, start_index, end_index }) => ({
    host: new URL(url).host,
    quote: text.slice(start_index, end_index),
  }))
  return { text, sources }
}

function readContent(body: string): z.infer<typeof Content> {
  const [{ content }] = Output.parse(outputOf(JSON.parse(body)))
  for (const { start_index, end_index } of content[0].annotations)
    if (start_index >= end_index || end_index > content[0].text.length)
      throw new Failure('A citation is outside the answer', { retryable: true })
  return content[0]
}

function readCutContent(body: string): z.infer<typeof Content> {
  try {
    return readContent(body)
  } catch {
    // Defect: if the JSON is cut off, the text is searched in what is left of it.
    return { text: /"text":"([^"]*)/.exec(body)?.[1] ?? '', annotations: [] }
  }
}

function readPage(body: string): string {
  const [query = [], ...vectors] = Vectors.parse(JSON.parse(body)).data.map(({ embedding }) => embedding)
  const scores = vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0))
  return pages[scores.indexOf(Math.max(...scores))] ?? ''
}

async function run(target: Target, defect?: string): Promise<Answer> {
  const ask = <Result>(path: string, body: object, read: (body: string) => Result): Promise<Result> => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    return persist(target.signal, async (signal) => {
      const response = await post(target, path, body, { signal, headers })
      return read(await (await assertOk(response)).text())
    })
  }
  const retrieval = { model: 'aurora/embed-small', input: [question, ...pages], dimensions: 8 }
  const instructions = `Answer from this page, and cite it: ${await ask('/embeddings', retrieval, readPage)}`
  const request = { model, instructions, input: question }
  // Defect: citations are used unchecked, even those without an address.
  if (defect === 'unchecked-citations')
    return toAnswer((await ask('/responses', request, JSON.parse)).output[0].content[0])
  try {
    const read = defect === 'uses-cut-json' ? readCutContent : readContent
    return toAnswer(await ask('/responses', request, read))
  } catch (error) {
    // Defect: a question that fails counts as one without an answer.
    if (defect === 'fails-as-no-answer') return { text: 'The pages contain no answer.', sources: [] }
    throw error
  }
}

export const ragCitations: App = {
  name: 'rag-citations',
  setUp(sandbox) {
    const citations = [{ url: 'https://oceans.example/tides', text: 'sun and moon are in line' }]
    sandbox.reply('Spring tides are high, because sun and moon are in line.', { citations })
  },
  run,
  defects: {
    'uses-cut-json': {
      fault: { name: 'short-content-length', by: 580 },
      call: 2,
      finding: 'truncated-accepted',
    },
    'unchecked-citations': { fault: 'citation-missing-field', call: 2, verdict: 'crashed' },
    'fails-as-no-answer': { fault: status(400), call: 2, verdict: 'silent' },
  },
}
