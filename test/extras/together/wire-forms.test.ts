/** Tests how each protocol reads the same conversation, and writes the same scripted answer. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import type { Conversation } from '../../../src/resources/conversation.ts'
import type { ScriptedReply } from '../../../src/scenarios/scripted-reply.ts'
import { call } from '../../call.ts'

const model = 'aurora/dawn-2'
const begin = () => createGateway({ timeScale: 0 })

const image = 'data:image/png;base64,AA=='
const parameters = { type: 'object', properties: {} }
const question = 'Where is the boat?'

describe('a conversation', () => {
  const fields = { name: 'search', parameters }
  const requests: [string, object][] = [
    [
      'POST /responses',
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: question },
              { type: 'input_image', image_url: image },
            ],
          },
          { role: 'assistant', content: 'I will look.' },
          { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{"q":"boat"}' },
          { type: 'function_call_output', call_id: 'c1', output: 'at sea' },
          { role: 'user', content: 'Thanks' },
        ],
        tools: [
          { type: 'function', ...fields },
          { type: 'gateway:web_search', name: 'other' },
        ],
      },
    ],
    [
      'POST /chat/completions',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: question },
              { type: 'image_url', image_url: { url: image } },
            ],
          },
          {
            role: 'assistant',
            content: 'I will look.',
            tool_calls: [
              { type: 'function', id: 'c1', function: { name: 'search', arguments: '{"q":"boat"}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'at sea' },
          { role: 'user', content: 'Thanks' },
        ],
        tools: [{ type: 'function', function: fields }, { type: 'gateway:web_search' }],
      },
    ],
    [
      'POST /messages',
      {
        max_tokens: 100,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: question },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'c1', name: 'search', input: { q: 'boat' } },
              { type: 'text', text: 'I will look.' },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Thanks' },
              { type: 'tool_result', tool_use_id: 'c1', content: 'at sea' },
            ],
          },
        ],
        tools: [
          { name: 'search', input_schema: parameters },
          { type: 'web_search_20250305', name: 'web_search' },
        ],
      },
    ],
  ]

  it.each(requests)('has the same items and functions in %s', async (line, body) => {
    expect(await conversationIn(line, body)).toEqual({
      items: [
        // Text has one line per content part, and an image's line is empty. POST /messages reads only text.
        {
          kind: 'message',
          role: 'user',
          text: line === 'POST /messages' ? question : `${question}\n`,
          imageTokens: 765,
        },
        { kind: 'message', role: 'assistant', text: 'I will look.' },
        { kind: 'call', id: 'c1', name: 'search', arguments: '{"q":"boat"}' },
        { kind: 'result', id: 'c1', text: 'at sea' },
        { kind: 'message', role: 'user', text: 'Thanks' },
      ],
      tools: ['search'],
    })
  })
})

/** Sends a request and returns the conversation as a rule receives it. */
async function conversationIn(line: string, body: object) {
  const gateway = begin()
  let received: Conversation | undefined
  gateway.reply(({ conversation }) => {
    received = conversation
    return 'Yes'
  })
  expect((await call(gateway, line, { body: { model, ...body } })).status).toBe(200)
  return received
}

describe('a conversation in POST /chat/completions', () => {
  it('has content parts of other types after the message, and reminders before it', async () => {
    const reminder = '<system-reminder>Be brief.</system-reminder>'
    const data = 'A'.repeat(1000)
    const content = [
      { type: 'text', text: question },
      { type: 'input_audio', input_audio: { data, format: 'mp3', seconds: 5 } },
      { type: 'text', text: reminder },
      { type: 'video', data: data.slice(1), url: `${data.slice(1)} ${data}` },
      { type: 'image_url', image_url: { url: image, detail: 'low' } },
      { type: 'input_image', image_url: image, detail: 'low' },
      { type: 'image_url', image_url: { url: image } },
    ]
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: reminder },
      { role: 'user', content: [] },
      { role: 'user', content: [content[1]] },
    ]
    const other = (text: object) => ({
      kind: 'other',
      type: Reflect.get(text, 'type'),
      text: JSON.stringify(text),
    })
    const audio = other({ type: 'input_audio', input_audio: { data: '', format: 'mp3', seconds: 5 } })
    expect((await conversationIn('POST /chat/completions', { messages }))?.items).toEqual([
      { kind: 'message', role: 'system', text: reminder },
      { kind: 'message', role: 'user', text: `${question}\n\n\n`, imageTokens: 935 },
      audio,
      other({ type: 'video', data: data.slice(1), url: `${data.slice(1)} ${data}` }),
      { kind: 'message', role: 'assistant', text: reminder },
      { kind: 'message', role: 'user', text: '' },
      audio,
    ])
  })

  it('has refusals, and calls without text', async () => {
    const call = (id: string) => ({ type: 'function', id, function: { name: 'f', arguments: '{}' } })
    const low = { type: 'image_url', image_url: { url: image, detail: 'low' } }
    const messages = [
      { role: 'user', content: [low] },
      { role: 'assistant', refusal: 'No' },
      { role: 'assistant', content: '', tool_calls: [] },
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'assistant', content: 'Two', tool_calls: [call('b'), call('c')] },
    ]
    const called = (id: string) => ({ kind: 'call', id, name: 'f', arguments: '{}' })
    expect((await conversationIn('POST /chat/completions', { messages }))?.items).toEqual([
      { kind: 'message', role: 'user', text: '', imageTokens: 85 },
      { kind: 'message', role: 'assistant', text: 'No' },
      { kind: 'message', role: 'assistant', text: '' },
      called('a'),
      { kind: 'message', role: 'assistant', text: 'Two' },
      called('b'),
      called('c'),
    ])
  })
})

describe('a conversation in POST /messages', () => {
  it('has calls without input', async () => {
    const content = [{ type: 'tool_use', id: 'a', name: 'f' }]
    const messages = [{ role: 'assistant', content }]
    expect((await conversationIn('POST /messages', { max_tokens: 9, messages }))?.items).toEqual([
      { kind: 'call', id: 'a', name: 'f', arguments: '{}' },
    ])
  })

  it('is counted with the system prompt', async () => {
    const tokens = async (system: unknown) => {
      const messages = [{ role: 'user', content: question }]
      const { body } = await call(begin(), 'POST /messages', {
        body: { model, max_tokens: 9, messages, system },
      })
      return body.usage.input_tokens
    }
    const none = await tokens(null)
    expect((await tokens('Be brief')) - none).toBe(2)
    expect((await tokens([{ type: 'text', text: 'Be brief' }])) - none).toBe(2)
  })
})

describe('POST /chat/completions', () => {
  const ask = async (fields: object) => {
    const messages = [{ role: 'user', content: question }]
    return await call(begin(), 'POST /chat/completions', { body: { model, messages, ...fields } })
  }

  it('replies at the length that `verbosity` sets', async () => {
    const tokens = async (verbosity: string | null) => (await ask({ verbosity })).body.usage.completion_tokens
    const medium = await tokens('medium')
    expect(await tokens(null)).toBe(medium)
    expect(await tokens('low')).toBeLessThan(medium)
    expect(await tokens('high')).toBeGreaterThan(medium)
  })

  it('uses the first of `models` without a `model`', async () => {
    const { body } = await ask({ model: undefined, models: ['borealis/polar-4', model] })
    expect(body.model).toBe('borealis/polar-4')
  })

  it('streams the logprobs of each token', async () => {
    const { text } = await ask({ stream: true, logprobs: true, max_tokens: 2 })
    const { body } = await ask({ logprobs: true, max_tokens: 2 })
    const chunks = [...text.matchAll(/^data: (\{.*)/gm)].map(([, json]) => JSON.parse(String(json)))
    const streamed = chunks.flatMap(({ choices }) => choices[0].logprobs?.content ?? [])
    const tokensOf = (content: { token: string }[]) => content.map(({ token }) => token)
    expect(tokensOf(streamed)).toHaveLength(2)
    expect(tokensOf(streamed)).toEqual(tokensOf(body.choices[0].logprobs.content))
  })

  it('returns as many alternatives to each token as requested', async () => {
    const gateway = begin()
    gateway.reply('Hi')
    const topOf = async (top_logprobs?: number) => {
      const { body } = await call(gateway, 'POST /chat/completions', {
        body: { model, messages: [{ role: 'user', content: 'Hello' }], logprobs: true, top_logprobs },
      })
      return body.choices[0].logprobs.content
    }
    expect(await topOf(2)).toEqual([
      {
        bytes: [72, 105],
        logprob: -0.190321,
        token: 'Hi',
        top_logprobs: [
          {
            bytes: [72, 105],
            logprob: -0.190321,
            token: 'Hi',
          },
          {
            bytes: [32, 98, 101, 99, 49],
            logprob: -1.190321,
            token: ' bec1',
          },
        ],
      },
    ])
    const three: { logprob: number }[] = (await topOf(3))[0].top_logprobs
    expect(three.map(({ logprob }) => logprob)).toEqual([-0.160781, -1.160781, -2.160781])
    expect((await topOf(1))[0].top_logprobs).toHaveLength(1)
    expect((await topOf(0))[0].top_logprobs).toEqual([])
    expect((await topOf())[0].top_logprobs).toEqual([])
  })
})

describe('a scripted answer with reasoning, cited text and a call', () => {
  const body = { model, max_tokens: 100, messages: [{ role: 'user', content: question }] }
  const answer: ScriptedReply = {
    output: [
      { type: 'reasoning', summary: 'Look' },
      { type: 'message', content: 'Ahoy' },
      { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{}' },
    ],
    text: 'At sea',
    citations: [{ url: 'https://a.example/', start_index: 3, end_index: 6 }],
    usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7 },
  }
  const operations = {
    '/chat/completions': 'createChatCompletion',
    '/messages': 'createMessage',
  } as const

  it('is an object in each protocol', async () => {
    const gateway = begin()
    gateway.reply(answer)
    const { body: completion } = await call(gateway, 'POST /chat/completions', { body })
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'AhoyAt sea',
        reasoning: 'Look',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{}' } }],
        annotations: [{ url_citation: { url: 'https://a.example/', start_index: 7, end_index: 10 } }],
      },
    })
    expect(completion.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 })
    const { body: message } = await call(gateway, 'POST /messages', { body })
    expect([message.stop_reason, message.content]).toMatchObject([
      'tool_use',
      [
        { type: 'thinking', thinking: 'Look' },
        { type: 'text', text: 'Ahoy', citations: null },
        { type: 'tool_use', id: 'c1', name: 'search', input: {} },
        { type: 'text', text: 'At sea', citations: [{ url: 'https://a.example/', cited_text: 'sea' }] },
      ],
    ])
    expect(message.usage).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 7 })
  })

  const chunks = 'role content, reasoning reasoning_details, content, annotations, tool_calls'
  const block = (...deltas: string[]) =>
    ['start', ...deltas.map((delta) => `delta ${delta}_delta`), 'stop'].map((each) => `content_block_${each}`)
  const [thinking = '', ...events] = [
    ...block('thinking', 'signature'),
    ...block('text'),
    ...block('input_json'),
    ...block('text', 'citations'),
  ]
  const messageEvents = ['message_start', thinking, 'ping', ...events].join(', ')

  it.each([
    ['/chat/completions', undefined, `${chunks}, end: tool_calls`],
    ['/chat/completions', 'content-filter', `${chunks}, end: content_filter`],
    ['/chat/completions', 'stream-without-completed', chunks],
    ['/messages', undefined, `${messageEvents}, message_delta tool_use, message_stop`],
    ['/messages', 'content-filter', `${messageEvents}, message_delta refusal, message_stop`],
    ['/messages', 'stream-without-completed', messageEvents],
  ] as const)('is streamed by POST %s with the fault %s', async (path, fault, expected) => {
    const gateway = begin()
    gateway.use({ on: operations[path], reply: answer, ...(fault && { fault }) })
    const { text } = await call(gateway, `POST ${path}`, { body: { ...body, stream: true } })
    const outline = [...text.matchAll(/^data: (\{.*)/gm)].map(([, json]) => {
      const { type = '', delta = {}, choices = [] } = JSON.parse(String(json))
      const [choice] = choices
      if (choice?.finish_reason) return `end: ${choice.finish_reason}`
      if (choice) return Object.keys(choice.delta).join(' ')
      return [type, delta.type, delta.stop_reason].filter(Boolean).join(' ')
    })
    expect(outline.filter((each, index) => each !== outline[index - 1]).join(', ')).toBe(expected)
  })

  it.each([
    ['/chat/completions', 4],
    ['/messages', 5],
  ] as const)(
    'has deltas of text, arguments and refusals, not counting reasoning, in POST %s: %i',
    async (path, count) => {
      const gateway = begin()
      const output = [...(answer.output ?? []), { type: 'message' as const, content: [{ refusal: 'No' }] }]
      gateway.use({
        on: operations[path],
        reply: { ...answer, output },
        fault: { name: 'stream-cut', afterDeltas: 100 },
      })
      await call(gateway, `POST ${path}`, { body: { ...body, stream: true } })
      expect(gateway.journal.entries()[0]?.warnings.join()).toContain(`the stream has ${count} deltas`)
    },
  )

  it.each([
    ['/chat/completions', 502, { code: 502, message: 'No', metadata: { error_type: 'server_error' } }],
    ['/messages', 500, { type: 'api_error', message: 'No' }],
  ] as const)('is an error in POST %s with status %i if it fails', async (path, status, error) => {
    const gateway = begin()
    gateway.reply({ text: 'Ahoy', error: { code: 'server_error', message: 'No' } })
    const reply = await call(gateway, `POST ${path}`, { body })
    expect([reply.status, reply.body.error]).toEqual([status, error])
  })

  it('ends with an error event if it fails in the middle', async () => {
    const ends: Record<string, string | undefined> = {}
    for (const path of ['/chat/completions', '/messages'])
      for (const form of ['scripted', 'fault', 'fault with a code'] as const) {
        const gateway = begin()
        const code = form === 'fault' ? undefined : 'rate_limit_error'
        if (form === 'scripted')
          gateway.reply({ text: 'Ahoy', error: { code: 'server_error', message: 'No' } })
        else gateway.use({ on: '*', fault: { name: 'stream-error-event', afterEvents: 3, code } })
        const { text } = await call(gateway, `POST ${path}`, { body: { ...body, stream: true } })
        ends[`${path} ${form}`] = text
          .match(/data: .*error.*/g)
          ?.join()
          .replace(/"id":"[^"]+"|"created":\d+/g, '')
      }
    expect(ends).toMatchInlineSnapshot(`
      {
        "/chat/completions fault": "data: {,"object":"chat.completion.chunk",,"model":"aurora/dawn-2","error":{"code":502,"message":"Provider returned error","metadata":{"error_type":"server_error"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}",
        "/chat/completions fault with a code": "data: {,"object":"chat.completion.chunk",,"model":"aurora/dawn-2","error":{"code":502,"message":"Provider returned error","metadata":{"error_type":"rate_limit_error"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}",
        "/chat/completions scripted": "data: {,"object":"chat.completion.chunk",,"model":"aurora/dawn-2","error":{"code":502,"message":"No","metadata":{"error_type":"server_error"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}",
        "/messages fault": "data: {"type":"error","error":{"type":"overloaded_error","message":"Provider returned error"}}",
        "/messages fault with a code": "data: {"type":"error","error":{"type":"rate_limit_error","message":"Provider returned error"}}",
        "/messages scripted": "data: {"type":"error","error":{"type":"api_error","message":"No"}}",
      }
    `)
  })
})

describe('POST /messages', () => {
  const ask = { model, max_tokens: 100, messages: [{ role: 'user', content: question }] }

  it('stops before a stop sequence, and keeps only the citations up to there', async () => {
    const gateway = begin()
    const citations = [
      { url: 'https://a.example/', start_index: 3, end_index: 6 },
      { url: 'https://b.example/', start_index: 3, end_index: 7 },
    ]
    gateway.reply({ text: 'At sea, at rest', citations })
    const message = await call(gateway, 'POST /messages', { body: { ...ask, stop_sequences: [', '] } })
    const [{ text, citations: kept }] = message.body.content
    expect([text, kept.map((each: { url: string }) => each.url), message.body.stop_sequence]).toEqual([
      'At sea',
      ['https://a.example/'],
      ', ',
    ])
    const chat = await call(gateway, 'POST /chat/completions', { body: { ...ask, stop: [', '] } })
    expect(chat.body.choices[0].message).toMatchObject({
      content: 'At sea',
      annotations: [{ url_citation: { url: 'https://a.example/', start_index: 3, end_index: 6 } }],
    })
    const whole = await call(gateway, 'POST /messages', { body: { ...ask, stop_sequences: ['At'] } })
    expect(whole.body.content).toEqual([{ type: 'text', text: '', citations: null }])
  })

  it.each([
    [400, 'invalid_request_error'],
    [402, 'billing_error'],
    [404, 'not_found_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [524, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('returns an error with status %i as %s', async (status, type) => {
    const gateway = begin()
    gateway.fail(status, { message: 'No' })
    const { body } = await call(gateway, 'POST /messages', { body: ask })
    expect(body.error).toEqual({ type, message: 'No' })
  })
})

describe('POST /responses', () => {
  it('streams items with the same id at their own positions', async () => {
    const gateway = begin()
    gateway.reply({
      output: [
        { type: 'reasoning', id: 'same', status: 'completed', summary: ['One', 'Two'], content: 'Three' },
        { type: 'message', id: 'same', content: [{ text: 'Four' }, { text: 'Five' }] },
        { type: 'message', id: 'same', content: 'Six seven eight' },
      ],
    })
    const body = { model, input: question, stream: true }
    const { text } = await call(gateway, 'POST /responses', { body })
    const events = [...text.matchAll(/^data: (\{.*)/gm)].map(([, json]) => JSON.parse(String(json)))
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
    expect(
      events
        .filter(({ type }) => type.endsWith('.delta'))
        .map(({ type, item_id, output_index, content_index, summary_index, delta }) =>
          [type, item_id, output_index, content_index, summary_index, delta].join(),
        ),
    ).toEqual([
      'response.reasoning_summary_text.delta,same,0,,0,One',
      'response.reasoning_summary_text.delta,same,0,,1,Two',
      'response.reasoning_text.delta,same,0,0,,Three',
      'response.output_text.delta,same,1,0,,Four',
      'response.output_text.delta,same,1,1,,Five',
      'response.output_text.delta,same,2,0,,Six',
      'response.output_text.delta,same,2,0,, seven',
      'response.output_text.delta,same,2,0,, eight',
    ])
    expect(events.find(({ type }) => type === 'response.output_item.added').item).toEqual({
      type: 'reasoning',
      id: 'same',
      status: 'in_progress',
      summary: [],
    })
  })

  const link = '[a.example](https://a.example/)'
  const other = '[b.example](https://b.example/)'

  it.each<[string, string[], string, [number, number][]]>([
    [
      'Tides',
      ['a', 'b'],
      `Tides ${link} ${other}`,
      [
        [6, 37],
        [38, 69],
      ],
    ],
    [
      'Tides [1](https://b.example/)',
      ['a', 'b'],
      `Tides [1](https://b.example/) ${link}`,
      [
        [6, 29],
        [30, 61],
      ],
    ],
    ['[1](https://a.example/)', ['a'], '[1](https://a.example/)', [[0, 23]]],
    ['[](https://a.example/)', ['a'], `[](https://a.example/) ${link}`, [[23, 54]]],
    ['x [t', ['a'], `x [t ${link}`, [[5, 36]]],
    ['](https://a.example/)', ['a'], `](https://a.example/) ${link}`, [[22, 53]]],
  ])('cites %o with links to %o', async (text, sites, expected, spans) => {
    const gateway = begin()
    gateway.reply({ text, citations: sites.map((site) => ({ url: `https://${site}.example/` })) })
    const { body } = await call(gateway, 'POST /responses', { body: { model, input: question } })
    const [part] = body.output[0].content
    expect(part.text).toBe(expected)
    expect(
      part.annotations.map((each: Record<string, number>) => [each['start_index'], each['end_index']]),
    ).toEqual(spans)
  })

  it('cites the first occurrence of a text, or a span', async () => {
    const gateway = begin()
    const text = 'Tides rise, Tides fall, boats sail'
    const citations = [
      { url: 'https://c.example/', text: 'boats' },
      { url: 'https://b.example/', start_index: 6, end_index: 10 },
      { url: 'https://a.example/', text: 'Tides' },
    ]
    gateway.reply({ text, citations })
    const { body } = await call(gateway, 'POST /responses', { body: { model, input: question } })
    const [part] = body.output[0].content
    expect(part.text).toBe(text)
    expect(part.annotations.map((each: object) => Object.values(each))).toEqual([
      ['url_citation', 'https://a.example/', 'a.example', 0, 5],
      ['url_citation', 'https://b.example/', 'b.example', 6, 10],
      ['url_citation', 'https://c.example/', 'c.example', 24, 29],
    ])
  })

  it('counts every kind of item, and truncates it at `max_output_tokens`', async () => {
    const gateway = begin()
    gateway.reply({
      output: [
        { type: 'reasoning', summary: 'Look first' },
        { type: 'message', content: 'At sea' },
        { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{"q":"boat"}' },
      ],
      text: 'Good bye',
    })
    const outcome = async (max_output_tokens: number) => {
      const { body } = await call(gateway, 'POST /responses', {
        body: { model, input: question, max_output_tokens },
      })
      const { output_tokens, output_tokens_details } = body.usage
      const items = body.output.map((item: Record<string, unknown>) => {
        const [part] = [item['content'] ?? item['summary'] ?? []].flat() as { text: string }[]
        return part?.text ?? item['arguments']
      })
      return `${max_output_tokens}: ${body.status}, ${output_tokens} (${output_tokens_details.reasoning_tokens}), ${items.join(' | ')}`
    }
    const limits = Array.from({ length: 14 }, (_, index) => index + 1)
    expect(await Promise.all(limits.map(outcome))).toEqual([
      '1: incomplete, 1 (1), Look',
      '2: incomplete, 2 (2), Look first',
      '3: incomplete, 3 (2), Look first | At',
      '4: incomplete, 4 (2), Look first | At sea',
      '5: incomplete, 5 (2), Look first | At sea | {"',
      '6: incomplete, 6 (2), Look first | At sea | {"q',
      '7: incomplete, 7 (2), Look first | At sea | {"q":"',
      '8: incomplete, 8 (2), Look first | At sea | {"q":"boat',
      '9: incomplete, 9 (2), Look first | At sea | {"q":"boat"}',
      '10: incomplete, 10 (2), Look first | At sea | {"q":"boat"} | Good',
      '11: completed, 11 (2), Look first | At sea | {"q":"boat"} | Good bye',
      '12: completed, 11 (2), Look first | At sea | {"q":"boat"} | Good bye',
      '13: completed, 11 (2), Look first | At sea | {"q":"boat"} | Good bye',
      '14: completed, 11 (2), Look first | At sea | {"q":"boat"} | Good bye',
    ])
  })
})

it('expected content parts and tools are typed with their fields', () => {
  const { journal } = createGateway()
  const text = { type: 'text', text: 'Hi' } as const
  expect(journal.calls('createMessage', { body: { system: [text] } })).toEqual([])
  journal.calls('createMessage', { body: { messages: [{ content: [text] }] } })
  journal.calls('createChatCompletion', { body: { tools: [{ type: 'x', function: {} }] } })
  // @ts-expect-error the field is misspelt
  journal.calls('createMessage', { body: { mesages: [] } })
})

it('a rule for an operation that onlySpecified disables is rejected', () => {
  const gateway = createGateway({ onlySpecified: true })
  const add = () => gateway.use({ on: 'createChatCompletion', fault: 'timeout' })
  expect(add).toThrow("on: 'createChatCompletion' is disabled, because onlySpecified is true")
})
