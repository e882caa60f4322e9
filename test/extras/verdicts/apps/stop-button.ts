import { EventSourceParserStream } from 'eventsource-parser/stream'
import * as z from 'zod'
import { type App, slow, type Target } from './app.ts'
import { Failure, limited, persist } from './persist.ts'
import { assertOk, model, post, textOf } from './reply.ts'

const body = { model, input: 'Tell me how the tide reaches the harbour.', stream: true }
const Delta = z.object({ type: z.literal('response.output_text.delta'), delta: z.string() })
const type = z.string().regex(/^response\.(completed|incomplete|failed)$/)
const End = z.object({ type, response: z.unknown() })

async function run(target: Target, defect?: string): Promise<{ text: string; stopped: boolean }> {
  const { signal: user } = target
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const shown = { text: '', stopped: false }
  const send = (signal?: AbortSignal) => post(target, '/responses', body, { signal, headers })

  const show = async (response: Response, alive: () => void = () => {}): Promise<void> => {
    // Defect: after a failure, the answer starts again behind the text that is shown.
    const before = defect === 'resumes-behind-text' ? shown.text : ''
    let text = ''
    let end: unknown
    const bytes = (await assertOk(response)).body?.pipeThrough(new TextDecoderStream())
    for await (const { data } of bytes?.pipeThrough(new EventSourceParserStream()) ?? []) {
      alive()
      if (data === '' || data === '[DONE]' || end) continue
      const event = JSON.parse(data)
      text += Delta.safeParse(event).data?.delta ?? ''
      if (!shown.stopped) shown.text = before + text
      end = End.safeParse(event).data?.response
    }
    if (!end) throw new Failure('The answer ended early', { retryable: true })
    text = textOf(end)
    if (!shown.stopped) shown.text = before + text
  }

  if (defect === 'expects-json-errors') {
    const response = await limited(user, send)
    // Defect: an error page of a proxy is parsed as an error of the gateway.
    if (!response.ok) throw new Failure((await response.json()).error.message)
    await show(response)
    return shown
  }
  if (defect === 'hides-text-only') {
    const hide = () => Object.assign(shown, { stopped: true })
    // Defect: Stop hides the rest of the text, and the stream is read to its end.
    user?.addEventListener('abort', hide, { once: true })
    await show(await send())
    user?.removeEventListener('abort', hide)
    return shown
  }
  try {
    await persist(user, async (signal, alive) => show(await send(signal), alive))
  } catch (error) {
    if (!user?.aborted) throw error
    shown.stopped = true
  }
  return shown
}

export const stopButton: App = {
  name: 'stop-button',
  setUp: (sandbox) =>
    sandbox.reply('The tide comes in past the lighthouse, fills the harbour, and turns at noon.'),
  run,
  defects: {
    'resumes-behind-text': { fault: 'stream-reset', finding: 'text-twice', verdict: 'silent' },
    'expects-json-errors': { fault: 'html-error-page', verdict: 'crashed' },
    'hides-text-only': { fault: slow, finding: 'abort-not-passed-on', userAborts: true },
  },
  isPartial: (result) => z.object({ stopped: z.literal(true) }).safeParse(result).success,
}
