/**
 * Snapshot of a sandbox's replies with the `resources` extension. Update it with `vitest run -u test/extras/resources`.
 */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

it('workspaces, presets, keys, activity and generations match the snapshot', async () => {
  const gateway = createGateway({ timeScale: 0, extensions: ['chat', 'messages', 'account', 'resources'] })
  const sandbox = gateway.createSandbox({ id: 'pinned' })
  const lines: string[] = []
  const ask = async (line: string, body?: object, apiKey = sandbox.apiKey) => {
    const target = {
      fetch: gateway.fetch,
      apiKey,
      baseUrl: 'https://gateway.example/sandboxes/pinned/api/v1',
    }
    const reply = await call(target, line, body ? { body } : {})
    lines.push(`${line}${body ? ` ${JSON.stringify(body)}` : ''}`, `  ${reply.status} ${reply.text}`)
    const assumptions = reply.headers.get('x-understudy-assumptions')
    for (const warning of sandbox.journal.entries().at(-1)?.warnings ?? [])
      lines.push(`  warning: ${warning}`)
    if (reply.status >= 400) lines.push(`  ${assumptions}: ${sandbox.journal.entries().at(-1)?.reason}`)
    return reply.body
  }
  const model = 'aurora/dawn-2'
  const chat = (key: string, content: string) =>
    call({ fetch: gateway.fetch, apiKey: key }, 'POST /chat/completions', {
      body: { model, messages: [{ role: 'user', content }] },
    })

  // Two calls in January, before Monday, 26 January, and on it; then one each on Saturday, 31 January, and Sunday.
  const { key, data } = await ask('POST /keys', { name: 'Used', limit: 0.5, limit_reset: 'weekly' })
  for (const [wait, text] of [
    ['23d', 'a'],
    ['2d', 'a longer one'],
    ['5d', 'an even longer question'],
    ['1d', 'the longest question of all four questions'],
  ] as const) {
    sandbox.clock.advance(wait)
    await chat(key, text)
    await ask(`GET /keys/${data.hash}`)
  }
  await ask('GET /activity')
  await ask('GET /activity?group_by=workspace&date=2026-02-01')
  sandbox.clock.advance('25d')
  await ask('GET /activity?workspace_id=11111111-1111-4111-8111-111111111111')

  await ask('POST /workspaces', { name: 'Tides', slug: 'tides' })
  await ask('GET /workspaces?limit=1')
  await ask('GET /workspaces?offset=1')
  await ask('GET /workspaces?limit=0')
  await ask('DELETE /workspaces/production')
  await ask('POST /workspaces', { name: 'Again', slug: 'tides' })

  await ask('POST /keys', {
    name: 'Whole',
    limit: null,
    include_byok_in_limit: true,
    expires_at: '2027-01-01T00:00:00Z',
    creator_user_id: 'me',
    workspace_id: '11111111-1111-4111-8111-111111111111',
    external: { user: 'someone' },
  })
  await ask('POST /keys', { name: 'Lost', workspace_id: '99999999-9999-4999-8999-999999999999' })
  await ask('GET /keys/none')

  await ask('POST /presets/brief/messages', {
    model,
    messages: [],
    system: [{ text: 'A' }, {}, { text: 'B' }],
  })
  await ask('POST /presets/brief/responses', { model, temperature: null, text: {} })
  await ask('GET /presets?limit=2')
  await ask('GET /presets/brief/versions?limit=1')
  await ask('GET /presets/breif/versions')
  await ask('GET /presets/brief/versions/9')
  await ask('POST /presets/brief/messages', {})

  sandbox.reply('The moon pulls.')
  const generations = [
    ['POST /responses', { input: 'Why tides?' }],
    ['POST /responses', { input: [{ role: 'user', content: 'Why tides?' }] }],
    ['POST /messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Why tides?' }] }],
  ] as const
  for (const [line, body] of generations)
    for (const stream of [false, true]) {
      const target = { fetch: gateway.fetch, apiKey: sandbox.apiKey }
      const { text } = await call(target, line, { body: { model, stream, ...body } })
      await ask(`GET /generation/content?id=${/"id":"(\w+[-_]\w+)"/.exec(text)?.[1]}`)
    }
  await ask('POST /generation/feedback', { generation_id: 'none', category: 'other' })

  await ask('POST /rerank', { model, query: 'tides', documents: ['The tides.', { image: 'a.png' }] })
  await ask('POST /rerank', { model: 'none/none', query: 'tides', documents: ['The tides.'], top_n: 1 })
  await ask('GET /activity?date=2026-02-26')
  await ask('GET /models/user?offset=1000')
  await ask('GET /models/user?offset=19&limit=1')
  await ask('POST /credits/coinbase', {})
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./pinned.txt')
})
