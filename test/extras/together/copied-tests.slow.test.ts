/** Tests that code copied from the console runs unchanged in a project that has installed the package. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { GatewayOptions, Rule, SandboxOptions, Turn } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'
import { type Consumer, install } from '../../consumers/consumer.ts'
import { launch } from '../console/browser.ts'

type Request = [line: string, body?: unknown, headers?: Record<string, string | null>]

/** Requests, of which the last one is copied, and what they depend on. */
interface Kind {
  ask: Request | Request[]
  rules?: Rule[]
  script?: Turn[]
  held?: Rule['on']
  options?: GatewayOptions
  sandbox?: SandboxOptions
  /** If set, the client disconnects before the reply, or after the first chunk. */
  leaves?: 'before' | 'after'
}

const model = 'aurora/dawn-2'
const input = 'Why do tides come twice a day?'
const messages = [{ role: 'user', content: input }]
const stream = true
const tools = [{ type: 'function', name: 'search', parameters: { type: 'object' } }]
const answered = [
  { role: 'user', content: 'Look it up.' },
  { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{"q":"tides"}' },
  { type: 'function_call_output', call_id: 'c1', output: 'high at six' },
]
const respond = (more?: object): Request => ['POST /responses', { model, input, ...more }]
const chat = (more?: object): Request => ['POST /chat/completions', { model, messages, ...more }]
const message = (more?: object): Request => ['POST /messages', { model, messages, max_tokens: 9, ...more }]
const text = (effect: Omit<Rule, 'on'>): { rules: Rule[] } => ({ rules: [{ on: 'text', ...effect }] })
const overloaded = { fault: { name: 'status', status: 503 } } as const
const limit = text({ rateLimit: { requests: 1, per: '10s' } })
const ours = { slug: 'ours', name: 'Ours', privacy_policy_url: null }
const recordings = 'test/readme/examples/recordings'
const own = {
  id: 'listReports',
  method: 'get',
  path: '/reports',
  output: z.object({}),
  resolve: () => ({ data: [] }),
} as const

const kinds: Record<string, Kind> = {
  plain: { ask: respond() },
  streamed: { ask: respond({ stream }) },
  'cut after deltas': {
    ...text({ fault: { name: 'stream-cut', afterDeltas: 2 } }),
    ask: respond({ stream }),
  },
  'cut in bytes': { ...text({ fault: { name: 'truncated-body', afterBytes: 100 } }), ask: respond() },
  'reset in a stream': { ...text({ fault: 'stream-reset' }), ask: respond({ stream }) },
  'connection reset': {
    rules: [{ on: 'getPreset', fault: 'connection-reset' }],
    ask: ['GET /presets/code-review'],
  },
  'short content length': { ...text({ fault: 'short-content-length' }), ask: respond() },
  'hang, aborted': { ...text({ fault: 'timeout' }), ask: respond(), leaves: 'before' },
  'slow, aborted': { options: { latency: 60_000 }, ask: respond(), leaves: 'before' },
  'held, aborted': { held: 'text', ask: respond(), leaves: 'before' },
  'aborted in a stream': {
    options: { latency: { perToken: 100 } },
    ask: respond({ stream }),
    leaves: 'after',
  },
  'stalled, aborted': { ...text({ fault: 'stream-stall' }), ask: chat({ stream }), leaves: 'after' },
  chat: { ask: chat() },
  'chat, streamed': { ask: chat({ stream }) },
  'chat, cut': { ...text({ fault: 'stream-cut' }), ask: chat({ stream }) },
  messages: { ask: message() },
  'messages, streamed': { ask: message({ stream }) },
  'messages, overloaded': { ...text({ times: 1, ...overloaded }), ask: message({ stream }) },
  completions: { ask: ['POST /completions', { model, prompt: input }] },
  embeddings: { ask: ['POST /embeddings', { model: 'aurora/embed-small', input }] },
  rerank: { ask: ['POST /rerank', { model: 'aurora/rerank', query: 'tides', documents: ['moon', 'bread'] }] },
  'rate limit': { ...limit, ask: [respond(), respond()] },
  'rate limit of chat': { ...limit, ask: [chat(), chat()] },
  'fault before a retry': { ...text({ times: 1, ...overloaded }), ask: respond() },
  'retry after a fault': { ...text({ times: 1, ...overloaded }), ask: [respond(), respond()] },
  'second step': { ...text({ sequence: [overloaded, { reply: 'Six.' }] }), ask: [respond(), respond()] },
  'second turn of a script': {
    script: [{ call: { search: { q: 'tides' } } }, { text: 'At six.' }],
    ask: [respond({ input: 'Look it up.', tools }), respond({ input: answered, tools })],
  },
  'rejected by a script': { script: [{ expect: { tools: ['x'] }, text: '' }], ask: respond({ tools }) },
  'text of a rule': { ...text({ reply: 'High at six.' }), ask: respond() },
  'output of a rule': { ...text({ reply: { output: [{ type: 'reasoning' }] } }), ask: respond() },
  'frames of a rule': {
    ...text({ reply: { frames: [{ data: '{"a":' }, { hangUp: 'reset' }] } }),
    ask: chat(),
  },
  'frames that end early': {
    ...text({ reply: { frames: [{ data: '' }, { hangUp: 'end' }] } }),
    ask: chat({ stream }),
  },
  'body of a rule': {
    rules: [{ on: 'listProviders', reply: { status: 418, body: {} } }],
    ask: ['GET /providers'],
  },
  'path of a rule': {
    rules: [{ on: 'POST /speech', reply: { body: 'mp3' } }],
    ask: ['POST /speech', { a: 1 }],
  },
  'two rules': {
    rules: [
      { on: 'text', reply: 'Six.' },
      { on: 'text', fault: 'stream-cut' },
    ],
    ask: chat({ stream }),
  },
  'OpenRouter dialect': {
    options: { dialect: 'openrouter' },
    ask: chat({ provider: { order: ['aurora'] } }),
  },
  'misspelt field': { options: { strict: true }, ask: respond({ temprature: 1 }) },
  'unknown model': { options: { strict: true, models: ['aurora/*'] }, ask: respond({ model: 'a/b' }) },
  'only specified': { options: { onlySpecified: true }, ask: chat() },
  'broken rule': { ask: chat({ messages: [...messages, { role: 'tool', tool_call_id: 'x', content: '' }] }) },
  'not found': { ask: ['GET /presets/nowhere'] },
  'no such path': { ask: ["POST /respones/it's", { model, input }] },
  'no such method': { ask: ['DELETE /providers'] },
  'no key': { ask: ['GET /providers', undefined, { authorization: null }] },
  'wrong key': { options: { apiKeys: ['right'] }, ask: ['GET /benchmarks?max_results=3'] },
  'taken slug': { ask: ['PATCH /workspaces/production', { slug: 'staging' }] },
  'changed workspace': { ask: ['PATCH /workspaces/production', { description: "It's `new` now" }] },
  'created workspace': { ask: [['POST /workspaces', { name: 'New', slug: 'new' }], ['GET /workspaces/new']] },
  'previous response': {
    options: { storedResponses: true, seed: 7 },
    ask: [respond(), respond({ previous_response_id: '$id' })],
  },
  'fault by model': { ask: chat({ model: 'fault/503' }) },
  'fault by header': { ask: ['GET /providers', undefined, { 'x-understudy-scenario': 'provider-outage' }] },
  'own records': { sandbox: { seed: 7, fixtures: { providers: [ours] } }, ask: ['GET /providers'] },
  'own operation': { options: { operations: [own] }, ask: ['GET /reports'] },
  'no JSON': { ask: ['POST /responses', 'Hello', { 'content-type': 'text/plain' }] },
  'broken JSON': { ask: ['POST /responses', '{"model":'] },
  recorded: { options: { recordings }, ask: ['POST /responses', { model, input: 'Why tides?' }] },
  'not recorded': { options: { recordings }, ask: ['GET /embeddings/models'] },
}

/** Kinds whose copied tests expect nothing that depends on their rules and options. */
const loose = [
  'OpenRouter dialect',
  'output of a rule',
  'own records',
  'recorded',
  'short content length',
  'stalled, aborted',
]

/** Makes a call, and returns it as a test for Vitest and one for Playwright. */
async function copy({ ask, rules = [], script, held, options, sandbox, leaves }: Kind): Promise<string[]> {
  await using server = await startServer(options)
  const place = sandbox ? server.gateway.createSandbox(sandbox) : server.gateway
  if (rules.length > 0) place.use(...rules)
  if (script) place.script(script)
  if (held) place.hold(held)
  const requests = (Array.isArray(ask[0]) ? ask : [ask]) as Request[]
  let previous = ''
  for (const [line, body, headers = {}] of requests) {
    const sent = typeof body === 'string' ? body : JSON.stringify(body)?.replace('$id', previous)
    const client = new AbortController()
    const request = open({ baseUrl: place.baseUrl }, line, { body: sent, headers, signal: client.signal })
    if (leaves === 'before') await sleep(100).then(() => client.abort())
    const response = await request.catch(() => undefined)
    if (leaves === 'after')
      await response?.body
        ?.getReader()
        .read()
        .then(() => client.abort())
    previous = /"id":"(\w+)/.exec((await response?.text().catch(() => '')) ?? '')?.[1] ?? ''
  }
  await expect
    .poll(() => [place.journal.size, place.journal.unanswered().length])
    .toEqual([requests.length, 0])
  const path = `${server.url}/__understudy/sandboxes/${place.id}/calls/${place.journal.entries().at(-1)?.id}/export`
  const copies = ['vitest', 'playwright'].map(async (as) => (await fetch(`${path}?as=${as}`)).json())
  return (await Promise.all(copies)).map(({ data }) => data.text)
}

/** Removes the rules and options that a copied test sets. */
function withoutSetUp(code: string): string {
  const set = /^ *(test\.override|sandbox\.(use|fail|reply|hold))\((.*\)|[\s\S]*?^ *\}+\))\n/gm
  return code.replace(set, '')
}

let project: Consumer
beforeAll(async () => {
  project = await install('copied-tests')
})
afterAll(() => project[Symbol.asyncDispose]())

describe('copied tests', () => {
  it('pass unchanged for every kind of call, and fail without the rules and options that they set', {
    timeout: 600_000,
  }, async () => {
    const names = Object.keys(kinds)
    const changed: string[] = []
    for (const folder of ['vitest', 'playwright', 'changed']) await mkdir(join(project.folder, folder))
    for (const [name, kind] of Object.entries(kinds)) {
      const [vitest = '', playwright = ''] = await copy(kind)
      await writeFile(join(project.folder, 'vitest', `${name}.test.ts`), vitest)
      await writeFile(join(project.folder, 'playwright', `${name}.spec.ts`), playwright)
      if (withoutSetUp(vitest) === vitest || loose.includes(name)) continue
      await writeFile(join(project.folder, 'changed', `${name}.test.ts`), withoutSetUp(vitest))
      changed.push(name)
    }
    const run = await project.run('npm run --silent test:vitest')
    expect(run, JSON.stringify(await project.readJson('vitest.json'))).toMatchObject({ code: 0 })
    expect(await project.readJson('vitest.json')).toMatchObject({ numPassedTests: names.length })
    expect(await project.run('npm run --silent test:playwright')).toMatchObject({ code: 0 })
    expect(await project.readJson('playwright.json')).toMatchObject({
      stats: { expected: names.length, flaky: 0 },
    })
    await project.run('npx vitest run --dir changed --reporter=json --outputFile=changed.json')
    expect(await project.readJson('changed.json')).toMatchObject({ numFailedTests: changed.length })
    expect(changed.length).toBeGreaterThan(25)
  })

  it('are copied by the buttons of a call', async () => {
    await using server = await startServer()
    await using browser = await launch()
    await open(server, 'GET /providers')
    const [{ id } = { id: '' }] = server.gateway.journal.entries()
    const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${server.url}/__understudy/#/calls?call=${id}&in=default`)
    for (const runner of ['Vitest', 'Playwright']) {
      await page.getByRole('button', { name: `${runner} test` }).click()
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      await expect.poll(copied).toContain(`from 'gateway-understudy/${runner.toLowerCase()}'`)
    }
  })
})
