/**
 * Snapshot of replies in a dialect. Update it with `vitest run -u test/extras/dialects`.
 */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

async function post(gateway: ReturnType<typeof createGateway>, path: string, body: object): Promise<string> {
  return (await call(gateway, `POST ${path}`, { body })).text
}

it('a dialect returns the same bytes for a seed', async () => {
  const gateway = createGateway({ dialect: 'openrouter' })
  const chat = { model: 'aurora/dawn-2', messages: [{ role: 'user', content: 'How do tides work?' }] }
  const tools = [{ type: 'function', function: { name: 'search', parameters: { type: 'object' } } }]
  const replies = [
    await post(gateway, '/responses', { model: 'aurora/dawn-2', input: 'How do tides work?' }),
    await post(gateway, '/chat/completions', chat),
    await post(gateway, '/chat/completions', {
      ...chat,
      n: 2,
      max_tokens: 3,
      logprobs: true,
      top_logprobs: 2,
    }),
    await post(gateway, '/chat/completions', { ...chat, tools, tool_choice: 'required' }),
    await post(gateway, '/chat/completions', {
      ...chat,
      stream: true,
      stream_options: { include_usage: true },
    }),
    await post(gateway, '/messages', { ...chat, max_tokens: 20 }),
    await post(gateway, '/messages', { ...chat, max_tokens: 200, stream: true }),
    await post(gateway, '/embeddings', {
      model: 'aurora/vector-1',
      input: ['tides', 'the tides'],
      dimensions: 4,
    }),
  ]
  for (const path of ['/models', '/models/count', '/models/aurora/dawn-2/endpoints', '/key', '/credits'])
    replies.push((await call(gateway, `GET ${path}`)).text)
  const headers = { 'x-openrouter-metadata': 'enabled' }
  const models = ['aurora/dawn-2', 'borealis/polar-1']
  for (const stream of [false, true])
    for (const asked of [{ models }, { model: models[1] }]) {
      const body = { ...asked, input: 'How do tides work?', max_output_tokens: 16, stream }
      replies.push((await call(gateway, 'POST /responses', { body, headers })).text)
    }
  const domains = { allowed_domains: ['a.example'], excluded_domains: ['b.example'] }
  for (const parameters of [
    undefined,
    {},
    { max_results: 2 },
    ...Object.entries(domains).map((each) => Object.fromEntries([each])),
  ]) {
    const tools = [{ type: 'openrouter:web_search', parameters }]
    const body = { model: models[0], input: 'Hello', max_output_tokens: 16, tools, tool_choice: 'none' }
    const reply = (await call(gateway, 'POST /responses', { body })).body
    replies.push(JSON.stringify([reply.tools, reply.error]))
  }
  await expect(`${replies.join('\n')}\n`).toMatchFileSnapshot('./pinned.txt')
})
