/** A small chat client that streams text and retries temporary errors. */
export interface Gateway {
  baseUrl: string
  apiKey: string
}

/** Yields the parts of the text. Throws for permanent errors, and for streams that end early. */
export async function* ask(gateway: Gateway, input: string, attempts = 3): AsyncGenerator<string> {
  const response = await request(gateway, input, attempts)
  let completed = false
  for await (const event of events(response)) {
    if (event.type === 'response.output_text.delta') yield String(event.delta)
    if (event.type === 'response.completed') completed = true
  }
  if (!completed) throw new Error('The stream ended early')
}

async function request({ baseUrl, apiKey }: Gateway, input: string, attempts: number): Promise<Response> {
  const response = await fetch(`${baseUrl}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input, stream: true }),
  })
  if (response.ok) return response
  if (attempts > 1 && (response.status === 429 || response.status >= 500)) {
    const pause = Number(response.headers.get('retry-after-ms') ?? 10)
    await new Promise((resolve) => setTimeout(resolve, pause))
    return request({ baseUrl, apiKey }, input, attempts - 1)
  }
  const { error } = (await response.json()) as { error: { message: string } }
  throw new Error(error.message)
}

async function* events(response: Response): AsyncGenerator<{ type: string; delta?: unknown }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) return
    text += value
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const data = line.startsWith('data: ') ? line.slice('data: '.length) : undefined
      if (data && data !== '[DONE]') yield JSON.parse(data)
    }
  }
}
