/**
 * Programs with one mistake each, which cover every public function. The compiler must report each mistake at
 * the right place, with a message that leads to the fix.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { inProject } from './project.ts'

/** Declarations shared by all programs. */
const before = `
import { createGateway, defineOperation, defineScenario, eventStream, json, journalText, ok, parseScenario, parseRecording, type Rule, type Scenario, type When } from 'gateway-understudy'
import { handlers } from 'gateway-understudy/msw'
import { intercept } from 'gateway-understudy/node'
import { defineConfig } from '@playwright/test'
import { test as playwright } from 'gateway-understudy/playwright'
import { connectGateway } from 'gateway-understudy/remote'
import { startServer } from 'gateway-understudy/serve'
import { expect, test } from 'gateway-understudy/vitest'
import * as z from 'zod'
const gateway = createGateway()
const remote = await connectGateway('http://127.0.0.1:4141')
const Id = z.object({ id: z.string() })
`

/** One-line programs. */
export const invalidPrograms: readonly string[] = [
  // Rules for use().
  `gateway.use({ on: 'createRespons', fault: 'timeout' })`,
  `gateway.use({ on: '*', fault: 'stream-cutt' })`,
  `gateway.use({ on: '*', when: { modle: 'aurora/*' }, fault: 'timeout' })`,
  `gateway.use({ on: '*', when: { input: /tides/ }, fault: 'timeout' })`,
  `gateway.use({ on: 'createResponse', fault: { name: 'stream-cut', at: 3 } })`,
  `gateway.use({ on: '*', fault: { name: 'latency', ms: true } })`,
  `gateway.use({ on: '*', fault: 'timeout', tims: 2 })`,
  `gateway.use({ onn: '*', fault: 'timeout' })`,
  `gateway.use({ on: '*', script: [{ text: 'Hello' }], onEdn: 'fail' })`,
  `gateway.use({ on: '*', rateLimit: { requests: 3 } })`,
  `gateway.use([{ on: '*', fault: 'timeout' }])`,
  `gateway.use({ on: '*', fault: 'timeout' }, { on: 'listProvider', fault: 'timeout' })`,
  `gateway.use({ name: 'busy', rules: [{ on: '*', fault: 'tiemout' }] })`,
  `gateway.use({ on: 'createResponse', reply: { txt: 'Hello' } })`,
  `gateway.use({ on: 'createResponse', reply: { output: [{ type: 'function_cal', name: 'search' }] } })`,
  `gateway.use(503)`,
  `defineScenario({ name: 'busy', rules: [{ on: 'createRespons', fault: 'timeout' }] })`,
  `parseScenario({ on: '*', fault: 'timeout' }, 'busy')`,
  // Everyday rules.
  `gateway.reply('Hello', { time: 2 })`,
  `gateway.reply(({ requst }) => requst.path)`,
  `gateway.fail('503')`,
  `gateway.fail(503, 2)`,
  `gateway.fail(503, { on: 'listProvider' })`,
  `gateway.script([{ calls: { search: { q: 'tides' } } }])`,
  `gateway.script({ text: 'Hello' })`,
  // Sandbox state.
  `gateway.journal.calls('createRespons')`,
  `gateway.journal.calls('createResponse', { body: { modle: 'aurora/dawn-1' } })`,
  `gateway.journal.last('createRespons')`,
  `gateway.journal.waitFor('createResponse', 2)`,
  `gateway.journal.explain(gateway.journal.last('createResponse'))`,
  `gateway.db.provider.list()`,
  `gateway.db.workspaces.update('production', { nam: 'Production' })`,
  `gateway.db.providers.list({ slg: 'aurora' })`,
  `gateway.clock.advance('1 minute')`,
  `gateway.restore('s1-1')`,
  // Gateways and sandboxes.
  `createGateway({ latancy: 7 })`,
  `createGateway({ onlySpecified: 'yes' })`,
  `createGateway({ dialect: 'openruter' })`,
  `createGateway({ fixtures: { providers: [{ nam: 'Aurora' }] } })`,
  `createGateway({ limits: { sandboxs: 3 } })`,
  `createGateway({ operations: [{ id: 'getReport' }] })`,
  `gateway.createSandbox({ fixture: {} })`,
  `gateway.run('s1', () => {})`,
  `handlers(gateway, 'createResponses')`,
  `intercept(gateway, { onUnhandledRequests: 'error' })`,
  `intercept(gateway, { onUnhandledRequest: 'eror' })`,
  // Custom operations.
  `defineOperation({ id: 'getReport', method: 'gets', path: '/reports/{id}', output: Id, resolve: () => ok({ id: '1' }) })`,
  `defineOperation({ id: 'getReport', method: 'get', path: '/reports/{id}', output: Id, resolve: () => json(200, { id: 1 }) })`,
  `defineOperation({ id: 'getReport', method: 'get', path: '/reports/{id}', input: { params: Id }, output: Id, resolve: ({ params }) => ok({ id: params.key }) })`,
  `gateway.use({ on: 'getReport', fault: 'timeout' })`,
  // Other entries.
  `connectGateway({ url: 'http://127.0.0.1:4141' })`,
  `connectGateway('http://127.0.0.1:4141', { tokn: 'x' })`,
  `remote.use({ on: 'createRespons', fault: 'timeout' })`,
  `remote.reply(() => 'Hello')`,
  `remote.clock.advanse('1m')`,
  `remote.db.provider.list()`,
  `remote.journal.exportAs('c1', 'crul')`,
  `startServer({ prt: 4141 })`,
  `expect(gateway).toHaveReceived('createRespons')`,
  `expect(gateway).toHaveReceivedTimes('createResponse', { body: {} })`,
  `test.override({ gatewayOptions: { latancy: 7 } })`,
  `playwright.use({ gatewayOptions: { latancy: 7 } })`,
  `defineConfig({ use: { gatewayOptions: { latancy: 7 } } })`,
]

/** Valid programs, to make sure that the others fail for one reason only. */
const right = `gateway.use('flaky', { on: 'createResponse', times: 1, fault: 'timeout' }, ...([] as Rule[]))
gateway.use(String('flaky'), ...([] as Scenario[]), parseRecording(''))
gateway.db.providers.create({ name: 'Aurora', slug: 'aurora' })
gateway.journal.calls('createChatCompletion', { body: { model: 'aurora/dawn-1' } })
expect(gateway).toHaveReceived('createMessage', { body: { max_tokens: 3 }, query: { any: 'x' } })
expect(gateway).toHaveReceived('createResponse', { body: { input: expect.stringContaining('tides') } })
const report = defineOperation({ id: 'getReport', method: 'get', path: '/reports/{id}', output: Id, resolve: () => ok({ id: '1' }) })
gateway.use({ on: report.id, fault: 'timeout' })
gateway.journal.last(report.id)?.body
gateway.script([{ text: 'Hello' }] satisfies Parameters<typeof gateway.script>[0])
defineConfig({ use: { gatewayOptions: { seed: 7 } } })
createGateway({ dialect: 'openrouter', latency: 'typical', operations: [report] })
createGateway({ latency: { perToken: '20ms' } })
;({ model: 'aurora/*' }) satisfies When
void [eventStream, journalText, parseRecording, playwright, test, intercept, startServer]
`

/**
 * Returns each program's compiler errors with positions, such as `1:18 error TS2820: …`.
 *
 * @param folder The package's folder.
 */
export async function compilerMessages(folder: string): Promise<string[][]> {
  const programs = [right, ...invalidPrograms]
  const files = Object.fromEntries(programs.map((program, index) => [`${index}.ts`, before + program]))
  const output = await inProject(folder, files, async (home) => {
    const tsc = promisify(execFile)('npx', ['tsc', '--pretty', 'false', '-p', home])
    const { stdout } = await tsc.catch((error: { stdout: string }) => error)
    return stdout
  })
  const messages = output
    .trim()
    .split(/\n(?=\S)/)
    .map((text) => /(\d+)\.ts\((\d+),(\d+)\): ([\s\S]*)/.exec(text) ?? [])
  return programs.map((_, index) =>
    messages.flatMap(([, file, line, column, text = '']) =>
      Number(file) === index
        ? `${Number(line) - before.split('\n').length + 1}:${column} ${text.replaceAll('\n', '\n  ')}`
        : [],
    ),
  )
}
