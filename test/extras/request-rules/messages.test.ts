import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { gatewayWithModels, send } from './send.ts'

const ask = { role: 'user', content: 'Which tide?' }
const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} })
const search = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: {} })
const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] })
const result = (id: string, content: unknown = 'high') => ({ type: 'tool_result', tool_use_id: id, content })
const text = (words: string, fields?: object) => ({ type: 'text', text: words, ...fields })
const user = (...content: unknown[]) => ({ role: 'user', content })
const answer = (...content: unknown[]) => ({ role: 'assistant', content })
const image = (data = 'AAAA') => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
})
const schema = { type: 'object', properties: {} }
const look = { name: 'look', input_schema: schema }
const asTool = (input_schema: object) => ({ tools: [{ name: 'look', input_schema }] })
const thinking = { type: 'enabled', budget_tokens: 1024 }
const cached = (ttl?: string) => text('a', { cache_control: { type: 'ephemeral', ttl } })

const refused: [rule: string, body: object][] = [
  ['tool-call-without-result', { messages: [ask, answer(use('a'), use('b')), user(result('a'))] }],
  ['tool-call-without-result', { messages: [ask, answer(use('a'))] }],
  ['tool-call-without-result', { messages: [ask, answer(use('a')), user(text('Here'), result('a'))] }],
  ['tool-result-without-call', { messages: [user(result('a'))] }],
  [
    'duplicate-call-id',
    { messages: [ask, answer(use('a')), user(result('a')), answer(use('a')), user(result('a'))] },
  ],
  ['duplicate-result', { messages: [ask, answer(use('a')), user(result('a'), result('a'))] }],
  ['tool-id-pattern', { messages: [ask, answer(use('look:0')), user(result('look:0'))] }],
  ['server-tool-without-result', { messages: [ask, answer(search('s'), text('High')), ask] }],
  ['tool-result-without-call', { messages: [ask, answer(found('s'), text('High')), ask] }],
  [
    'thinking-signature',
    { messages: [ask, answer({ type: 'thinking', thinking: 'I look.', signature: '' }, text('High')), ask] },
  ],
  ['thinking-budget', { thinking, max_tokens: 1024 }],
  ['thinking-budget-min', { thinking: { ...thinking, budget_tokens: 1023 } }],
  ['thinking-type', { thinking, model: 'anthropic/claude-opus-4-7' }],
  ['thinking-type', { thinking: { type: 'adaptive' }, model: 'anthropic/claude-sonnet-4-20250514' }],
  ['thinking-forced-tool', { thinking, tools: [look], tool_choice: { type: 'any' } }],
  ['thinking-temperature', { thinking, temperature: 0 }],
  ['temperature-range', { temperature: 1.2 }],
  [
    'system-role',
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    },
  ],
  ['tool-choice-unknown', { tools: [look], tool_choice: { type: 'tool', name: 'see' } }],
  ['tool-name-pattern', { tools: [{ ...look, name: 'a b' }] }],
  ['tool-name-length', { tools: [{ ...look, name: 'a'.repeat(129) }] }],
  ['tool-name-duplicate', { tools: [look, look] }],
  ['schema-root', asTool({})],
  ['schema-root-union', asTool({ ...schema, anyOf: [] })],
  ['schema-draft', asTool({ type: 'object', properties: { a: { type: 'array', items: [{}] } } })],
  ['ref-unresolved', asTool({ type: 'object', properties: { a: { $ref: '#/$defs/A' } } })],
  [
    'context-window',
    { model: 'acme/plain', messages: [{ role: 'user', content: 'tide and rock '.repeat(900) }] },
  ],
  ['max-output', { model: 'acme/plain', max_tokens: 501 }],
  ['image-count', { messages: [user(...Array.from({ length: 101 }, () => image()))] }],
  ['image-size', { messages: [user(image('A'.repeat(10485761)))] }],
  ['cache-breakpoints', { messages: [user(...Array.from({ length: 5 }, () => cached()))] }],
  ['cache-ttl-order', { system: [cached()], messages: [user(cached('1h'))] }],
  ['empty-content', { messages: [ask, answer(), ask] }],
  ['empty-text', { messages: [user(text(''), text('Hi'))] }],
  ['blank-text', { messages: [user(text('\n\n'))] }],
  ['trailing-space', { messages: [ask, answer(text('High '))] }],
]

const clean: object[] = [
  { messages: [answer(text('Hello')), ask] },
  { messages: [ask, answer(use('a')), answer(use('b')), user(result('b')), user(result('a'), text('So?'))] },
  { messages: [ask, answer(search('s'))] },
  {
    messages: [ask, answer(search('s'), use('a')), user(result('a')), answer(found('s'), text('High')), ask],
  },
  { messages: [ask, answer({ type: 'redacted_thinking', data: 'x' }, text('High')), ask] },
  { thinking: { ...thinking, budget_tokens: 9999 }, tools: [look] },
  { thinking: { type: 'adaptive' }, model: 'anthropic/claude-opus-4-7' },
  { thinking: { type: 'adaptive' }, model: 'anthropic/claude-sonnet-4-6' },
  {
    tools: [
      { ...look, name: 'a'.repeat(128) },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
  },
  asTool({ type: 'object', properties: { a: { $ref: '#/$defs/A' }, cache_control: {} }, $defs: { A: {} } }),
  { system: [cached('1h')], messages: [user(cached()), answer(cached()), user(cached())] },
  { messages: [ask, answer(search('s'), found('s'), text('High')), ask] },
  { messages: [ask, { role: 'assistant', content: '' }] },
  { messages: [{ role: 'user', content: 'High ' }, answer(text('Tide ')), ask] },
]

const limits = { limits: { requestBodyBytes: 20_000_000 } }
async function sendTo(options: object, body: object) {
  return post(await gatewayWithModels(options), body)
}

function post(gateway: Gateway, body: object) {
  return send(gateway, 'POST /messages', { max_tokens: 4096, messages: [ask], ...body })
}

it('refuses each request with strict, and otherwise warns', async () => {
  const lines: string[] = []
  for (const [rule, body] of refused) {
    const { status, json, broken } = await sendTo({ strict: true, ...limits }, body)
    const [{ param, message } = json] = broken ?? []
    lines.push(`${status} ${rule} ${param}\n  ${message}\n`)
    const error = { type: 'invalid_request_error', message, metadata: { rule } }
    expect([json, broken?.[0]?.rule]).toEqual([{ type: 'error', error, request_id: json.request_id }, rule])
    // Only a rule can reply to a request that forces an unknown tool.
    const loose = rule === 'tool-choice-unknown' ? 400 : 200
    expect(await sendTo(limits, body)).toMatchObject({ status: loose, broken })
  }
  await expect(lines.join('')).toMatchFileSnapshot('messages.txt')
})

it.each(clean)('accepts a neighbouring valid request: %j', async (body) => {
  expect(await sendTo({}, body)).toMatchObject({ status: 200, broken: [] })
})

describe('thinking in a tool turn', () => {
  const output = [
    { type: 'reasoning', content: ['I look.'] },
    { type: 'function_call', name: 'look', arguments: {} },
  ] as const
  const body = { thinking, tools: [look], model: 'anthropic/claude-opus-4-6' }

  it.each([undefined, 'call_1'])(
    'must come back unchanged, once, to a model of the same vendor (%s)',
    async (call_id) => {
      const gateway = createGateway()
      const [reasoning, call] = output
      gateway.reply({ output: [reasoning, { ...call, ...(call_id && { call_id }) }] }, { times: 1 })
      const [thought, used] = (await post(gateway, body)).json.content
      const after = async (content: object[], fields?: object) => {
        const messages = [ask, answer(...content), user(result(used.id))]
        return (await post(gateway, { ...body, messages, ...fields })).broken?.map(({ rule }) => rule)
      }
      expect(await after([thought, used])).toEqual([])
      expect(await after([used])).toEqual(['thinking-missing'])
      expect(await after([used], { thinking: { type: 'adaptive' } })).toEqual([])
      expect(await after([{ ...thought, thinking: 'I' }, used])).toEqual(['thinking-modified'])
      expect(await after([thought, thought, used])).toEqual(['thinking-modified'])
      expect(await after([thought, used], { model: 'aurora/dawn-2' })).toEqual(['thinking-signature'])
      expect(await after([{ ...thought, signature: 'EqQBCkYIAxgC' }, used])).toEqual([])
    },
  )
})
