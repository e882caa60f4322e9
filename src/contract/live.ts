/**
 * Asks a real gateway what the double can be compared with: listings, refusals, and as many answers of a model as the
 * budget allows. Nothing is written there, and nothing is kept but shapes.
 */

import type { Redactor } from '../tapes/redactor.ts'
import type { Tape } from '../tapes/tape.ts'
import { readTapeFolder } from '../tapes/tape-files.ts'
import { startRecorder } from './recorder.ts'

export interface LiveSetup {
  readonly upstream: URL
  readonly key: string | undefined
  readonly redactor: Redactor
  /** An empty folder for what is asked; the caller removes it. */
  readonly folder: string
  /** What the answers of a model may cost together, in the gateway's currency. */
  readonly budget: number
  /** The model that is asked. Default: none, and no answers. */
  readonly model?: string | undefined
  /** Is told of each request. */
  readonly onAsk?: (line: string) => void
}

/** What an answer counts whose reply names no cost. */
const assumedCost = 0.01
/** Real milliseconds that one reply may take. */
const patienceMs = 60_000

export async function askLive(setup: LiveSetup): Promise<{ tapes: Map<string, Tape>; unchecked: string[] }> {
  const { upstream, key, redactor, folder, model, onAsk } = setup
  const recorder = await startRecorder({
    upstream,
    key,
    redactor,
    out: folder,
    mode: 'all',
    idleMs: patienceMs,
  })
  const unchecked: string[] = []
  let left = setup.budget
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    onAsk?.(`${method} ${path}`)
    const response = await fetch(recorder.baseUrl + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    }).catch((error: Error) => error)
    if (response instanceof Error) {
      unchecked.push(`live ${method} ${path}: ${response.message}`)
      return ''
    }
    const text = await response.text().catch((error: Error) => error.message)
    if (response.status === 401 || response.status === 403 || response.status >= 500)
      unchecked.push(`live ${method} ${path}: it answers ${response.status}`)
    return text
  }
  const askModel = async (body: object) => {
    if (left < assumedCost) unchecked.push('live POST /responses: the budget is used up')
    else left -= costIn(await ask('POST', '/responses', body))
  }
  try {
    await ask('GET', '/providers')
    await ask('GET', '/embeddings/models')
    await ask('GET', '/benchmarks?max_results=5')
    await ask('GET', '/presets/understudy-drift-check')
    await ask('POST', '/responses', {})
    if (model === undefined) unchecked.push('live POST /responses: give --model, the one to ask')
    else {
      const question = { model, input: 'Say hello.', max_output_tokens: 16 }
      await askModel(question)
      await askModel({ ...question, stream: true })
    }
  } finally {
    await recorder.close()
  }
  return { tapes: readTapeFolder(folder), unchecked }
}

/** `usage.cost` of a reply, or of the last event of a stream. */
function costIn(text: string): number {
  const costs = [...text.matchAll(/"cost"\s*:\s*(\d+(?:\.\d+)?(?:e-?\d+)?)/g)].map(([, cost]) => Number(cost))
  return costs.at(-1) ?? assumedCost
}
