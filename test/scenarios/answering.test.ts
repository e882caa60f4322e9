import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import type { RuleInput } from '../../src/scenarios/scenario.ts'
import { startServer } from '../../src/serve.ts'
import { call, open } from '../call.ts'

function setup(rule?: RuleInput) {
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

describe('A scripted text as a body', () => {
  it.each([
    [undefined, '"Hello"', 'application/json'],
    ['application/problem+json', '"Hello"', 'application/problem+json'],
    ['text/plain', 'Hello', 'text/plain'],
  ])('with the content type %s is %s', async (type, text, sent) => {
    const { send } = setup({
      on: 'createResponse',
      reply: { body: 'Hello', ...(type && { headers: { 'Content-Type': type } }) },
    })
    const reply = await send({})
    expect([await reply.text(), reply.headers.get('content-type')]).toEqual([text, sent])
  })
})

describe('Templates', () => {
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
  ])('writes %s', async (text, body, expected) => {
    const { gateway, ask } = inText(text)
    expect(await ask(body)).toBe(expected)
    expect(gateway.journal.last('createResponse')?.warnings).toEqual([])
  })

  it('count the calls of their rule, and draw from the seed', async () => {
    const first = inText('{{ call }} {{ random.uuid }} {{ random.uuid }}')
    const texts = [await first.ask(), await first.ask()]
    expect(texts[0]).toMatch(/^1 [\da-f-]{36} [\da-f-]{36}$/)
    expect(new Set(texts.flatMap((text) => text.split(' '))).size).toBe(6)
    const again = inText('{{ call }} {{ random.uuid }} {{ random.uuid }}')
    expect([await again.ask(), await again.ask()]).toEqual(texts)
  })

  it.each(['body.metadata.user', 'body.constructor.name', 'body.__proto__', 'nothing', 'input.length'])(
    'write nothing for an unknown value, and warn in the journal: %s',
    async (name) => {
      const { gateway, ask } = inText(`Hello {{ ${name} }}!`)
      expect(await ask()).toBe('Hello !')
      expect(gateway.journal.last('createResponse')?.warnings).toEqual([
        `the template names '${name}', which this request has not`,
      ])
    },
  )

  it('stand in bodies, headers, frames and the turns of a script', async () => {
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

  it('are written where the gateway runs, for the remote client too', async () => {
    await using server = await startServer()
    const gateway = await connectGateway(server.url)
    await gateway.reply('You ask: {{ input }}')
    const { text } = await call(server, 'POST /responses', { body: { model: 'a/b', input: 'Why?' } })
    expect(text).toContain('You ask: Why?')
  })

  it('are bounded', async () => {
    const { ask } = inText('{{ input }}'.repeat(1100))
    const message = await ask({ input: 'x'.repeat(1000) })
    expect(message).toContain('Templates of one reply may write 1048576 characters')
  })

  it.each([
    ['{{ input', "Bad template in 'text' in scenario 'rule', rule 1: {{ input has no end"],
    ['{{#input}}', '{{#input}} is not a path'],
    ['{{ }}', '{{ }} names nothing'],
    ['{{> other }}', '{{> other }} is not a path'],
  ])('that are wrong are told when the scenario is used: %s', (text, message) => {
    expect(() => inText(text)).toThrow(message)
    expect(() => setup({ on: 'listProviders', reply: { body: { deep: [text] } } })).toThrow(
      /Bad template in 'body'/,
    )
  })
})

describe('A function that replies', () => {
  it('gets the request, its conversation and the sandbox, and returns a text', async () => {
    const { gateway, ask } = setup()
    gateway.reply(({ request, conversation, sandbox }) => {
      const [item] = conversation.items
      const text = item?.kind === 'message' ? item.text : ''
      return `${request.body.model}, ${request.headers['content-type']}, ${text}, ${sandbox.id}`
    })
    expect(await ask()).toBe('aurora/dawn-2, application/json, Why tides?, default')
  })

  it('may answer later, and with a whole reply', async () => {
    const { gateway, send } = setup()
    gateway.reply(async () => ({ status: 203, output: [{ type: 'function_call', name: 'search' }] }), {
      times: 1,
    })
    const reply = await send({})
    expect([reply.status, (await reply.json()).output[0].name]).toEqual([203, 'search'])
    expect((await send({})).status).toBe(200)
  })

  it('streams what it returns, and keeps the headers of its options', async () => {
    const { gateway, send } = setup()
    gateway.reply(() => 'Hello there', { headers: { 'x-odd': 'yes' } })
    const reply = await send({ stream: true })
    expect(reply.headers.get('x-odd')).toBe('yes')
    expect(await reply.text()).toContain('response.output_text.delta')
  })

  it('that throws is a 500 that names what it threw', async () => {
    const { gateway, ask } = setup()
    gateway.reply(() => {
      throw new RangeError('no such boat')
    })
    expect(await ask()).toBe('The function given to reply() threw RangeError: no such boat')
  })

  it('that returns something else is a 500 that says so', async () => {
    const { gateway, ask } = setup()
    gateway.reply((() => ({ texts: 'Hello' })) as never)
    expect(await ask()).toContain('The function given to reply() returned no reply:')
  })

  it('does not travel', async () => {
    await using server = await startServer()
    const gateway = await connectGateway(server.url)
    await expect(async () => gateway.reply((() => 'Hello') as never)).rejects.toThrow(
      'reply() takes a text or a reply here: a function works in the process of the gateway only',
    )
  })
})
