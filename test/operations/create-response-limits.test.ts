/** Tests boundary values of the fields of POST /responses: the last valid and the first invalid value. */
import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'
import { isOnlySpecified } from '../only-specified.ts'

const gateways = {
  default: createGateway({ timeScale: 0, search: { limitedEngine: 'engine_b' } }),
  storing: createGateway({ timeScale: 0, storedResponses: true }),
}

/** Returns '200', or the violations as `n too_big`. */
async function resultOf(fields: object, gateway = gateways.default): Promise<string> {
  const body = { model: 'aurora/dawn-2', input: 'Hello', ...fields }
  const reply = await call(gateway, 'POST /responses', { body })
  if (reply.status === 200) return '200'
  const violations: { path: string; rule: string }[] = reply.body.error.metadata.violations
  return violations.map(({ path, rule }) => `${path.replace('body.', '')} ${rule}`).join(', ')
}

const user = (content: unknown) => ({ input: [{ role: 'user', content }] })
const plugin = (fields: object) => ({ plugins: [{ id: 'web', ...fields }] })
const search = (parameters: object) => ({ tools: [{ type: 'gateway:web_search', parameters }] })
const fn = (name: string) => ({ type: 'function', name })
const posts = (x_search_filter: unknown) => ({ model: 'x-ai/meridian-1:online', x_search_filter })
const handles = (length: number) => Array.from({ length }, (_, index) => `h${index}`)

it.each<[fields: object, expected: string]>([
  [{}, '200'],
  [{ input: [] }, 'input too_small'],
  [{ input: [{ role: 'user', content: 'Hi' }] }, '200'],
  [{ input: undefined }, 'input invalid_type'],
  [{ input: [{ role: 'wizard', content: 'x' }] }, 'input[0].role invalid_value'],
  [{ input: [{ type: 'computer_call' }] }, isOnlySpecified ? 'input[0].type invalid_union' : '200'],
  [{ input: [{ type: 'mesage' }] }, 'input[0].type custom'],
  [{ input: [{}] }, 'input[0].role invalid_value, input[0].content invalid_type'],
  [user([{ type: 'input_smell', text: 'x' }]), 'input[0].content[0].type invalid_union'],
  [user([{ type: 'input_text' }]), 'input[0].content[0].text invalid_type'],
  [{ model: undefined }, 'model invalid_type'],
  [{ model: ' ' }, 'model pattern'],
  ...['dawn-2', 'aurora/', 'aurora/dawn/2'].map((model): [object, string] => [
    { model },
    isOnlySpecified ? 'model pattern' : '200',
  ]),
  [{ max_output_tokens: 'abc' }, 'max_output_tokens invalid_type'],
  [{ max_output_tokens: 1.5 }, 'max_output_tokens invalid_type'],
  [{ stream: 'yes' }, 'stream invalid_type'],
  [{ temperature: 'hot' }, 'temperature invalid_type'],
  [{ previous_response_id: 'resp_1' }, 'previous_response_id invalid_type'],
  [
    { model: 42, max_output_tokens: 0, ...user([{ type: 'x' }]) },
    'model invalid_type, input[0].content[0].type invalid_union, max_output_tokens too_small',
  ],
  [plugin({ id: undefined }), 'plugins[0].id invalid_value'],
  [plugin({ id: 'file-parser' }), 'plugins[0].id invalid_value'],
  [plugin({ engine: 'engine_z' }), 'plugins[0].engine invalid_value'],
  [plugin({ engine: 'engine_b', max_results: 21 }), 'plugins[0].max_results too_big'],
  [search({ max_results: 2.5 }), 'tools[0].parameters.max_results invalid_type'],
  [search({ max_results: null }), 'tools[0].parameters.max_results invalid_type'],
  [
    search({ engine: 'engine_b', max_results: 21, max_total_results: 3 }),
    'tools[0].parameters.max_results too_big',
  ],
  [posts({ allowed_x_handles: ['@'] }), 'x_search_filter.allowed_x_handles[0] pattern'],
  [posts({ excluded_x_handles: ['a', 'b c'] }), 'x_search_filter.excluded_x_handles[1] pattern'],
  [
    posts({ from_date: '2025-02-30', to_date: 'yesterday' }),
    'x_search_filter.from_date date, x_search_filter.to_date date',
  ],
  [{ model: 'aurora/dawn-2', x_search_filter: { to_date: '2025-02-29' } }, 'x_search_filter.to_date date'],
  [{ max_output_tokens: 0 }, 'max_output_tokens too_small'],
  [{ max_output_tokens: 1 }, '200'],
  [{ reasoning: { max_tokens: -1 } }, 'reasoning.max_tokens too_small'],
  [{ reasoning: { max_tokens: 0 } }, '200'],
  [{ store: false }, '200'],
  [{ store: null }, '200'],
  [{ store: true }, 'store invalid_value'],
  [{ previous_response_id: null }, '200'],
  [{ background: null, conversation: null }, '200'],
  [{ background: false, conversation: false }, '200'],
  [{ background: true }, 'background not_simulated'],
  [plugin({ max_results: 0 }), 'plugins[0].max_results too_small'],
  [plugin({ max_results: 1 }), '200'],
  [plugin({ max_results: 25 }), '200'],
  [plugin({ max_results: 26 }), 'plugins[0].max_results too_big'],
  [plugin({ include_domains: [''] }), 'plugins[0].include_domains[0] too_small'],
  [plugin({ include_domains: ['a'] }), '200'],
  [plugin({ exclude_domains: [''] }), 'plugins[0].exclude_domains[0] too_small'],
  [plugin({ exclude_domains: ['a'] }), '200'],
  [search({ max_results: 0 }), 'tools[0].parameters.max_results too_small'],
  [search({ max_results: 1 }), '200'],
  [search({ max_results: 25 }), '200'],
  [search({ max_results: 26 }), 'tools[0].parameters.max_results too_big'],
  [search({ max_total_results: 0 }), 'tools[0].parameters.max_total_results too_small'],
  [search({ max_total_results: 1 }), '200'],
  [search({ allowed_domains: [''] }), 'tools[0].parameters.allowed_domains[0] too_small'],
  [search({ allowed_domains: ['a'] }), '200'],
  [search({ excluded_domains: [''] }), 'tools[0].parameters.excluded_domains[0] too_small'],
  [search({ excluded_domains: ['a'] }), '200'],
  [{ tools: [fn('')] }, 'tools[0].name too_small'],
  [{ tools: [fn('f')] }, '200'],
  [{ tools: [{}] }, 'tools[0].type invalid_type'],
  [{ tools: [{ type: 5 }] }, 'tools[0].type invalid_type'],
  [{ tools: [{ type: 'constructor' }] }, '200'],
  [{ tools: [fn('f')], tool_choice: fn('f') }, '200'],
  [{ tools: [fn('f')], tool_choice: fn('g') }, 'tool_choice.name unknown_tool'],
  [{ tool_choice: fn('f') }, 'tool_choice.name unknown_tool'],
  [posts({}), '200'],
  [posts('x'), 'x_search_filter invalid_type'],
  [posts({ allowed_x_handles: handles(10) }), '200'],
  [posts({ allowed_x_handles: handles(11) }), 'x_search_filter.allowed_x_handles too_big'],
  [posts({ excluded_x_handles: handles(10) }), '200'],
  [posts({ excluded_x_handles: handles(11) }), 'x_search_filter.excluded_x_handles too_big'],
  [posts({ allowed_x_handles: handles(1), excluded_x_handles: [] }), '200'],
  [
    posts({ allowed_x_handles: handles(1), excluded_x_handles: handles(1) }),
    'x_search_filter.excluded_x_handles mutually_exclusive',
  ],
  [
    posts({ allowed_x_handles: handles(1), excluded_x_handles: handles(1), to_date: 'today' }),
    'x_search_filter.to_date date, x_search_filter.excluded_x_handles mutually_exclusive',
  ],
  [posts({ from_date: '2025-06-30' }), '200'],
  [posts({ to_date: '2025-06-30' }), '200'],
  [posts({ from_date: null, to_date: '2025-06-30' }), '200'],
  [posts({ from_date: '2025-06-29', to_date: '2025-06-30' }), '200'],
  [posts({ from_date: '2025-06-30', to_date: '2025-06-30' }), '200'],
  [posts({ from_date: '2025-07-01', to_date: '2025-06-30' }), 'x_search_filter.from_date date_order'],
  [
    posts({ from_date: '2025-07-01', to_date: '2025-06-30', enable_image_understanding: 1 }),
    'x_search_filter.enable_image_understanding invalid_type, x_search_filter.from_date date_order',
  ],
  [posts({ from_date: '2025-07-01', to_date: '1' }), 'x_search_filter.to_date date'],
])('POST /responses validates %j: %s', async (fields, expected) => {
  expect(await resultOf(fields)).toBe(expected)
})

it.each<[fields: object, expected: string]>([
  [{ store: true }, '200'],
  [{ store: 1 }, 'store invalid_type'],
  [{ previous_response_id: null }, '200'],
  [{ previous_response_id: '' }, 'previous_response_id too_small'],
  [{ previous_response_id: 'r' }, 'previous_response_id previous_response_not_found'],
])('POST /responses with stored responses validates %j: %s', async (fields, expected) => {
  expect(await resultOf(fields, gateways.storing)).toBe(expected)
})
