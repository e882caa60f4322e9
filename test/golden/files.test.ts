/**
 * Tests that a saved sandbox in the current file format loads and continues unchanged, and that the OpenAPI
 * documents are unchanged. After an intended change to a document: `npx vitest run -u --project quick
 * test/golden/files`.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createGateway, type JournalEntry } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { expectFile } from './expect-golden.ts'
import { baseUrl } from './transports.ts'

const here = (name: string) => new URL(name, import.meta.url)

it.each([
  ['api', '/openapi.json'],
  ['control', '/__understudy/openapi.json'],
])('the OpenAPI document in documents/%s.json is unchanged', async (name, path) => {
  await using server = await startServer()
  const document = await (await fetch(server.url + path)).json()
  // Other tests cover descriptions.
  const withoutSentences = (name: string, value: unknown) =>
    name === 'description' && typeof value === 'string' ? undefined : value
  await expectFile(`${JSON.stringify(document, withoutSentences, 1)}\n`, here(`documents/${name}.json`))
})

it('a saved sandbox continues from its file', async () => {
  const file = JSON.parse(readFileSync(here('sandbox.json'), 'utf8'))
  const gateway = createGateway({ timeScale: 0 })
  const sandbox = await gateway.openSandbox(file)
  const comparable = ({ id, status, reason, body, replyHeaders, replyBody, assumptions }: JournalEntry) => {
    return { id, status, reason, body, replyHeaders, replyBody, assumptions }
  }
  expect(sandbox.journal.entries().map(comparable)).toEqual(file.calls.map(comparable))
  const weather = {
    type: 'function_call',
    call_id: 'call_2b099824e54c30cd',
    name: 'weather',
    arguments: '{}',
  }
  const output = { type: 'function_call_output', call_id: 'call_2b099824e54c30cd', output: '8 °C' }
  const input = [{ role: 'user', content: 'Weather?' }, weather, output]
  const calls: [string, string, object?][] = [
    ['GET', '/providers'],
    ['GET', '/providers'],
    ['GET', '/presets/code-review'],
    ['PATCH', '/workspaces/production', {}],
    ['POST', '/responses', { model: 'aurora/dawn-2', input }],
    ['GET', '/nothing'],
  ]
  const lines: unknown[] = []
  for (const [method, path, body] of calls) {
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
    const reply = await gateway.fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) })
    lines.push([reply.status, reply.headers.get('x-request-id'), await reply.text()])
  }
  lines.push(sandbox.journal.explain(file.calls[1].id), sandbox.clock.read(), sandbox.scripts())
  await expectFile(
    `${lines.map((line) => JSON.stringify(line, null, 1)).join('\n')}\n`,
    here('sandbox.continued.txt'),
  )
})
