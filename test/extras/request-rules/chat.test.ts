import { expect, it } from 'vitest'
import { gatewayWithModels, send } from './send.ts'

const ask = { role: 'user', content: 'Which tide?' }
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'high' })
const tool = (name: string, parameters: object = { type: 'object', properties: {} }, strict = false) => {
  return { type: 'function', function: { name, parameters, strict } }
}
const encrypted = { type: 'reasoning.encrypted', data: 'x', id: 'rs_1', format: 'unknown', index: 0 }
const thought = (field: object) => [ask, { ...calls('a'), ...field }, result('a')]
const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] }
const imageText = { role: 'user', content: [{ type: 'image_url', image_url: 'https://x.test/a.png' }] }
const noTools = { model: 'acme/plain' }

const refused: [rule: string, body: object, dialect?: 'openrouter'][] = [
  ['tool-call-without-result', { messages: [ask, calls('a', 'b'), result('a'), ask] }],
  ['tool-call-without-result', { messages: [ask, calls('a')] }],
  ['tool-result-without-call', { messages: [ask, result('a')] }],
  ['duplicate-result', { messages: [ask, calls('a'), result('a'), result('a')] }],
  ['duplicate-item-id', { messages: thought({ reasoning_details: [encrypted, encrypted] }) }],
  ['reasoning-content-missing', { model: 'acme/deep', messages: thought({}) }],
  ['too-many-tools', { tools: Array.from({ length: 129 }, (_, at) => tool(`t${at}`)) }],
  ['tools-empty', { tools: [] }],
  ['tool-choice-without-tools', { tool_choice: 'auto' }],
  [
    'tool-choice-unknown',
    { tools: [tool('look')], tool_choice: { type: 'function', function: { name: 'see' } } },
  ],
  ['tool-name-pattern', { tools: [tool('a b')] }],
  ['tool-name-length', { tools: [tool('a'.repeat(65))] }],
  [
    'strict-additional-properties',
    { tools: [tool('look', { type: 'object', properties: {}, required: [] }, true)] },
  ],
  [
    'strict-keyword',
    {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'a',
          strict: true,
          schema: {
            type: 'object',
            properties: { a: { type: 'string', minLength: 1 } },
            required: ['a'],
            additionalProperties: false,
          },
        },
      },
    },
  ],
  ['parameter-unsupported', { model: 'acme/deep', max_tokens: 5 }],
  ['parameter-unsupported', { model: 'o3', max_tokens: 5 }],
  ['parameter-unsupported', { model: 'acme/deep', temperature: 0 }],
  ['temperature-range', { temperature: 5 }],
  ['temperature-range', { temperature: -1 }],
  ['value-unsupported', { model: 'gpt-5', temperature: 0.2 }],
  ['value-unsupported', { model: 'o3', temperature: 0 }],
  ['too-many-models', { models: ['a/b', 'a/c', 'a/d', 'a/e'] }, 'openrouter'],
  ['stream-options-without-stream', { stream_options: { include_usage: true } }],
  ['image-url-type', { messages: [ask, imageText] }],
  ['parameter-unsupported', { ...noTools, tools: [tool('look')] }, 'openrouter'],
  ['modality-unsupported', { ...noTools, messages: [image] }],
  ['modality-unsupported', { ...noTools, messages: [image] }, 'openrouter'],
  ['context-window', { ...noTools, messages: [{ role: 'user', content: 'tide and rock '.repeat(900) }] }],
  [
    'context-window',
    { ...noTools, max_tokens: 900, messages: [{ role: 'user', content: 'tide and rock '.repeat(200) }] },
    'openrouter',
  ],
  ['max-output', { ...noTools, max_tokens: 600 }],
]

const clean: object[] = [
  { temperature: 2, stream: true, stream_options: { include_usage: true } },
  { model: 'mistralai/pixtral-12b', messages: [imageText] },
  { model: 'openai/gpt-5', max_tokens: 50, temperature: 0 },
  { model: 'gpt-5.1', temperature: 0 },
  { messages: [ask, calls('a', 'b'), result('b'), result('a'), ask, calls('a'), result('a')] },
  { messages: thought({ reasoning_details: [encrypted] }) },
  { model: 'acme/deep', temperature: 1, messages: thought({ reasoning_content: '' }) },
  { model: 'acme/deep', reasoning: { enabled: false }, messages: thought({}) },
  {
    tools: [
      tool('a.b'),
      tool('a'.repeat(64), { type: 'object', properties: { a: { type: 'string', minLength: 1 } } }),
    ],
  },
  { tool_choice: 'none' },
  { tools: [tool('look')], tool_choice: { type: 'function', function: { name: 'look' } } },
  { model: 'openai/o3', max_completion_tokens: 5 },
]

async function sendTo(options: object, body: object) {
  return send(await gatewayWithModels(options), 'POST /chat/completions', { messages: [ask], ...body })
}

it('refuses each request with strict, and otherwise warns', async () => {
  const lines: string[] = []
  for (const [rule, body, dialect] of refused) {
    const strict = await sendTo({ strict: true, models: ['*/*', 'o3', 'gpt-5'], dialect }, body)
    const { message, param, metadata } = strict.json.error
    lines.push(`${strict.status} ${metadata.rule} ${param}\n  ${message}\n`)
    expect([metadata.rule, strict.broken?.[0]]).toEqual([rule, { rule, param, message }])
    // Only a rule can reply to a request that forces an unknown tool.
    const status = rule === 'tool-choice-unknown' ? 400 : 200
    expect(await sendTo({ dialect }, body)).toMatchObject({ status, broken: strict.broken })
  }
  await expect(lines.join('')).toMatchFileSnapshot('chat.txt')
})

it('accepts with OpenRouter requests to other vendors that OpenAI would refuse', async () => {
  const other = { temperature: 5, stream_options: {}, messages: [imageText] }
  const tools = [tool('look', { type: 'object' }, true)]
  const sendFor = (model: string) => sendTo({ dialect: 'openrouter' }, { ...other, model, tools })
  expect((await sendFor('google/gemini-3')).broken).toEqual([])
  expect((await sendFor('openai/gpt-5')).broken).not.toEqual([])
})

it('warns with OpenRouter of references that no vendor can resolve', async () => {
  const parameters = { type: 'object', properties: { a: { $ref: '#/$defs/Gone' } } }
  const tools = [{ type: 'function', function: { name: 'look', parameters } }]
  const { broken } = await sendTo({ dialect: 'openrouter' }, { model: 'google/gemini-3', tools })
  expect(broken).toMatchObject([{ rule: 'ref-unresolved' }])
})

it.each(clean)('accepts a neighbouring valid request: %j', async (body) => {
  expect(await sendTo({}, body)).toMatchObject({ status: 200, broken: [] })
})
