import OpenAI from 'openai'
import * as z from 'zod'
import type { App, Target } from './app.ts'
import { type Ask, limited, persist, sleep } from './persist.ts'
import { assertWhole, model } from './reply.ts'

const paragraphs = ['Le port dort.', 'La mer monte.', 'Le phare tourne.', 'Le vent tombe.']
const translations = ['The harbour sleeps.', 'The sea rises.', 'The lighthouse turns.', 'The wind drops.']
const Choice = z.object({ finish_reason: z.string(), message: z.object({ content: z.string().min(1) }) })
const Completion = z.object({ choices: z.tuple([Choice]) })

async function run({ baseUrl, apiKey, fetch, signal: user }: Target, defect?: string): Promise<string> {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch, maxRetries: 0, timeout: 1500 })
  const group = new AbortController()
  const cancel = () => group.abort()

  const translateOne = async (paragraph: string): Promise<string> => {
    const body = { model, messages: [{ role: 'user' as const, content: `Translate: ${paragraph}` }] }
    // Defect: a failure repeats all paragraphs, without idempotency keys.
    const key = defect === 'repeats-all' ? undefined : crypto.randomUUID()
    const ask: Ask<string> = async (attempt) => {
      // Defect: Cancel ends the wait for the translation, and the requests continue.
      const signal = defect === 'cancel-hides-only' ? undefined : attempt
      const options = { signal, headers: { 'idempotency-key': key } }
      const [choice] = Completion.parse(await client.chat.completions.create(body, options)).choices
      assertWhole(choice.finish_reason, 'stop')
      return choice.message.content
    }
    if (defect === 'drops-failed' || defect === 'repeats-all') return limited(group.signal, ask)
    if (defect !== 'hedges-retry') return persist(group.signal, ask)
    // Defect: after a failure, five requests race for the answer.
    const hedge = () => Promise.any(Array.from({ length: 5 }, () => limited(group.signal, ask)))
    return limited(group.signal, ask).catch(hedge)
  }

  user?.addEventListener('abort', cancel)
  if (user?.aborted) cancel()
  let running = paragraphs.map(translateOne)
  try {
    for (let tries = 1; defect === 'repeats-all' && tries < 4; tries++) {
      if ((await Promise.allSettled(running)).every(({ status }) => status === 'fulfilled')) break
      await sleep(10 * 2 ** tries, user)
      running = paragraphs.map(translateOne)
    }
    if (defect !== 'drops-failed') return (await Promise.all(running)).join(' ')
    const settled = await Promise.allSettled(running)
    // Defect: paragraphs that failed are left out.
    return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])).join(' ')
  } finally {
    cancel()
    user?.removeEventListener('abort', cancel)
    await Promise.allSettled(running)
  }
}

export const translate: App = {
  name: 'translate',
  setUp(sandbox) {
    for (const [place, input] of paragraphs.entries())
      sandbox.reply(translations[place] ?? '', { when: { input } })
  },
  run,
  defects: {
    'drops-failed': { fault: 'status', call: 2, verdict: 'silent' },
    'repeats-all': { fault: 'status', call: 2, finding: 'duplicate-effect', verdict: 'duplicated' },
    'hedges-retry': { fault: 'status', call: 2, finding: 'retry-storm' },
    'cancel-hides-only': { fault: 'slow-body', finding: 'abort-not-passed-on', userAborts: true },
  },
}
