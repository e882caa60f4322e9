/** Tests fields that clients send although they have no effect: accepted, even with `strict`, and named by a warning. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

const model = 'aurora/dawn-2'
const messages = [{ role: 'user', content: 'How do tides work?' }]
const chatTool = { type: 'function', function: { name: 'look_up' } }
const tool = { name: 'look_up', input_schema: { type: 'object' } }
const schema = { type: 'object' }

const published: [line: string, field: string, body: object][] = [
  ['POST /responses', 'context_management', { context_management: [{ type: 'compaction' }] }],
  ['POST /responses', 'reasoning.context', { reasoning: { effort: 'low', context: 'auto' } }],
  ['POST /responses', 'moderation', { moderation: { model: 'none' } }],
  ['POST /responses', 'user', { user: 'u' }],
  ['POST /responses', 'client_metadata', { client_metadata: { 'x-codex-installation-id': 'a' } }],
  ['POST /chat/completions', 'reasoning_format', { reasoning_format: 'parsed' }],
  ['POST /chat/completions', 'web_search_options', { web_search_options: {} }],
  ['POST /chat/completions', 'search_settings', { search_settings: {} }],
  [
    'POST /chat/completions',
    'response_format.json_schema.description',
    { response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } } },
  ],
  ['POST /messages', 'mcp_servers', { mcp_servers: [] }],
  [
    'POST /messages/count_tokens',
    'tools[0].use_cache',
    { tools: [{ type: 'web_fetch_20260309', use_cache: true }] },
  ],
  [
    'POST /messages',
    'messages[1].output_config',
    { messages: [...messages, { role: 'system', content: 's', output_config: { effort: 'low' } }] },
  ],
  ['POST /messages', 'thinking.display', { thinking: { type: 'adaptive', display: 'omitted' } }],
  ['POST /messages', 'tools[0].defer_loading', { tools: [{ ...tool, defer_loading: true }] }],
  [
    'POST /messages/count_tokens',
    'tools[0].mcp_server_name',
    { tools: [{ type: 'mcp_toolset', mcp_server_name: 'files' }] },
  ],
  ['POST /messages?beta=true', 'context_management', { context_management: { edits: [] } }],
  ['POST /messages/count_tokens?beta=true', 'speed', { speed: 'fast' }],
]
const vendors: typeof published = [
  ['POST /chat/completions', 'transforms', { transforms: ['middle-out'] }],
  ['POST /chat/completions', 'route', { route: 'fallback' }],
  [
    'POST /chat/completions',
    'tools[0].eager_input_streaming',
    { tools: [{ ...chatTool, eager_input_streaming: true }] },
  ],
  [
    'POST /responses',
    'tools[0].external_web_access',
    { tools: [{ type: 'web_search', external_web_access: true }] },
  ],
  ['POST /responses', 'session_id', { session_id: 's' }],
]

async function send(line: string, fields: object, options: Parameters<typeof createGateway>[0]) {
  const gateway = createGateway({ strict: true, ...options })
  const rest = line.includes('/responses') ? { input: 'How do tides work?' } : { messages }
  const limit = line.startsWith('POST /messages') && !line.includes('count') && { max_tokens: 9 }
  const { status } = await call(gateway, line, { body: { model, ...rest, ...limit, ...fields } })
  return { status, warnings: gateway.journal.entries()[0]?.warnings }
}

describe.each([
  { dialect: undefined, cases: published },
  { dialect: 'openrouter' as const, cases: [...published, ...vendors] },
])('fields without effect (dialect: $dialect)', ({ dialect, cases }) => {
  const options = dialect ? { dialect } : {}
  it.each(cases)('%s accepts %s, with a warning', async (line, field, body) => {
    const warnings = [`body.${field} is accepted, but not simulated`]
    expect(await send(line, body, options)).toEqual({ status: 200, warnings })
  })
})

it('fields of OpenRouter are rejected by `strict` without its dialect, and all with `onlySpecified`', async () => {
  for (const [line, , body] of vendors.filter(([, field]) => !/external/.test(field)))
    expect((await send(line, body, {})).status).toBe(400)
  expect((await send('POST /responses', { user: 'u' }, { onlySpecified: true })).status).toBe(400)
})

it('query fields of OpenRouter are accepted only in its dialect', async () => {
  const statuses = (['openrouter', undefined] as const).map(async (dialect) => {
    const gateway = createGateway({ strict: true, ...(dialect && { dialect }) })
    return (await call(gateway, 'GET /benchmarks?include_run_config=true')).status
  })
  expect(await Promise.all(statuses)).toEqual([200, 400])
})

it('null asks for nothing, so it adds no warning', async () => {
  expect(await send('POST /responses', { moderation: null }, {})).toEqual({ status: 200, warnings: [] })
})
