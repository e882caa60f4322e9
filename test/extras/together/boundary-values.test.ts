/** Tests boundary values of request fields outside the specification: the last valid and the first invalid value. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

const gateway = createGateway({ timeScale: 0 })

/** Returns '200', or the violations as `n too_big` or `400 n`. */
async function resultOf(path: string, body: object): Promise<string> {
  const reply = await call(gateway, `POST ${path}`, { body })
  if (reply.status === 200) return '200'
  const { error } = reply.body
  const violations: { path: string; rule: string }[] | undefined = error.metadata?.violations
  // POST /messages has a different error envelope, without a list of violations.
  if (!violations) return `${reply.status} ${error.message.split(':')[0]}`
  return violations.map(({ path, rule }) => `${path.replace('body.', '')} ${rule}`).join(', ')
}

const model = 'aurora/dawn-2'
const user = { role: 'user', content: 'Hello' }
const fn = (name: string) => ({ type: 'function', function: { name } })
const forced = (name: string) => ({ type: 'function', function: { name } })
const models = (length: number) => Array.from({ length }, () => 'borealis/polar-1')

describe('POST /chat/completions', () => {
  it.each<[fields: object, expected: string]>([
    [{}, '200'],
    [{ messages: [] }, 'messages too_small'],
    [{ model: undefined }, 'model required'],
    [{ model: undefined, models: null }, 'model required'],
    [{ model: undefined, models: [model] }, '200'],
    [{ models: [] }, 'models too_small'],
    [{ models: models(20) }, '200'],
    [{ models: models(21) }, 'models too_big'],
    [{ max_tokens: 1 }, '200'],
    [{ max_tokens: 0 }, 'max_tokens too_small'],
    [{ max_tokens: 1.5 }, 'max_tokens invalid_type'],
    [{ max_completion_tokens: 1 }, '200'],
    [{ max_completion_tokens: 0 }, 'max_completion_tokens too_small'],
    [{ n: 1 }, '200'],
    [{ n: 0 }, 'n too_small'],
    [{ n: 128, max_tokens: 1 }, '200'],
    [{ n: 129 }, 'n too_big'],
    [{ stop: ['a', 'b', 'c', 'd'] }, '200'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop too_big'],
    [{ logprobs: true, top_logprobs: 0 }, '200'],
    [{ logprobs: true, top_logprobs: 20 }, '200'],
    [{ top_logprobs: -1 }, 'top_logprobs too_small'],
    [{ top_logprobs: 21 }, 'top_logprobs too_big'],
    [{ tools: [fn('f')] }, '200'],
    [{ tools: [fn('')] }, 'tools[0].function.name too_small'],
    [{ tools: [fn('f')], tool_choice: forced('f') }, '200'],
    [{ tools: [fn('f')], tool_choice: forced('g') }, 'tool_choice.function.name unknown_tool'],
    [{ tool_choice: forced('f') }, 'tool_choice.function.name unknown_tool'],
    [{ tools: null, tool_choice: forced('f') }, 'tool_choice.function.name unknown_tool'],
    [{ tools: [fn('f')], tool_choice: 'required' }, '200'],
    [{ tool_choice: 'none' }, '200'],
    [{ tool_choice: { type: 'own' } }, 'tool_choice toolChoice'],
  ])('validates %j: %s', async (fields, expected) => {
    expect(await resultOf('/chat/completions', { model, messages: [user], ...fields })).toBe(expected)
  })
})

describe('POST /messages', () => {
  const tool = { name: 'f', input_schema: { type: 'object' } }
  const search = (fields: object) => [{ type: 'web_search_20250305', name: 'web_search', ...fields }]
  it.each<[fields: object, expected: string]>([
    [{}, '200'],
    [{ messages: [] }, '400 messages'],
    [{ max_tokens: undefined }, '400 max_tokens'],
    [{ max_tokens: 1 }, '200'],
    [{ max_tokens: 0 }, '400 max_tokens'],
    [{ models: models(20) }, '200'],
    [{ models: models(21) }, '400 models'],
    [{ thinking: { type: 'enabled', budget_tokens: 1 } }, '200'],
    [{ thinking: { type: 'enabled', budget_tokens: 0 } }, '400 thinking.budget_tokens'],
    [{ tools: [tool], tool_choice: { type: 'tool', name: 'f' } }, '200'],
    [{ tools: [tool], tool_choice: { type: 'tool', name: 'g' } }, '400 tool_choice.name'],
    [{ tool_choice: { type: 'tool', name: 'f' } }, '400 tool_choice.name'],
    [{ tools: [tool], tool_choice: { type: 'any' } }, '200'],
    [{ tools: [{ ...tool, name: '' }] }, '400 tools[0].name'],
    [{ tools: [{ ...tool, name: undefined }] }, '400 tools[0].name'],
    [{ tools: search({ max_uses: 1 }) }, '200'],
    [{ tools: search({ max_uses: 0 }) }, '400 tools[0].max_uses'],
    [{ tools: search({ allowed_domains: ['a'] }) }, '200'],
    [{ tools: search({ allowed_domains: [''] }) }, '400 tools[0].allowed_domains[0]'],
    [{ tools: search({ blocked_domains: ['a'] }) }, '200'],
    [{ tools: search({ blocked_domains: [''] }) }, '400 tools[0].blocked_domains[0]'],
  ])('validates %j: %s', async (fields, expected) => {
    expect(await resultOf('/messages', { model, max_tokens: 9, messages: [user], ...fields })).toBe(expected)
  })
})

describe('POST /embeddings', () => {
  const texts = (length: number) => Array.from({ length }, () => 'a')
  it.each<[name: string, fields: object, expected: string]>([
    ['one string', { input: 'a' }, '200'],
    ['no strings', { input: [] }, 'input too_small'],
    ['a list of one string', { input: ['a'] }, '200'],
    ['one token', { input: [1] }, '200'],
    ['one list of one token', { input: [[1]] }, '200'],
    ['an empty list of tokens', { input: [[]] }, 'input[0] too_small'],
    ['1 dimension', { input: 'a', dimensions: 1 }, '200'],
    ['3,146,000 values in total', { input: texts(1000), dimensions: 3146 }, 'input too_big'],
    ['2,048 strings', { input: texts(2048), dimensions: 1 }, '200'],
    ['2,049 strings', { input: texts(2049), dimensions: 1 }, 'input too_big'],
    ['tokens', { input: [1, 2] }, '200'],
    ['2,048 lists of tokens', { input: texts(2048).map(() => [1]), dimensions: 1 }, '200'],
    ['2,049 lists of tokens', { input: texts(2049).map(() => [1]), dimensions: 1 }, 'input too_big'],
    ['0 dimensions', { input: 'a', dimensions: 0 }, 'dimensions too_small'],
    ['8,192 dimensions', { input: 'a', dimensions: 8192 }, '200'],
    ['8,193 dimensions', { input: 'a', dimensions: 8193 }, 'dimensions too_big'],
    ['an unknown encoding', { input: 'a', encoding_format: 'hex' }, 'encoding_format invalid_value'],
  ])('validates %s', async (_, fields, expected) => {
    expect(await resultOf('/embeddings', { model: 'aurora/vector-1', ...fields })).toBe(expected)
  })
})
