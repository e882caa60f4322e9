/** A mistake in Understudy is a 500 that says so. It is never blamed on the request. */
import { format } from '@cfworker/json-schema'
import { afterAll, expect, it, vi } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

// Breaks the validator of generated values.
vi.spyOn(format, 'uuid').mockImplementation(() => {
  throw new RangeError('Invalid count value: -1')
})

afterAll(() => vi.restoreAllMocks())

const schema = { type: 'object', properties: { a: { type: 'string', format: 'uuid' } } }
const openapi = {
  openapi: '3.1.0',
  paths: { '/a': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } },
}
const messages = [{ role: 'user', content: 'Hi' }]
const tools = [{ type: 'function', function: { name: 'a', parameters: schema } }]

it.each<[string, object?]>([
  ['POST /responses', { input: 'Hi', text: { format: { type: 'json_schema', name: 'a', schema } } }],
  [
    'POST /responses',
    { input: 'Hi', stream: true, text: { format: { type: 'json_schema', name: 'a', schema } } },
  ],
  ['POST /chat/completions', { messages, tools, tool_choice: 'required' }],
  [
    'POST /messages',
    { messages, max_tokens: 9, tools: [{ name: 'a', input_schema: schema }], tool_choice: { type: 'any' } },
  ],
  ['GET /a'],
])('%s %j reports a mistake in Understudy', async (line, fields) => {
  const gateway = createGateway({ openapi })
  const reply = await call(gateway, line, fields && { body: { model: 'a/b', ...fields } })
  expect(reply.status).toBe(500)
  expect(reply.body.error.message).toBe('Bug in Understudy: Invalid count value: -1')
  const [entry] = gateway.journal.entries()
  expect(entry?.warnings[0]).toMatch(/^RangeError: Invalid count value: -1\n +at \S+ .*bugs\.test\.ts/)
})
