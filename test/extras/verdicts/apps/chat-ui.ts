import OpenAI from 'openai'
import { type App, status, type Target } from './app.ts'
import { type Ask, limited, persist } from './persist.ts'
import { assertWhole, Chunk, model } from './reply.ts'

const question = {
  model,
  messages: [{ role: 'user' as const, content: 'Why do the tides follow the moon?' }],
}

async function run({ baseUrl, apiKey, fetch, signal }: Target, defect?: string): Promise<string> {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch, maxRetries: 0, timeout: 1500 })
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const bubble = { text: '' }

  const show: Ask<void> = async (signal, alive) => {
    // Defect: after a reconnect, the new stream is appended to the text shown so far.
    if (defect !== 'appends-after-reconnect') bubble.text = ''
    const stream = await client.chat.completions.create({ ...question, stream: true }, { signal, headers })
    let finish: string | undefined
    for await (const chunk of stream) {
      alive()
      const [choice] = Chunk.parse(chunk).choices ?? []
      if (!finish) bubble.text += choice?.delta.content ?? ''
      finish ??= choice?.finish_reason ?? undefined
    }
    // Defect: `for await` ends without an error if the stream is cut.
    if (defect === 'trusts-end-of-loop') return
    assertWhole(bubble.text && finish, 'stop')
  }

  const showAtOnce: Ask<void> = async (signal) => {
    const completion = await client.chat.completions.create(question, { signal, headers })
    const [choice] = completion.choices
    assertWhole(choice?.finish_reason, 'stop')
    bubble.text = choice?.message.content ?? ''
  }

  // Defect: the client's timeout ends when the stream begins, and nothing limits the time after that.
  if (defect === 'no-stall-limit') await show(signal ?? new AbortController().signal, () => {})
  // Defect: the UI shows an error after the first failure.
  else if (defect === 'never-retries') await limited(signal, show)
  // Defect: the option to stream was lost, so the text appears at once.
  else if (defect === 'does-not-stream') await persist(signal, showAtOnce)
  else await persist(signal, show)
  return bubble.text
}

export const chatUi: App = {
  name: 'chat-ui',
  setUp: (sandbox) => sandbox.reply('Tides follow the moon, because its gravity pulls the water towards it.'),
  run,
  defects: {
    'appends-after-reconnect': { fault: 'stream-cut', finding: 'text-twice', verdict: 'silent' },
    'trusts-end-of-loop': { fault: 'stream-cut', finding: 'truncated-accepted', verdict: 'silent' },
    'no-stall-limit': { fault: 'stream-stall', verdict: 'hung' },
    'never-retries': { fault: status(503), finding: 'gave-up', verdict: 'rejected' },
    'does-not-stream': { fault: 'stream-cut', finding: 'fault-never-acted', verdict: 'not-reached' },
  },
}
