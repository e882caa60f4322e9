import { beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { operations } from '../../src/operations/index.ts'
import { check, inner, passes } from '../../src/resources/check.ts'

const createResponse = operations.find(({ id }) => id === 'createResponse')?.body as z.ZodType
const updateWorkspace = operations.find(({ id }) => id === 'updateWorkspace')?.body as z.ZodType

const ask = { model: 'aurora/large', input: 'Hi' }
const message = { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }

const cases: ReadonlyArray<[name: string, schema: z.ZodType, value: unknown]> = [
  ['a plain request', createResponse, ask],
  ['one with fields that nobody knows', createResponse, { ...ask, beyond: { the: ['specification'] } }],
  ['a conversation', createResponse, { ...ask, input: [message, { ...message, role: 'assistant' }] }],
  ['no input', createResponse, { model: 'aurora/large' }],
  ['a list of nothing', createResponse, { ...ask, input: [] }],
  ['a part of no kind', createResponse, { ...ask, input: [{ ...message, content: [{ type: 'poem' }] }] }],
  ['a model without a vendor', createResponse, { ...ask, model: 'large', max_output_tokens: 0 }],
  ['what is not stored', createResponse, { ...ask, store: true, previous_response_id: 'resp_1' }],
  [
    'tools, of which one is wrong',
    createResponse,
    { ...ask, tools: [{ type: 'gateway:web_search', parameters: { max_results: 26 } }, { type: 'other' }] },
  ],
  [
    'the choice of a tool that is not there',
    createResponse,
    { ...ask, tool_choice: { type: 'function', name: 'a' } },
  ],
  [
    'filters that exclude each other',
    createResponse,
    {
      ...ask,
      x_search_filter: {
        allowed_x_handles: ['a'],
        excluded_x_handles: ['b'],
        from_date: '2025-02-01',
        to_date: '2025-01-01',
      },
    },
  ],
  [
    'a filter with a wrong day',
    createResponse,
    { ...ask, x_search_filter: { from_date: 'May', to_date: '2025-01-01' } },
  ],
  ['no object at all', createResponse, 'Hi'],
  ['changes', updateWorkspace, { name: 'New', slug: 'new-one', io_logging_sampling_rate: 0.5, more: 1 }],
  ['a long name of emoji', updateWorkspace, { name: '👩'.repeat(100) }],
  [
    'one that is too long',
    updateWorkspace,
    { name: '👩'.repeat(101), slug: 'A', io_logging_sampling_rate: 2 },
  ],
]

describe('a schema that is asked often', () => {
  beforeAll(async () => {
    for (const schema of [createResponse, updateWorkspace]) {
      for (let use = 0; use < 1100; use++) check(schema, {})
    }
    await import('../../src/resources/compile.ts')
  })

  it.each(cases)('says the same of %s', (_name, schema, value) => {
    const expected = inner(schema).safeParse(value)
    const found = check(schema, value)
    expect(found.success).toBe(expected.success)
    expect(found.data).toEqual(expected.data)
    expect(found.error?.issues).toEqual(expected.error?.issues)
    expect(passes(schema, value)).toBe(expected.success)
  })

  it('hands out a copy, as it did before', () => {
    const value = { ...ask }
    expect(check(createResponse, value).data).not.toBe(value)
  })
})

it('goes past the schema itself by then', async () => {
  const schema = z.strictObject({ name: z.string() })
  const run = vi.spyOn(schema._zod, 'run')
  for (let use = 0; use < 1100; use++) check(schema, { name: '' })
  await import('../../src/resources/compile.ts')
  expect(run).toHaveBeenCalled()
  run.mockClear()
  expect(check(schema, { name: '' }).success).toBe(true)
  expect(passes(schema, { name: 1 })).toBe(false)
  expect(run).not.toHaveBeenCalled()
})
