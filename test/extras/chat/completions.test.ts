/** Tests POST /completions through the OpenAI client. */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'

const prompt = 'Tides rise'
const request = { model: 'gpt-3.5-turbo-instruct', prompt }

function start() {
  const gateway = createGateway()
  const { completions } = new OpenAI({ apiKey: 'any', maxRetries: 0, fetch: gateway.fetch })
  return { gateway, completions }
}

describe('POST /completions', () => {
  it('completes a prompt, plain and streamed, with usage', async () => {
    const { completions } = start()
    const { object, choices, usage, id } = await completions.create(request)
    expect([object, id]).toEqual(['text_completion', expect.stringMatching(/^cmpl-/)])
    expect(choices).toEqual([
      { text: expect.stringContaining(prompt), index: 0, finish_reason: 'stop', logprobs: null },
    ])
    const chunks = []
    const stream = { ...request, stream: true, stream_options: { include_usage: true } } as const
    for await (const chunk of await completions.create(stream)) chunks.push(chunk)
    expect(chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('')).toBe(choices[0]?.text)
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason).filter(Boolean)).toEqual(['stop'])
    expect(chunks.at(-1)?.usage).toEqual(usage)
  })

  it('limits, stops, repeats and echoes', async () => {
    const { completions } = start()
    const { choices } = await completions.create({ ...request, n: 2, max_tokens: 3, echo: true })
    expect(choices.map((choice) => choice.finish_reason)).toEqual(['length', 'length'])
    for (const { text } of choices) expect(text.startsWith(prompt)).toBe(true)
    const stopped = await completions.create({ ...request, stop: ' ' })
    expect(stopped.choices[0]?.text).not.toContain(' ')
  })

  it('warns of a scripted item that a text cannot show', async () => {
    const { gateway, completions } = start()
    gateway.script([{ text: 'Tides.', call: { look: {} } }])
    expect((await completions.create(request)).choices[0]?.text).toBe('Tides.')
    expect(gateway.journal.last('createCompletion')?.warnings).toContain(
      'the reply cannot show these parts of the scripted output: function_call',
    )
  })

  it.each([{ prompt: ['One', 'Two'] }, { prompt: undefined }])('rejects %j', async (fields) => {
    const rejected = start().completions.create({ ...request, ...fields } as never)
    await expect(rejected).rejects.toMatchObject({ status: 400, message: expect.stringContaining('prompt') })
  })

  it('runs scripts and faults', async () => {
    const { gateway, completions } = start()
    gateway.use({ on: 'createCompletion', reply: { text: 'And fall.' } })
    expect((await completions.create({ ...request, prompt: [prompt] })).choices[0]?.text).toBe('And fall.')
    gateway.use({ on: 'text', fault: 'stream-error-event' })
    const chunks = []
    const stream = completions.create({ ...request, stream: true })
    await expect(
      (async () => {
        for await (const chunk of await stream) chunks.push(chunk)
      })(),
    ).rejects.toThrow()
  })
})
