import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'
import { startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

function setup(rule?: Rule) {
  const gateway = createGateway()
  if (rule) gateway.use(rule)
  const send = (body: object) =>
    open(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Why tides?', ...body } })
  const ask = async (body: object = {}) => {
    const reply = await (await send(body)).json()
    return reply.error?.message ?? reply.output.at(-1).content[0].text
  }
  return { gateway, send, ask }
}

describe("a scripted reply's string body", () => {
  it.each([
    [undefined, '"Hello"', 'application/json'],
    ['application/problem+json', '"Hello"', 'application/problem+json'],
    ['text/plain', 'Hello', 'text/plain'],
  ])('is sent as follows with content type %s: %s', async (type, text, sent) => {
    const { send } = setup({
      on: 'createResponse',
      reply: { body: 'Hello', ...(type && { headers: { 'Content-Type': type } }) },
    })
    const reply = await send({})
    expect([await reply.text(), reply.headers.get('content-type')]).toEqual([text, sent])
  })
})

describe('templates in scripted replies', () => {
  const inText = (text: string) => setup({ on: 'createResponse', reply: { text } })

  it.each([
    ['{{ body.metadata.user }} asks', { metadata: { user: 'Ada' } }, 'Ada asks'],
    ['{{ input }}', {}, 'Why tides?'],
    ['{{ model }} at {{ now }}', {}, 'aurora/dawn-2 at 2026-01-01T00:00:00.001Z'],
    ['call {{ call }}, {{ method }}', {}, 'call 1, POST'],
    ['{{ body.input.0.role }}', { input: [{ role: 'user', content: 'Hi' }] }, 'user'],
    ['{{ body.metadata }}', { metadata: { a: [1, null] } }, '{"a":[1,null]}'],
    ['{{ input }}', { input: `<b> & "it's"` }, `<b> & "it's"`],
    ['{{body.tools[1].name}}', { tools: ['a', 'b'].map((name) => ({ type: 'function', name })) }, 'b'],
    ['a }} b', {}, 'a }} b'],
    ['{{=<% %>=}}{{ input }}', {}, '{{ input }}'],
  ])('render %s', async (text, body, expected) => {
    const { gateway, ask } = inText(text)
    expect(await ask(body)).toBe(expected)
    expect(gateway.journal.last('createResponse')?.warnings).toEqual([])
  })

  it("number their rule's requests, and derive random values from the seed", async () => {
    const first = inText('{{ call }} {{ random.uuid }} {{ random.uuid }}')
    const texts = [await first.ask(), await first.ask()]
    expect(texts[0]).toMatch(/^1 [\da-f-]{36} [\da-f-]{36}$/)
    expect(new Set(texts.flatMap((text) => text.split(' '))).size).toBe(6)
    const again = inText('{{ call }} {{ random.uuid }} {{ random.uuid }}')
    expect([await again.ask(), await again.ask()]).toEqual(texts)
  })

  it.each(['body.metadata.user', 'body.constructor.name', 'body.__proto__', 'nothing', 'input.length'])(
    'render an unknown value as an empty string and record a warning in the journal: %s',
    async (name) => {
      const { gateway, ask } = inText(`Hello {{ ${name} }}!`)
      expect(await ask()).toBe('Hello !')
      expect(gateway.journal.last('createResponse')?.warnings).toEqual([
        `the template uses '${name}', which the request does not have`,
      ])
    },
  )

  it('are rendered in bodies, headers, frames and script turns', async () => {
    const { gateway, send } = setup()
    gateway.use({
      on: 'createResponse',
      times: 1,
      reply: { headers: { 'x-user': '{{ input }}' }, body: { echo: ['{{ input }}'] } },
    })
    const whole = await send({ input: 'Düne\n→' })
    expect([whole.headers.get('x-user'), await whole.json()]).toEqual(['Düne??', { echo: ['Düne\n→'] }])
    gateway.use({
      on: 'createResponse',
      times: 1,
      reply: {
        frames: [
          { event: { type: 'x', text: '{{ input }}' } },
          { data: '{{ model }}' },
          { base64: btoa('{{ x }}') },
        ],
      },
    })
    expect(await (await send({})).text()).toBe(
      'data: {"type":"x","text":"Why tides?"}\n\ndata: aurora/dawn-2\n\n{{ x }}',
    )
    gateway.script([{ text: 'Turn {{ call }}: {{ input }}' }])
    expect((await (await send({})).json()).output[0].content[0].text).toBe('Turn 1: Why tides?')
  })

  it('are rendered in the text, calls, output and citations of a turn, also if it calls a function', async () => {
    const { gateway, send } = setup()
    const url = 'https://tides.example/{{ body.metadata.page }}'
    gateway.script([
      { text: 'You ask: {{ input }}', call: { search: { query: '{{ input }}', deep: ['{{ model }}', 1] } } },
      { output: [{ type: 'reasoning', summary: 'About {{ input }}' }], text: 'See', citations: [{ url }] },
    ])
    const question = { type: 'message', role: 'user', content: 'Why "tides"?' }
    const { output } = await (await send({ input: [question] })).json()
    expect(output[0].content[0].text).toBe('You ask: Why "tides"?')
    expect(JSON.parse(output[1].arguments)).toEqual({
      query: 'Why "tides"?',
      deep: ['aurora/dawn-2', 1],
    })
    const result = { type: 'function_call_output', call_id: output[1].call_id, output: 'moon' }
    const next = await (await send({ input: [question, ...output, result], metadata: { page: '7' } })).json()
    expect(next.output[0].summary[0].text).toBe('About Why "tides"?')
    expect(next.output[1].content[0].annotations[0].url).toBe('https://tides.example/7')
  })

  it('identify a conversation without calls by the rendered text', async () => {
    const { gateway, send } = setup()
    gateway.script([{ text: 'You ask: {{ input }}' }, { text: 'Bye' }])
    const question = { type: 'message', role: 'user', content: 'Hi' }
    const { output } = await (await send({ input: [question] })).json()
    const next = await (await send({ input: [question, ...output, question] })).json()
    expect(next.output[0].content[0].text).toBe('Bye')
  })

  it.each([
    [{ output: [{ type: 'message' as const, content: '{{ input' }] }, 'script[0].output'],
    [{ call: { search: { query: '{{ input' } } }, 'script[0].call'],
    [{ text: 'See', citations: [{ url: 'https://a.example/', title: '{{ x' }] }, 'script[0].citations'],
  ])('are validated wherever they are filled in: %j', (turn, place) => {
    const { gateway } = setup()
    expect(() => gateway.use({ on: 'text', script: [turn] })).toThrow(place)
  })

  it.each([
    ['Why tides?', 'You ask: Why tides?', 'tides'],
    [
      'Hello?',
      'You ask: Hello? [tides.example](https://tides.example/)',
      '[tides.example](https://tides.example/)',
    ],
  ])('are rendered before a citation finds its text, or adds a link: %s', async (input, text, cited) => {
    const { gateway, send } = setup()
    gateway.reply('You ask: {{ input }}', { citations: [{ url: 'https://tides.example/', text: 'tides' }] })
    const [part] = (await (await send({ input })).json()).output.at(-1).content
    const [{ start_index, end_index }] = part.annotations
    expect([part.text, part.text.slice(start_index, end_index)]).toEqual([text, cited])
  })

  it('are rendered by the server for the remote client', async () => {
    await using server = await startServer()
    const gateway = await connectGateway(server.url)
    await gateway.reply('You ask: {{ input }}')
    const { text } = await call(server, 'POST /responses', { body: { model: 'a/b', input: 'Why?' } })
    expect(text).toContain('You ask: Why?')
  })

  it('may write exactly 1 MiB', async () => {
    const { ask } = inText('{{ input }}'.repeat(1024))
    expect(await ask({ input: 'x'.repeat(1024) })).toHaveLength(1024 * 1024)
  })

  it('fail when a reply would exceed 1 MiB', async () => {
    const { gateway, ask } = inText('{{ input }}'.repeat(1100))
    const message = await ask({ input: 'x'.repeat(1000) })
    expect(message).toContain('The templates in one reply can produce at most 1048576 characters')
    expect(gateway.journal.last('createResponse')?.status).toBe(500)
  })

  it('fail when a reply has more than 10,000', async () => {
    const { ask } = inText('{{ body.none }}'.repeat(10_001))
    expect(await ask({ input: 'x' })).toContain('One reply can have at most 10000 templates')
  })

  it('leave numbers, booleans and null in a body unchanged', async () => {
    const body = { text: 'Hi', more: [1, true, null, {}], none: null, number: 0, no: false }
    const { send } = setup({ on: 'createResponse', reply: { body: { ...body, input: '{{ input }}' } } })
    expect(await (await send({})).json()).toEqual({ ...body, input: 'Why tides?' })
  })

  it.each([
    [
      '{{ input',
      'use(): reply.text: bad template: {{ input is not closed; to write literal braces, start the text with {{=<% %>=}}',
    ],
    ['{{#input}}', '{{#input}} is not a path'],
    ['{{ }}', '{{ }} is empty'],
    ['{{> other }}', '{{> other }} is not a path'],
  ])('are validated by use(): %s', (text, message) => {
    expect(() => inText(text)).toThrow(message)
    expect(() => setup({ on: 'listProviders', reply: { body: { deep: [text] } } })).toThrow(/bad template/)
  })
})

describe('reply(function)', () => {
  it('passes the request, conversation and sandbox to the function, and sends the returned text', async () => {
    const { gateway, ask } = setup()
    gateway.reply(({ request, conversation, sandbox }) => {
      const [item] = conversation.items
      const text = item?.kind === 'message' ? item.text : ''
      return `${request.body.model}, ${request.headers['content-type']}, ${text}, ${sandbox.id}`
    })
    expect(await ask()).toBe('aurora/dawn-2, application/json, Why tides?, default')
  })

  it('accepts an async function that returns a full reply', async () => {
    const { gateway, send } = setup()
    gateway.reply(async () => ({ status: 203, output: [{ type: 'function_call', name: 'search' }] }), {
      times: 1,
    })
    const reply = await send({})
    expect([reply.status, (await reply.json()).output[0].name]).toEqual([203, 'search'])
    expect((await send({})).status).toBe(200)
  })

  it('streams the returned text, with the headers from the options', async () => {
    const { gateway, send } = setup()
    gateway.reply(() => 'Hello there', { headers: { 'x-odd': 'yes' } })
    const reply = await send({ stream: true })
    expect(reply.headers.get('x-odd')).toBe('yes')
    expect(await reply.text()).toContain('response.output_text.delta')
  })

  it('responds with 500 and the error that the function throws', async () => {
    const { gateway, ask } = setup()
    gateway.reply(() => {
      throw new RangeError('no such boat')
    })
    expect(await ask()).toBe('The function passed to reply() threw RangeError: no such boat')
  })
})
