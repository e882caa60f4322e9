import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { connectGateway } from '../../../src/remote.ts'
import { startServer } from '../../../src/serve.ts'
import '../../../src/verdicts.ts'

const local = { baseUrl: 'https://gateway.example/api/v1', apiKey: 'key' }
const valid = { input: 'Why do tides come twice a day?' }
const orphan = { input: [{ type: 'function_call_output', call_id: 'gone', output: '1' }] }
const problem = 'POST /api/v1/responses, call 2: input: No tool call found for function call output'

async function send({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, body: object, to = fetch) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const text = JSON.stringify({ model: 'aurora/dawn-2', ...body })
  await to(`${baseUrl}/responses`, { method: 'POST', headers, body: text })
}

describe('toHaveSentValidRequests', () => {
  it.each([false, true])('names the call and the rule that it breaks (strict: %s)', async (strict) => {
    const gateway = createGateway({ strict })
    await send(local, valid, gateway.fetch)
    expect(gateway).toHaveSentValidRequests()
    await send(local, orphan, gateway.fetch)
    expect(gateway).not.toHaveSentValidRequests()
    expect(() => expect(gateway).toHaveSentValidRequests()).toThrow(problem)
  })

  it("reads a model's window from its record, and counts fewer tokens than the usage", async () => {
    const gateway = createGateway()
    const ask = (words: number) =>
      send(local, { model: 'acme/tide-1', input: 'tide '.repeat(words) }, gateway.fetch)
    await ask(1500)
    await gateway.db.models.create({ id: 'acme/tide-1', context_length: 1000 })
    await ask(1300)
    expect(gateway).toHaveSentValidRequests()
    await ask(1500)
    expect(() => expect(gateway).toHaveSentValidRequests()).toThrow('exceeds the context window')
  })

  it('names a request that the gateway refuses, unless a rule did', async () => {
    const gateway = createGateway()
    expect(() => expect(gateway).not.toHaveSentValidRequests()).toThrow('no request was checked')
    gateway.fail(400, { times: 1 })
    await send(local, valid, gateway.fetch)
    expect(() => expect(gateway).toHaveSentValidRequests()).toThrow('no request was checked')
    await send(local, valid, gateway.fetch)
    expect(gateway).toHaveSentValidRequests()
    await send(local, {}, gateway.fetch)
    expect(() => expect(gateway).toHaveSentValidRequests()).toThrow(
      'call 3: refused with 400: input: is required',
    )
  })

  it('refuses to judge with onlySpecified, which disables the rules', async () => {
    const gateway = createGateway({ onlySpecified: true })
    await send(local, orphan, gateway.fetch)
    expect(() => expect(gateway).toHaveSentValidRequests()).toThrow(
      'no request was checked. None is if a recording, a body, frames or an error reply, or with `onlySpecified`',
    )
  })

  it('judges a sandbox of a server', async () => {
    const server = await startServer({ port: 0 })
    try {
      const sandbox = await (await connectGateway(server.url)).createSandbox()
      await send(sandbox, valid)
      await send(sandbox, orphan)
      await expect(expect(sandbox).toHaveSentValidRequests()).rejects.toThrow(
        '(rule tool-result-without-call)',
      )
    } finally {
      await server.close()
    }
  })
})
