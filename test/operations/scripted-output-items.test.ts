/** Tests scripted responses: every output item type and every status, as JSON and as a stream. */
import { createParser } from 'eventsource-parser'
import { expect, it } from 'vitest'
import { countTokens } from '../../src/model/tokens.ts'
import { ResponseObject } from '../../src/operations/responses/response-object.ts'
import type { ScriptedReply } from '../../src/scenarios/scripted-reply.ts'
import { describeAdapters, type Entrance } from '../describe-adapters.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of events and items
type Any = any

const request = { model: 'aurora/dawn-2', input: 'Why is the sky blue?' }

type Reply = ScriptedReply

function scriptedRequests(entrance: Entrance) {
  const use = (reply: Reply) => entrance.sandbox.use({ on: 'createResponse', reply })
  return {
    async plain(reply: Reply): Promise<Any> {
      using _rule = use(reply)
      const { body } = await entrance.call('POST /responses', { body: request })
      return ResponseObject.parse(body)
    },
    async streamed(reply: Reply): Promise<Any[]> {
      using _rule = use(reply)
      const { text } = await entrance.call('POST /responses', { body: { ...request, stream: true } })
      const events: Any[] = []
      const parser = createParser({
        onEvent: ({ data }) => events.push(data === '[DONE]' ? data : JSON.parse(data)),
      })
      parser.feed(text)
      expect(events.pop()).toBe('[DONE]')
      return events
    },
    async rejection(reply: unknown): Promise<string> {
      try {
        use(reply as Reply)
      } catch (error) {
        return (error as Error).message
      }
      throw new Error('Expected use() to throw')
    },
  }
}

/** Event types in order, without consecutive duplicates and without the response's own events. */
const outline = (events: Any[]) =>
  events
    .map(({ type }) => type.replace('response.', ''))
    .filter((type, index, all) => type !== all[index - 1])
    .slice(2, -1)

const joined = (events: Any[], type?: string) =>
  events.map((event) => (type === undefined || event.type === type ? event.delta : '')).join('')

describeAdapters('scripted output items', (entrance) => {
  const ask = scriptedRequests(entrance)

  it('include a message with several parts and a refusal', async () => {
    const output: Reply['output'] = [
      {
        type: 'message',
        content: [
          { text: 'First part.' },
          { type: 'refusal', refusal: 'Not this one.' },
          { text: 'Third part.' },
        ],
      },
    ]
    const { output: items } = await ask.plain({ output })
    expect(items[0].content).toEqual([
      { type: 'output_text', text: 'First part.', annotations: [] },
      { type: 'refusal', refusal: 'Not this one.' },
      { type: 'output_text', text: 'Third part.', annotations: [] },
    ])
    const events = await ask.streamed({ output })
    const part = (name: string) => [
      'content_part.added',
      `${name}.delta`,
      `${name}.done`,
      'content_part.done',
    ]
    expect(outline(events)).toEqual([
      'output_item.added',
      ...part('output_text'),
      ...part('refusal'),
      ...part('output_text'),
      'output_item.done',
    ])
    const deltas = events.filter(({ type }) => /\.(?:output_text|refusal)\.delta$/.test(type))
    const textOf = (part: number) => joined(deltas.filter(({ content_index }) => content_index === part))
    expect([0, 1, 2].map(textOf)).toEqual(['First part.', 'Not this one.', 'Third part.'])
    expect(new Set(deltas.map(({ item_id }) => item_id))).toEqual(
      new Set([events.at(-1).response.output[0].id]),
    )
  })

  it('include reasoning with summary, text and encrypted content', async () => {
    const output: Reply['output'] = [
      {
        type: 'reasoning',
        summary: ['Light.', 'Air.'],
        content: 'Blue scatters most of all colours there are.',
        encrypted_content: 'x9',
      },
      { type: 'message', content: 'Scattering.' },
    ]
    const response = await ask.plain({ output })
    expect(response.output[0]).toEqual({
      type: 'reasoning',
      id: expect.stringMatching(/^rs_/),
      status: 'completed',
      summary: [
        { type: 'summary_text', text: 'Light.' },
        { type: 'summary_text', text: 'Air.' },
      ],
      content: [{ type: 'reasoning_text', text: 'Blue scatters most of all colours there are.' }],
      encrypted_content: 'x9',
    })
    const { output_tokens, output_tokens_details } = response.usage
    // Only the reasoning text is counted, not its summary.
    expect(output_tokens_details.reasoning_tokens).toBe(
      countTokens('Blue scatters most of all colours there are.'),
    )
    expect(output_tokens).toBeGreaterThan(output_tokens_details.reasoning_tokens)
    const events = await ask.streamed({ output })
    const summary = [
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
    ]
    expect(outline(events).slice(0, 14)).toEqual([
      'output_item.added',
      ...summary,
      ...summary,
      'content_part.added',
      'reasoning_text.delta',
      'reasoning_text.done',
      'content_part.done',
      'output_item.done',
    ])
    expect(joined(events, 'response.reasoning_text.delta')).toBe(
      'Blue scatters most of all colours there are.',
    )
    expect(events.at(-1).response.output[0]).toMatchObject({ encrypted_content: 'x9' })
  })

  it('include images, with partial images in the stream', async () => {
    const output: Reply['output'] = [
      { type: 'image_generation_call', result: 'aGk=', partial_images: ['YQ==', 'Yg=='], size: '1x1' },
    ]
    const { output: items } = await ask.plain({ output })
    expect(items).toEqual([
      {
        type: 'image_generation_call',
        id: expect.stringMatching(/^ig_/),
        status: 'completed',
        result: 'aGk=',
        size: '1x1',
      },
    ])
    const events = await ask.streamed({ output })
    expect(outline(events)).toEqual([
      'output_item.added',
      'image_generation_call.in_progress',
      'image_generation_call.generating',
      'image_generation_call.partial_image',
      'image_generation_call.completed',
      'output_item.done',
    ])
    const images = events.flatMap(({ partial_image_b64 }) => partial_image_b64 ?? [])
    expect(images).toEqual(['YQ==', 'Yg=='])
  })

  const call = { call_id: 'call_1', status: 'completed' }
  const ended = { status: 'completed' }
  it.each<[item: NonNullable<Reply['output']>[number], added: object, events: string[]]>([
    [
      { type: 'custom_tool_call', id: 'ctc_1', ...call, name: 'patch', input: '*** Begin' },
      { input: '', status: 'in_progress' },
      ['custom_tool_call_input.delta', 'custom_tool_call_input.done'],
    ],
    [
      {
        type: 'mcp_call',
        id: 'mcp_1',
        ...ended,
        name: 'find',
        server_label: 's',
        arguments: '{}',
        output: '7',
      },
      { arguments: '', output: null, status: 'in_progress' },
      ['mcp_call.in_progress', 'mcp_call_arguments.delta', 'mcp_call_arguments.done', 'mcp_call.completed'],
    ],
    [
      { type: 'mcp_call', id: 'mcp_2', status: 'failed', name: 'find', arguments: '', error: { code: 5 } },
      { error: null },
      ['mcp_call.in_progress', 'mcp_call_arguments.done', 'mcp_call.failed'],
    ],
    [
      { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [{ name: 'find' }] },
      { tools: [] },
      ['mcp_list_tools.in_progress', 'mcp_list_tools.completed'],
    ],
    [{ type: 'mcp_approval_request', id: 'mcpr_1', name: 'find', arguments: '{}' }, {}, []],
    [
      { type: 'code_interpreter_call', id: 'ci_1', ...ended, code: '1+1', container_id: 'c', outputs: null },
      { code: '', container_id: 'c', outputs: null },
      [
        'code_interpreter_call.in_progress',
        'code_interpreter_call_code.delta',
        'code_interpreter_call_code.done',
        'code_interpreter_call.interpreting',
        'code_interpreter_call.completed',
      ],
    ],
    [
      { type: 'file_search_call', id: 'fs_1', ...ended, queries: ['tides'], results: null },
      { queries: [], results: null },
      ['file_search_call.in_progress', 'file_search_call.searching', 'file_search_call.completed'],
    ],
    [
      { type: 'shell_call', id: 'sh_1', ...call, action: { commands: ['ls', 'pwd'], timeout_ms: null } },
      { action: { commands: [], timeout_ms: null } },
      [0, 1].flatMap(() => ['added', 'delta', 'done'].map((end) => `shell_call_command.${end}`)),
    ],
    [
      { type: 'apply_patch_call', id: 'apc_1', ...call, operation: { type: 'create_file', diff: '+a' } },
      { operation: { type: 'create_file', diff: '' } },
      ['apply_patch_call_operation_diff.delta', 'apply_patch_call_operation_diff.done'],
    ],
    [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x9' }, { encrypted_content: 'x9' }, []],
    [{ type: 'vendor:new_item', id: 'new_1', anything: { at: [1] } }, { anything: { at: [1] } }, []],
  ])('include %j as scripted, with its events', async (item, added, events) => {
    expect((await ask.plain({ output: [item] })).output).toEqual([item])
    const streamed = await ask.streamed({ output: [item] })
    expect(outline(streamed)).toEqual(['output_item.added', ...events, 'output_item.done'])
    expect(streamed[2]).toMatchObject({ output_index: 0, item: { id: item.id, type: item.type, ...added } })
    expect(streamed.at(-2).item).toEqual(item)
    expect(streamed.at(-1).response.output).toEqual([item])
  })

  it('of other types get the ids, call ids and statuses that they usually have', async () => {
    const { output } = await ask.plain({
      output: [
        { type: 'custom_tool_call', name: 'patch', input: '' },
        { type: 'mcp_call', name: 'find', error: 'down' },
        { type: 'compaction', encrypted_content: 'x9' },
        { type: 'vendor:new_item' },
      ],
    })
    const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_.`))
    expect(output).toEqual([
      {
        type: 'custom_tool_call',
        id: id('ctc'),
        status: 'completed',
        call_id: id('call'),
        name: 'patch',
        input: '',
      },
      { type: 'mcp_call', id: id('mcp'), status: 'failed', name: 'find', error: 'down' },
      { type: 'compaction', id: id('cmp'), encrypted_content: 'x9' },
      { type: 'vendor:new_item', id: id('item') },
    ])
  })

  it('keep their order, ids, statuses, and fields that only some models send', async () => {
    const logprobs = ['High', ' tide'].map((token) => ({ token, logprob: -0.1, top_logprobs: [] }))
    const annotations = [
      { type: 'file_citation', file_id: 'file_1', filename: 'tides.md', index: 4 },
      { type: 'url_citation', url: 'https://example.com/tides' },
    ]
    const head = { id: 'x_1', status: 'completed' } as const
    const output: NonNullable<Reply['output']> = [
      { type: 'reasoning', ...head, summary: [], content: [] },
      {
        type: 'web_search_call',
        ...head,
        action: { type: 'search', query: 'tides', sources: [{ type: 'api', name: 'weather' }] },
      },
      {
        type: 'function_call',
        ...head,
        call_id: 'c',
        name: 'f',
        arguments: '{}',
        caller: { type: 'direct' },
      },
      { type: 'image_generation_call', id: 'x_1', status: 'generating', result: null, prompt: 'A tide' },
      {
        type: 'message',
        id: 'x_1',
        status: 'incomplete',
        role: 'assistant',
        phase: 'final_answer',
        content: [{ type: 'output_text', text: 'High tide', annotations, logprobs }],
      },
    ]
    expect((await ask.plain({ output })).output).toEqual(output)
    const events = await ask.streamed({ output })
    expect(events.at(-1).response.output).toEqual(output)
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas.map(({ delta, logprobs }) => [delta, logprobs])).toEqual(
      logprobs.map((each) => [each.token, [each]]),
    )
    expect(events.find(({ type }) => type === 'response.output_text.done')).toMatchObject({ logprobs })
  })

  it('stream alternately with `interleave: true`', async () => {
    const output: Reply['output'] = [
      { type: 'function_call', name: 'a', arguments: { city: 'Oslo, by the sea' } },
      { type: 'function_call', name: 'b', arguments: { city: 'Rome, by the sea' } },
    ]
    const events = await ask.streamed({ output, interleave: true })
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta')
    expect(deltas.slice(0, 4).map(({ output_index }) => output_index)).toEqual([0, 1, 0, 1])
    const argumentsOf = (item: number) => joined(deltas.filter(({ output_index }) => output_index === item))
    expect([0, 1].map(argumentsOf)).toEqual(['{"city":"Oslo, by the sea"}', '{"city":"Rome, by the sea"}'])
    const unequal: Reply['output'] = [
      { type: 'message', content: 'One' },
      { type: 'message', content: 'Two three four five six' },
    ]
    const whole = await ask.streamed({ output: unequal, interleave: true })
    expect(joined(whole, 'response.output_text.delta')).toBe('OneTwo three four five six')
    const plain = await ask.streamed({ output })
    expect(
      plain.filter(({ type }) => type.endsWith('.delta')).map(({ output_index }) => output_index),
    ).toEqual([...deltas.map(({ output_index }) => output_index)].sort())
  })
})

describeAdapters('a scripted response', (entrance) => {
  const ask = scriptedRequests(entrance)

  it('uses the scripted id and usage, and fills in omitted token counts', async () => {
    const usage = { input_tokens: 420, input_tokens_details: { cached_tokens: 400 } }
    const response = await ask.plain({ id: 'resp_mine', usage })
    expect(response.id).toBe('resp_mine')
    expect(response.output[0].content[0].text).toContain(request.input)
    expect(response.usage).toMatchObject({
      ...usage,
      total_tokens: 420 + response.usage.output_tokens,
    })
    const events = await ask.streamed({ text: 'Hi', id: 'resp_mine', usage })
    expect(new Set(events.flatMap(({ response }) => response?.id ?? []))).toEqual(new Set(['resp_mine']))
  })

  it('can be incomplete, with either reason', async () => {
    for (const incompleteReason of ['max_output_tokens', 'content_filter'] as const) {
      const response = await ask.plain({ text: 'So far', incompleteReason })
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: incompleteReason },
        completed_at: null,
      })
      const events = await ask.streamed({ text: 'So far', responseStatus: 'incomplete', incompleteReason })
      expect(events.at(-1)).toMatchObject({
        type: 'response.incomplete',
        response: { incomplete_details: { reason: incompleteReason } },
      })
    }
    expect(await ask.plain({ responseStatus: 'incomplete' })).toMatchObject({
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  it('can be failed, with an error', async () => {
    const response = await ask.plain({ responseStatus: 'failed' })
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: expect.any(String) },
      output: [],
    })
    const events = await ask.streamed({
      text: 'Half',
      error: { code: 'rate_limit_exceeded', message: 'Slow down' },
    })
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down' } },
    })
    expect(joined(events, 'response.output_text.delta')).toBe('Half')
  })

  it('can be queued, in progress or cancelled, without output by default', async () => {
    for (const responseStatus of ['queued', 'in_progress', 'cancelled'] as const) {
      expect(await ask.plain({ responseStatus })).toMatchObject({
        status: responseStatus,
        output: [],
        error: null,
      })
      const events = await ask.streamed({ responseStatus })
      expect(events.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { status: responseStatus },
      })
    }
    expect((await ask.plain({ responseStatus: 'cancelled', text: 'So far' })).output).toHaveLength(1)
  })

  it('is rejected if its status contradicts other fields', async () => {
    expect(
      await ask.rejection({ responseStatus: 'completed', incompleteReason: 'content_filter' }),
    ).toContain(
      "use(): reply.incompleteReason cannot be combined with responseStatus 'completed'; write 'incomplete'",
    )
    expect(await ask.rejection({ responseStatus: 'incomplete', error: {} })).toContain(
      "use(): reply.error is for a failed response, so it cannot be combined with responseStatus 'incomplete'",
    )
  })
})
