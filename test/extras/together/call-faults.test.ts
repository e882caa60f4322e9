/** Tests what official clients receive with faults in tool calls and answers, streamed and not. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { callFaults } from '../../../src/faults/calls.ts'
import { createGateway, type Fault, type Recording } from '../../../src/index.ts'
import { call } from '../../call.ts'
import { recordingOf, requestOf } from '../recordings/samples.ts'

const model = 'aurora/dawn-2'
const messages = [{ role: 'user' as const, content: 'Hi' }]
type Reply = Parameters<ReturnType<typeof createGateway>['reply']>[0]

const answer = {
  output: [
    { type: 'reasoning', summary: 'Look' },
    { type: 'message', content: '{"sky":1}' },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo","days":2}' },
    { type: 'function_call', call_id: 'c2', name: 'weather', arguments: '{"city":"Bergen"}' },
  ],
} satisfies Reply

type Fetch = typeof globalThis.fetch
type ToolCall = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall
/** Yields names and values. Consecutive values with the same name are pieces of one. */
type Reading = AsyncGenerator<[name: unknown, value: unknown]>

const clients: Record<string, (fetch: Fetch, stream: boolean) => Reading> = {
  async *responses(fetch, stream) {
    const client = new OpenAI({ baseURL: 'https://gateway.example/api/v1', apiKey: 'any', fetch })
    const body = { model, input: 'Hi' }
    const events = stream
      ? await client.responses.create({ ...body, stream })
      : [{ type: 'response.completed' as const, response: await client.responses.create(body) }]
    for await (const event of events) {
      if (event.type === 'response.output_item.added') yield* fieldsOf(event.output_index, event.item)
      else if (event.type === 'response.function_call_arguments.done') yield ['done', event.arguments]
      else if ('delta' in event && 'output_index' in event)
        yield [`${event.output_index} ${event.type.split('.')[1]}`, event.delta]
      else if (event.type === 'response.completed' || event.type === 'response.incomplete') {
        const { output, status, incomplete_details } = event.response
        for (const [index, item] of output.entries()) yield* fieldsOf(`whole ${index}`, item)
        yield [status, incomplete_details?.reason ?? '']
      }
    }
  },
  async *chat(fetch, stream) {
    const client = new OpenAI({ baseURL: 'https://gateway.example/api/v1', apiKey: 'any', fetch })
    const chunks = stream
      ? await client.chat.completions.create({ model, messages, stream })
      : [await client.chat.completions.create({ model, messages })]
    for await (const { choices } of chunks) {
      const [choice] = choices
      if (!choice) yield ['no choice', '']
      else {
        const { tool_calls = [], role, ...message } = 'delta' in choice ? choice.delta : choice.message
        yield* fieldsOf('', message)
        for (const [place, call] of tool_calls.entries()) {
          const { index = place, id, function: called } = call as ToolCall
          if (id) yield [index, `<${id}>`]
          if (called?.name) yield [index, `[${called.name}]`]
          yield [index, called?.arguments ?? '']
        }
        if (choice.finish_reason) yield ['finish', choice.finish_reason]
      }
    }
  },
  async *messages(fetch, stream) {
    const client = new Anthropic({ baseURL: 'https://gateway.example/api', apiKey: 'any', fetch })
    const body = { model, max_tokens: 99, messages }
    if (!stream) {
      const { content, stop_reason } = await client.messages.create(body)
      for (const [index, block] of content.entries()) yield* fieldsOf(index, block)
      return yield ['stop', stop_reason]
    }
    for await (const event of await client.messages.create({ ...body, stream })) {
      if (event.type === 'content_block_start') yield* fieldsOf(event.index, event.content_block)
      if (event.type === 'content_block_delta') yield [event.index, Object.values(event.delta)[1]]
      if (event.type === 'message_delta') yield ['stop', event.delta.stop_reason]
    }
  },
}

const shown = /^(type|name|call_id|id|text|refusal|content|reasoning|arguments|input)$/

function* fieldsOf(name: unknown, part: object): Generator<[unknown, unknown]> {
  const isShown = (field: string) => shown.test(field) && (field !== 'id' || 'input' in part)
  const fields = Object.entries(part).filter(([field, value]) => value !== null && isShown(field))
  for (const [field, value] of fields) yield [`${name} ${field}`.trim(), value]
}

/** Returns what a client receives, or the journal's warnings. */
async function receive(client: string, stream: boolean, fault?: Fault, reply: Reply = answer) {
  const gateway = createGateway({ timeScale: 0 })
  gateway.reply(reply)
  if (fault) gateway.use({ on: 'text', fault })
  const received: [name: string, text: string][] = []
  for await (const [name, value] of clients[client]?.(gateway.fetch, stream) ?? []) {
    const text = typeof value === 'string' ? value : `object ${JSON.stringify(value)}`
    const last = received.at(-1)
    if (last?.[0] === `${name}`) last[1] += text.replaceAll('\n', '\\n')
    else received.push([`${name}`, text.replaceAll('\n', '\\n')])
  }
  const warnings = gateway.journal.entries().flatMap((entry) => entry.warnings)
  const reasons = warnings.flatMap((warning) => warning.split('nothing to act on: ')[1] ?? [])
  if (reasons.length > 0) return [`missed: ${reasons}`]
  return received.map(([name, text]) => `${name} ${text}`.trim())
}

type FormOf = Fault & { name: string; form: string }

const forms = callFaults.flatMap(({ name, params }) =>
  params()
    .shape.form.unwrap()
    .options.map((form) => ({ name, form }) as FormOf),
)

/** Returns the first list without the values of the second, each as often as it occurs there. */
function without(list: readonly string[], others: readonly string[]): string {
  const rest = [...others]
  return list
    .filter((each) => {
      const index = rest.indexOf(each)
      if (index >= 0) rest.splice(index, 1)
      return index < 0
    })
    .join(', ')
}

it('each form changes what official clients receive, or the journal has the reason', async () => {
  const lines: string[] = []
  for (const client of Object.keys(clients)) {
    for (const stream of [false, true]) {
      const usual = await receive(client, stream)
      lines.push(`# ${client}, ${stream ? 'streamed' : 'JSON'}`, usual.join(', '))
      for (const fault of forms) {
        const faulty = await receive(client, stream, fault)
        expect(faulty, `${client} ${stream} ${fault.name} ${fault.form}`).not.toEqual(usual)
        const from = faulty.findIndex((each, index) => each !== usual[index])
        lines.push(`${fault.name} ${fault.form} @${from}: ${without(faulty, usual)}`)
      }
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('call-faults.txt')
})

it('stream-cut ends a stream after any delta of a call', async () => {
  const reply = { output: answer.output.slice(3) }
  const ends = ['{"', '{"city', '{"city":"', '{"city":"Bergen', '{"city":"Bergen"}']
  for (const client of Object.keys(clients)) {
    for (const [index, end] of ends.entries()) {
      const fault = { name: 'stream-cut', afterDeltas: index + 1 } as const
      const received = await receive(client, true, fault, reply)
      expect(received.at(-1)?.replace(/.*(arguments|\]|^\d| object \{\}) ?/, '')).toBe(end)
    }
  }
})

const requests = {
  '/responses': { model, input: 'Hi' },
  '/chat/completions': { model, messages },
  '/messages': { model, messages, max_tokens: 99 },
}

it.each(Object.entries(requests))(
  'each form changes recorded answers of %s as generated ones',
  async (path, fields) => {
    for (const stream of [false, true]) {
      const body = { ...fields, stream }
      const send = async (fault?: Fault, recording?: Recording) => {
        const gateway = createGateway({ timeScale: 0, ...(recording && { recordings: [recording] }) })
        if (!recording) gateway.reply(answer)
        if (fault) gateway.use({ on: '*', fault })
        return (await call(gateway, `POST ${path}`, { body })).text
      }
      const type = stream ? 'text/event-stream' : 'application/json'
      const recording = recordingOf([await send()], { request: requestOf(body, { path }), type })
      for (const fault of forms)
        expect([fault.form, await send(fault, recording)]).toEqual([fault.form, await send(fault)])
    }
  },
)

it("a truncated call has the length limit as its native reason in OpenRouter's format", async () => {
  const gateway = createGateway({ timeScale: 0, dialect: 'openrouter' })
  gateway.reply(answer)
  gateway.use({ on: 'text', fault: { name: 'tool-arguments', form: 'truncated' } })
  const { body } = await call(gateway, 'POST /chat/completions', { body: { model, messages } })
  expect(body.choices[0]).toMatchObject({ finish_reason: 'length', native_finish_reason: 'length' })
})
