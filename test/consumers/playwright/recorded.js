/** What the tests of recordings share: the recorded text, and a call by a published client. */
import OpenAI from 'openai'

export const text = 'Tides follow the moon, and the sun a little, and the shape of the shore.'

/** Returns the type of the last event and the text so far; `error` if the stream fails. */
export async function lastOf(options, headers) {
  const client = new OpenAI({ apiKey: 'any', maxRetries: 0, ...options })
  const body = { model: 'aurora/dawn-2', input: 'Why tides?', stream: true }
  let type = ''
  let received = ''
  try {
    for await (const event of await client.responses.create(body, { headers })) {
      type = event.type
      if (type === 'response.output_text.delta') received += event.delta
    }
  } catch {
    type = 'error'
  }
  return `${type}: ${received}`
}

const start = 'Tides follow the'

/** Outcome of each fault for the client. */
export const outcomes = {
  none: `response.completed: ${text}`,
  'stream-cut': `response.output_text.delta: ${start}`,
  'stream-reset': `error: ${start}`,
  'stream-error-event': `response.failed: ${start}`,
  'slow-stream': `response.completed: ${text}`,
}
