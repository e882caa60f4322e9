import type { App, Target } from './app.ts'
import { type Ask, failureOf, limited, persist, sleep } from './persist.ts'
import { assertNoError, assertOk, assertWhole, Chunk, model, post } from './reply.ts'

const messages = [{ role: 'user', content: 'Why do tides come twice a day?' }]
const chunksOf = ({ body }: Response) => body?.pipeThrough(new TextDecoderStream()) ?? []

async function* eventsOf(response: Response): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunksOf(response)) {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      if (line !== '') continue
      if (data.join('') !== '') yield data.join('\n')
      data = []
    }
  }
  if (rest === '\r' && data.length > 0) yield data.join('\n')
}

async function* simpleEventsOf(response: Response, defect: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunksOf(response)) {
    // Defect: events end with two line feeds, so a stream with CR LF has none.
    const parts = (rest + chunk).split('\n\n')
    // Defect: each chunk is expected to contain whole events.
    rest = defect === 'splits-each-chunk' ? '' : (parts.pop() ?? '')
    yield* parts.filter((part) => part !== '').map((part) => part.replace('data: ', ''))
  }
}

async function simpleText(response: Response, defect: string): Promise<string> {
  let text = ''
  const { promise, resolve } = Promise.withResolvers<string>()
  try {
    for await (const event of simpleEventsOf(response, defect))
      if (event === '[DONE]') resolve(text)
      else text += JSON.parse(event).choices[0].delta.content ?? ''
  } catch (error) {
    // Defect: a connection that breaks counts as the end of the stream.
    if (defect !== 'swallows-reset') throw error
  }
  // Defect: only `[DONE]` ends the answer, and the end of the stream does not.
  return defect === 'waits-for-done' ? promise : text
}

async function run(target: Target, defect = ''): Promise<string> {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const send = async (signal: AbortSignal) =>
    assertOk(await post(target, '/chat/completions', { model, stream: true, messages }, { signal, headers }))
  if (['splits-each-chunk', 'expects-line-feeds', 'swallows-reset', 'waits-for-done'].includes(defect))
    return simpleText(await persist(target.signal, send), defect)

  const ask: Ask<string> = async (signal, alive) => {
    let [text, finish, done] = ['', '', false]
    for await (const event of eventsOf(await send(signal))) {
      alive()
      done ||= event === '[DONE]'
      if (done) continue
      const json = JSON.parse(event)
      assertNoError(json)
      const [choice] = Chunk.parse(json).choices ?? []
      if (!finish) text += choice?.delta.content ?? ''
      finish ||= choice?.finish_reason ?? ''
    }
    // Defect: any reason to finish will do.
    if (defect !== 'ignores-finish-reason' || !finish) assertWhole(text && finish, 'stop')
    return text
  }
  for (let tries = 1; defect === 'fixed-backoff'; tries++) {
    try {
      return await limited(target.signal, ask)
    } catch (error) {
      if (!failureOf(error).retryable || tries === 4) throw error
      // Defect: the backoff does not depend on the time that the gateway asks for.
      await sleep(10 * 2 ** tries, target.signal)
    }
  }
  return persist(target.signal, ask)
}

export const sseChat: App = {
  name: 'sse-chat',
  setUp: (sandbox) =>
    sandbox.reply('The earth turns under two bulges of water, below and opposite the moon.'),
  run,
  defects: {
    'splits-each-chunk': { fault: { name: 'stream-split', bytes: 60 }, verdict: 'crashed' },
    'expects-line-feeds': { fault: 'stream-crlf', verdict: 'silent' },
    'swallows-reset': { fault: 'stream-reset', finding: 'truncated-accepted', verdict: 'silent' },
    'waits-for-done': { fault: 'stream-without-done', verdict: 'hung' },
    'ignores-finish-reason': { fault: 'content-filter', finding: 'truncated-accepted' },
    'fixed-backoff': { fault: 'rate-limit', finding: 'retry-after-ignored' },
  },
}
