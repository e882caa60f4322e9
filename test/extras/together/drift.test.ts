/** Tests `drift`: recorded requests are sent again, and the shapes of the replies are compared. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import type { ScriptedItemInput } from '../../../src/scenarios/scripted-reply.ts'
import { startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { runCommand } from '../../cli/run-command.ts'
import { startUpstream } from '../recordings/streams.ts'

const everything: GatewayOptions = {
  timeScale: 0,
}
const model = 'aurora/dawn-2'
const messages = [{ role: 'user', content: 'How do tides work?' }]
const parameters = { type: 'object', properties: { q: { type: 'string' } } }
const look = { type: 'function', name: 'look_up', parameters }

const requests: [line: string, body?: object][] = [
  ['GET /providers'],
  ['GET /embeddings/models'],
  ['GET /benchmarks?source=design-source'],
  ['GET /benchmarks?source=index-source&max_results=2'],
  ['GET /presets/code-review'],
  ['GET /presets/none'],
  ['PATCH /workspaces/production', { description: 'D' }],
  ['GET /models'],
  ['GET /key'],
  ['POST /responses', { model }],
  ['POST /embeddings', { model: 'aurora/embed-large', input: 'x' }],
  ...[false, true].flatMap((stream): [string, object][] => [
    ['POST /responses', { model, input: 'Why tides?', stream }],
    ['POST /responses', { model, input: 'Why tides?', stream, plugins: [{ id: 'web' }] }],
    ['POST /responses', { model, input: 'Look up', stream, tools: [look], tool_choice: 'required' }],
    ['POST /responses', { model, input: 'Long', stream, max_output_tokens: 3 }],
    ['POST /chat/completions', { model, messages, stream }],
    ['POST /messages', { model, messages, max_tokens: 100, stream }],
  ]),
]

let root: string
let folders = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'understudy-drift-'))
})
afterAll(() => rm(root, { recursive: true }))

interface Exchange {
  request?: object | undefined
  status?: number
  type?: string
  text: string
  end?: string
  dialect?: string
}

/** Writes recordings into a new folder. */
async function record(...exchanges: Exchange[]): Promise<string> {
  const folder = join(root, String(++folders))
  await mkdir(folder)
  for (const [index, { request, text, ...rest }] of exchanges.entries()) {
    const { status = 200, type = 'application/json', end = 'fin', dialect = 'neutral' } = rest
    const lines = [
      { recording: 1, operation: 'any', key: String(index), dialect },
      request && { request },
      { reply: { ms: 1, status, headers: { 'content-type': type } } },
      { ms: 2, text },
      { end, ms: 3, bytes: Buffer.byteLength(text) },
    ]
    const file = join(folder, `call-${index}.recording.jsonl`)
    await writeFile(
      file,
      lines
        .flatMap((line) => line ?? [])
        .map((line) => JSON.stringify(line))
        .join('\n'),
    )
  }
  return folder
}

/** Records a gateway's replies to the requests. */
async function recordGateway(
  gateway: Parameters<typeof call>[0],
  lines: typeof requests,
  change = (text: string) => text,
): Promise<string> {
  const exchanges: Exchange[] = []
  for (const [line, body] of lines) {
    const { status, text, headers } = await call(gateway, line, { body })
    const [method, address = ''] = line.split(' ')
    const [path, query = ''] = address.split('?')
    const request = { method, path, query: query && `?${query}`, ...(body && { json: body }) }
    exchanges.push({ request, status, type: headers.get('content-type') ?? '', text: change(text) })
  }
  return record(...exchanges)
}

async function drift(folder: string, ...flags: string[]) {
  const { code, stdout, stderr } = await runCommand('drift', folder, ...flags)
  return { code, lines: stdout.trim().split('\n'), stdout, stderr }
}

describe('drift', () => {
  it('finds none in recordings of Understudy itself', async () => {
    const folder = await recordGateway(createGateway({ ...everything, seed: 7 }), requests)
    const { code, lines } = await drift(folder)
    expect(lines).toEqual([`No drift in ${requests.length} recordings`])
    expect(code).toBe(0)
  })

  it('finds none in recordings with any items, which Understudy only sends if they are scripted', async () => {
    const gateway = createGateway(everything)
    const output: ScriptedItemInput[] = [
      { type: 'reasoning', summary: 'So.' },
      { type: 'function_call', name: 'look_up', arguments: { q: 'moon' } },
    ]
    gateway.reply({ output })
    const folder = await recordGateway(
      gateway,
      requests.filter(([line]) => /responses|chat|messages/.test(line)).slice(1),
    )
    expect((await drift(folder)).lines).toEqual(['No drift in 12 recordings'])
  })

  it('compares the replies of a dialect with those of Understudy in the dialect of the recording', async () => {
    const gateway = createGateway({ ...everything, dialect: 'openrouter' })
    const request = { method: 'POST', path: '/chat/completions', json: { model, messages } }
    const { text } = await call(gateway, 'POST /chat/completions', { body: request.json })
    expect(await drift(await record({ request, text, dialect: 'openrouter' }))).toMatchObject({ code: 0 })
    const { lines } = await drift(await record({ request, text }))
    expect(lines).toContain('additive  POST /chat/completions 200 usage.cost is not in Understudy')
    expect(await drift(await record({ request, text }), '--dialect', 'openrouter')).toMatchObject({ code: 0 })
    const unknown = await drift(await record({ request, text }), '--dialect', 'acme')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('--dialect')])
  })

  const providers = { method: 'GET', path: '/providers' }
  const provider = {
    name: 'Acme',
    slug: 'acme',
    privacy_policy_url: null,
    terms_of_service_url: null,
    status_page_url: null,
    headquarters: null,
    datacenters: [],
  }
  it.each([
    [
      'a type',
      { ...provider, name: 7 },
      'breaking  GET /providers 200 data[].name is number, but string in Understudy',
    ],
    [
      'null',
      { ...provider, slug: null },
      'breaking  GET /providers 200 data[].slug is null, but string in Understudy',
    ],
    [
      'a missing field',
      { ...provider, slug: undefined },
      'breaking  GET /providers 200 data[].slug is missing, but always in Understudy',
    ],
    [
      'a new field',
      { ...provider, tier: { a: 1 } },
      'additive  GET /providers 200 data[].tier is not in Understudy',
    ],
  ])('reports %s in a reply once', async (_, changed, line) => {
    const folder = await record(
      ...[1, 2].map(() => ({ request: providers, text: JSON.stringify({ data: [changed] }) })),
    )
    const { code, lines } = await drift(folder)
    const isBreaking = line.startsWith('breaking')
    const counts = isBreaking ? '1 breaking, 0 additive' : '0 breaking, 1 additive'
    expect(lines).toEqual([line, `${counts} in 2 recordings`])
    expect(code).toBe(isBreaking ? 1 : 0)
    expect((await drift(folder, '--fail-on', 'any')).code).toBe(1)
    expect((await drift(folder, '--quiet')).lines).toHaveLength(1)
    expect(JSON.parse((await drift(folder, '--json')).stdout)).toMatchObject({
      compared: 2,
      findings: [{ reply: 'GET /providers 200', severity: isBreaking ? 'breaking' : 'additive' }],
      notCompared: [],
    })
  })

  it('reports a field that only some replies have', async () => {
    const { slug: _, ...without } = provider
    const { lines } = await drift(
      await record({ request: providers, text: JSON.stringify({ data: [provider, without] }) }),
    )
    expect(lines[0]).toBe('breaking  GET /providers 200 data[].slug may be missing, but always in Understudy')
  })

  it('reports another content type', async () => {
    const folder = await record({ request: providers, text: '<html>', status: 502, type: 'text/html' })
    const { lines } = await drift(folder)
    expect(lines[0]).toBe(
      'breaking  GET /providers 502 content-type is text/html, but application/json in Understudy',
    )
  })

  it.each(['/responses', '/chat/completions', '/messages'])(
    'compares the events of %s streams',
    async (path) => {
      const body = { model, messages, input: 'x', max_tokens: 9, stream: true }
      const sent = path === '/responses' ? { model, input: 'x', stream: true } : body
      const gateway = createGateway(everything)
      const fields = { '/responses': 'delta', '/chat/completions': 'content', '/messages': 'text' }
      const field = fields[path as keyof typeof fields]
      const change = (text: string) =>
        text.replace(new RegExp(`"${field}":"[^"]+"`), `"${field}":42,"vendor":1`)
      if (path !== '/responses') Reflect.deleteProperty(sent, 'input')
      const folder = await recordGateway(gateway, [[`POST ${path}`, sent]], change)
      const { code, lines } = await drift(folder)
      expect(code).toBe(1)
      expect(lines).toHaveLength(3)
      expect(lines[0]).toMatch(
        new RegExp(`^breaking .*\\.${field} is number, but (string|.* string) in Understudy$`),
      )
      expect(lines[1]).toMatch(/^additive .*\.vendor is not in Understudy$/)
    },
  )

  it('reports events that are missing from a stream', async () => {
    const gateway = createGateway(everything)
    const change = (text: string) => text.replace(/\n[^\n]*"type":"response\.completed".*$/s, '\n')
    const sent = { model, input: 'x', stream: true }
    const { lines } = await drift(await recordGateway(gateway, [['POST /responses', sent]], change))
    expect(lines).toEqual(
      expect.arrayContaining([
        'breaking  POST /responses 200 [DONE] is missing, but always in Understudy',
        'breaking  POST /responses 200 response.completed is missing, but always in Understudy',
      ]),
    )
  })

  it('lists what it did not compare, and exits with 2', async () => {
    const folder = await record(
      { text: '{}' },
      { request: providers, text: '{"data"', end: 'reset' },
      { request: { method: 'POST', path: '/unknown', json: {} }, text: '{}' },
      { request: { method: 'GET', path: '/presets/of-theirs' }, text: '{"data":{}}' },
      { request: { method: 'GET', path: '/a/%2e%2e/b' }, text: '{}' },
      { request: providers, text: '['.repeat(200) + ']'.repeat(200) },
      { request: { method: 'GET', path: '/key' }, text: '{"data":1}' },
    )
    const { code, lines } = await drift(folder, '--fail-on', 'any')
    expect(lines.filter((line) => line.startsWith('not compared'))).toEqual([
      'not compared: call-0.recording.jsonl: has no request',
      'not compared: call-1.recording.jsonl: the reply is incomplete (reset)',
      'not compared: call-2.recording.jsonl: Understudy has no operation POST /unknown',
      expect.stringMatching(/^not compared: call-3\.recording\.jsonl: the status is 404 instead of 200: \w/),
      'not compared: call-4.recording.jsonl: Understudy has no operation GET /a/%2e%2e/b',
      'not compared: call-5.recording.jsonl: the body is nested too deeply',
    ])
    expect(lines.at(-1)).toBe('1 breaking, 0 additive in 1 recording; 6 not compared')
    expect(code).toBe(1)
    const other = await drift(await record({ text: '{}' }))
    expect(other.code).toBe(2)
    expect(other.lines.at(-1)).toBe('Nothing was compared; 1 not compared')
    const list = { model, object: 'list', data: [{ a: [] }] }
    const items = await record({
      request: providers,
      text: JSON.stringify({ data: [{ ...provider, datacenters: [{}] }], list }),
    })
    expect((await drift(items)).lines.at(-1)).toMatch(/in 1 recording/)
  })

  it('exits with 2 if the folder is empty or missing', async () => {
    expect(await drift(await record())).toMatchObject({ code: 2, lines: ['Nothing was compared'] })
    const { code, stderr } = await drift(join(root, 'none'))
    expect([code, stderr]).toEqual([2, expect.stringContaining('no such file or folder')])
  })
})

describe('drift --upstream', () => {
  it('compares the replies of a real gateway with the recordings', async () => {
    vi.stubEnv('DRIFT_KEY', 'sk-real')
    await using server = await startServer({ ...everything, apiKeys: ['sk-real'] })
    const folder = await recordGateway(
      createGateway({ ...everything, seed: 7 }),
      requests.filter(([line]) => !line.startsWith('PATCH')),
      (text) => text.replaceAll('"slug":', '"old_slug":'),
    )
    const { code, lines } = await drift(folder, '--upstream', server.baseUrl, '--key-env', 'DRIFT_KEY')
    expect(lines).toContain(
      'breaking  GET /providers 200 data[].old_slug is missing, but always in the recordings',
    )
    expect(lines).toContain('additive  GET /providers 200 data[].slug is not in the recordings')
    expect(code).toBe(1)
    const { lines: rejected } = await drift(folder, '--upstream', server.baseUrl)
    expect(rejected[0]).toMatch(/^not compared: call-0.*the status is 401 instead of 200/)
    vi.unstubAllEnvs()
  })

  it('sends no request that could change the state of the gateway, and no recorded key', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"data":[]}')
    })
    const headers = { authorization: 'redacted.0a9f.xx', 'openai-beta': 'x', cookie: 'a=b' }
    const folder = await record(
      { request: { method: 'PATCH', path: '/workspaces/a', json: {} }, text: '{}' },
      { request: { method: 'POST', path: '/unknown', json: {} }, text: '{}' },
      { request: { method: 'GET', path: '/unknown', headers }, text: '{"data":[]}' },
    )
    const { code, lines } = await drift(folder, '--upstream', upstream.url.href)
    expect(lines).toEqual([
      'not compared: call-0.recording.jsonl: PATCH /workspaces/a could change the state of the real gateway',
      'not compared: call-1.recording.jsonl: POST /unknown could change the state of the real gateway',
      'No drift in 1 recording; 2 not compared',
    ])
    expect(code).toBe(2)
    expect(upstream.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /api/v1/unknown'])
    expect(upstream.requests[0]?.headers).toMatchObject({ 'openai-beta': 'x' })
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization')
    expect(upstream.requests[0]?.headers).not.toHaveProperty('cookie')
  })

  it('reports an upstream that cannot be reached', async () => {
    const folder = await record({ request: { method: 'GET', path: '/providers' }, text: '{}' })
    const { lines, code } = await drift(folder, '--upstream', 'http://127.0.0.1:9/api/v1')
    expect(lines[0]).toMatch(/^not compared: call-0\.recording\.jsonl: GET \/providers failed: /)
    expect(code).toBe(2)
  })
})
