/** Tests calls that the remote client exports as a curl command or as a test. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectGateway, type RemoteSandbox } from '../../../src/remote.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call, open } from '../../call.ts'
import { raw, request } from '../../server/raw.ts'
import { curlCalls, runTest } from './run-snippets.ts'

let server: RunningServer
let sandbox: RemoteSandbox
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
})
beforeEach(async () => {
  sandbox = await (await connectGateway(server.url)).createSandbox()
})
afterAll(() => server.close())

const ask = (input: string, more: object = {}) =>
  call(sandbox, 'POST /responses', { body: { model: 'aurora/dawn-2', input, ...more } })
const get = (path: string) => open(sandbox, `GET ${path}`)

describe('calls', () => {
  it.each(['curl', 'vitest', 'playwright'] as const)(
    'are exported as %s with the relevant headers and no secrets',
    async (as) => {
      const headers = { 'x-api-key': 'hunter3', 'x-own': 'kept', 'x-stainless-os': 'x' }
      await call({ baseUrl: sandbox.baseUrl, apiKey: 'hunter2' }, 'GET /providers', { headers })
      const text = await sandbox.journal.exportAs((await sandbox.journal.last('listProviders'))?.id ?? '', as)
      expect(text).toContain('x-own')
      expect(text).not.toMatch(/hunter|x-stainless/)
    },
  )

  it('are exported as a curl command with correct shell quoting', async () => {
    await ask("It's $HOME \\ `here`")
    const [{ id } = { id: '' }] = (await sandbox.journal.entries()).slice(-1)
    const text = await sandbox.journal.exportAs(id, 'curl')
    expect(text).toContain(`curl -X POST '${sandbox.baseUrl}/responses'`)
    expect(text).toContain(`-H 'authorization: Bearer ${sandbox.apiKey}'`)
    expect(text).toContain("It'\\''s $HOME")
  })

  it('are exported as a test with the matched rule', async () => {
    await sandbox.fail(529, { times: 1 })
    await ask('Hello')
    const [{ id } = { id: '' }] = (await sandbox.journal.entries()).slice(-1)
    const text = await sandbox.journal.exportAs(id, 'vitest')
    expect(text).toContain("import { expect, test } from 'gateway-understudy/vitest'")
    expect(text).toContain("sandbox.use({ on: 'createResponse', fault: { name: 'status', status: 529, ")
    expect(text).toContain('expect(response.status).toBe(529)')
  })

  it('are exported as a test with the values of the rate limit that the call exceeded', async () => {
    await sandbox.use({ on: 'createResponse', rateLimit: { requests: 1, per: '10s' } })
    await ask('1')
    const { headers } = await ask('2')
    expect(headers.get('retry-after')).toBe('10')
    const [{ id } = { id: '' }] = (await sandbox.journal.entries()).slice(-1)
    const text = await sandbox.journal.exportAs(id, 'vitest')
    const [, limit, retryAfterMs] = /limit: (\d+), retryAfterMs: (\d+)/.exec(text) ?? []
    expect([limit, retryAfterMs]).toEqual(['1', '10000'])
  })

  it('are exported as a test that expects a body in the same format', async () => {
    const exported = async () => {
      const [{ id } = { id: '' }] = (await sandbox.journal.entries()).slice(-1)
      return sandbox.journal.exportAs(id, 'vitest')
    }
    await ask('Hello')
    expect(await exported()).toContain(
      "expect(await response.json()).toMatchObject({ object: 'response', model: 'aurora/dawn-2' })",
    )
    await ask('Hello', { model: '' })
    expect(await exported()).toContain('.toMatchObject({ error: { code: 400 } })')
    await ask('Hello', { stream: true })
    expect(await exported()).toContain("expect(await response.text()).toContain('[DONE]')")
    await sandbox.use({ on: 'createResponse', times: 1, fault: 'stream-error-event' })
    await ask('Hello', { stream: true })
    expect(await exported()).toContain(`.text()).toContain('"type":"response.failed"')`)
    await sandbox.use({ on: 'createResponse', times: 1, fault: 'malformed-body' })
    await ask('Hello')
    expect(await exported()).toContain(`.text()).toContain('{"data":[{"id":')`)
    await sandbox.reply('Whales sing.')
    const messages = [{ role: 'user', content: 'Hello' }]
    await call(sandbox, 'POST /messages', { body: { model: 'a/b', max_tokens: 9, messages, stream: true } })
    expect(await exported()).toContain(`.text()).toContain('"Whales"')`)
  })

  it.each(['/responses', '/chat/completions', '/messages'])(
    'to POST %s are exported as a test that expects the scripted function call',
    async (path) => {
      const args = { city: 'Lisbon' }
      await sandbox.use({
        on: 'text',
        reply: { output: [{ type: 'function_call', name: 'look_up', arguments: JSON.stringify(args) }] },
      })
      const messages = [{ role: 'user', content: 'Hi' }]
      const input = path === '/responses' ? { input: 'Hi' } : { messages, max_tokens: 99 }
      for (const stream of [false, true]) {
        await call(sandbox, `POST ${path}`, { body: { model: 'aurora/dawn-2', ...input, stream } })
        const [{ id, responseBody } = { id: '', responseBody: { text: '' } }] = (
          await sandbox.journal.entries()
        ).slice(-1)
        const code = await sandbox.journal.exportAs(id, 'vitest')
        const [, part = 'none'] = /toContain\('("name":"look_up",.+)'\)/.exec(code) ?? []
        expect(responseBody.text).toContain(part.replaceAll('\\\\', '\\'))
        if (!stream) expect(part).toContain('Lisbon')
      }
    },
  )

  it('are exported as a runnable test even if the path is unknown', async () => {
    await get('/provider')
    const [{ id } = { id: '' }] = (await sandbox.journal.entries()).slice(-1)
    // With interception, the request would be passed through to the application.
    expect(await sandbox.journal.exportAs(id, 'vitest')).toMatch(/ = await gateway\.fetch\(`.*\/provider`, /)
    expect(await sandbox.journal.exportAs(id, 'playwright')).toMatch(/ = await fetch\(`.*\/provider`, /)
  })

  it('are exported with hostile paths, headers and bodies as literals', async () => {
    const hostile = "it's`id`$(id)$" + '{1}\\u2028</script>'
    const { host, port, origin } = new URL(server.url)
    const head = { host, authorization: `Bearer ${sandbox.apiKey}`, connection: 'close', 'x-own': hostile }
    const targets = [`/api/v1/${hostile}`, `/${hostile}`, '//evil.example/x', '/\\evil.example']
    for (const target of targets) await raw(Number(port), request(`GET ${target}`, head)).closed()
    await call(sandbox, 'POST /x', {
      body: `\x03\nid\n${hostile}`,
      headers: { 'content-type': 'text/plain' },
    })
    const calls = await sandbox.journal.entries()
    expect(calls).toHaveLength(1 + targets.length)
    const exported = (as: 'curl' | 'vitest') =>
      Promise.all(calls.map(({ id }) => sandbox.journal.exportAs(id, as)))
    const commands = curlCalls(await exported('curl'))
    expect(commands).toHaveLength(calls.length)
    for (const [place, code] of (await exported('vitest')).entries()) {
      const { url, init } = await runTest(code, { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })
      const command = commands[place] ?? []
      expect([new URL(url).origin, command.some((word) => word === url)]).toEqual([origin, true])
      expect(init.headers['x-own'] ?? hostile).toBe(hostile)
      expect(init.body).toBe(calls[place]?.method === 'POST' ? `\x03\nid\n${hostile}` : undefined)
    }
  })
})
