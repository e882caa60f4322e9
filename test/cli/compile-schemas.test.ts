import { describe, expect, it } from 'vitest'
import { compileSchemas } from '../../src/cli/compile-schemas.ts'
import { createGateway } from '../../src/index.ts'
import { operations } from '../../src/operations/index.ts'
import { call } from '../call.ts'

const model = 'aurora/large'
const requests: [method: string, path: string, body: object][] = [
  ['POST', '/responses', { model, input: 'Hello' }],
  ['POST', '/responses', { model, input: [{ role: 'user', content: 'Hello' }], metadata: { a: '1' } }],
  ['POST', '/responses', { model, input: [], max_output_tokens: 0, stream: 'yes', store: true }],
  ['POST', '/responses', { model: 'large', input: 7, tools: [{ type: 'function' }], tool_choice: {} }],
  ['PATCH', '/workspaces/production', { name: 'Moved', unknown: 1 }],
  ['PATCH', '/workspaces/production', { name: '', slug: 'Not A Slug', description: 7 }],
]

async function answers(): Promise<unknown[]> {
  const gateway = createGateway()
  return Promise.all(
    requests.map(async ([method, path, body]) => {
      const reply = await call(gateway, `${method} ${path}`, { body })
      return [reply.status, [...reply.headers], reply.body]
    }),
  )
}

describe('compiled schemas', () => {
  it('accept and reject the same values as before compilation', async () => {
    const before = await answers()
    await compileSchemas(operations)
    expect(await answers()).toEqual(before)
    expect(before.map((answer) => (answer as [number])[0])).toEqual([200, 200, 400, 400, 200, 400])
  })
})
