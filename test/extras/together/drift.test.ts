/** Tests `drift`: recorded requests are sent again, and the shapes of the replies are compared. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import type { ScriptedItemInput } from '../../../src/scenarios/scripted-reply.ts'
import { startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { runCommand } from '../../cli/run-command.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
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

const root = temporaryFolder()
let folders = 0

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
    expect(lines).toEqual([`No drift in ${requests.length} recorded replies`])
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
    expect((await drift(folder)).lines).toEqual(['No drift in 12 recorded replies'])
  })

  it('compares the replies of a dialect with those of Understudy in the dialect of the recording', async () => {
    const gateway = createGateway({ ...everything, dialect: 'openrouter' })
    const request = { method: 'POST', path: '/chat/completions', json: { model, messages } }
    const { text } = await call(gateway, 'POST /chat/completions', { body: request.json })
    expect(await drift(await record({ request, text, dialect: 'openrouter' }))).toMatchObject({ code: 0 })
    const { lines } = await drift(await record({ request, text }))
    expect(lines).toContain(
      'added  POST /chat/completions 200 usage.cost is not in Understudy (call-0.recording.jsonl)',
    )
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
    ['type', { ...provider, name: 7 }, 'data[].name is number, but string in Understudy'],
    ['type', { ...provider, slug: null }, 'data[].slug is null, but string in Understudy'],
    ['missing', { ...provider, slug: undefined }, 'data[].slug is missing, but always present in Understudy'],
    ['added', { ...provider, tier: { a: 1 } }, 'data[].tier is not in Understudy'],
  ])('reports a difference of kind %s in several replies once', async (kind, changed, line) => {
    const data = [changed, { ...provider, headquarters: 'X', datacenters: ['X'] }]
    const folder = await record(
      ...[1, 2].map(() => ({ request: providers, text: JSON.stringify({ data: data.slice(0, 1) }) })),
    )
    const { code, lines } = await drift(folder)
    expect(lines[0]).toBe(`${kind}  GET /providers 200 ${line} (call-0.recording.jsonl and 1 more)`)
    expect(lines.at(-1)).toMatch(/^1 difference in 2 recorded replies/)
    expect(code).toBe(1)
    const recordings = ['call-0.recording.jsonl', 'call-1.recording.jsonl']
    expect(JSON.parse((await drift(folder, '--json')).stdout)).toMatchObject({
      compared: 2,
      findings: [{ reply: 'GET /providers 200', kind, recordings }],
    })
    expect((await drift(folder, '--quiet')).lines).toHaveLength(1)
    // The lists of data centers are empty, so their items are not compared.
    expect((await drift(folder, '--allow', 'added')).code).toBe(kind === 'added' ? 2 : 1)
  })

  it('reports a field that only some replies have', async () => {
    const { slug: _, ...without } = provider
    const { lines } = await drift(
      await record({ request: providers, text: JSON.stringify({ data: [provider, without] }) }),
    )
    expect(lines[0]).toContain('data[].slug may be missing, but always present in Understudy')
  })

  it('reports another content type', async () => {
    const folder = await record({ request: providers, text: '<html>', status: 502, type: 'text/html' })
    const { lines } = await drift(folder)
    expect(lines[0]).toContain(
      'type  GET /providers 502 content-type is text/html, but application/json in Understudy',
    )
  })

  const stream = true
  const chat = { model, messages }
  const responses = { model, input: 'Look up', stream, tools: [look], tool_choice: 'required' }
  const text = { model, input: 'x', stream }
  const search = { model, input: 'x', plugins: [{ id: 'web' }] }
  const chunks = { ...chat, stream, stream_options: { include_usage: true } }
  const calls = { ...chat, tools: [{ type: 'function', function: look }], tool_choice: 'required' }
  const message = { ...chat, max_tokens: 9 }
  const blocks = { ...message, stream }

  /** By request and status: the difference, and a body whose recorded reply is changed to contain it. */
  const differences: Record<
    string,
    [difference: string, body: object, pattern: RegExp, replacement: string][]
  > = {
    'POST /responses 200': [
      ['type response.function_call_arguments.delta.delta is number', responses, /("delta":)"q"/, '$142'],
      [
        'added response.output_item.done.vendor is not',
        responses,
        /("type":"response.output_item.done")/,
        '$1,"vendor":1',
      ],
      ['missing response.completed is missing', responses, /data: {"type":"response.completed".*/, ''],
      ['missing response.output_text.done is missing', text, /output_text.done/, 'output_text.ended'],
      ['missing [DONE] is missing', text, /data: \[DONE\]/, ''],
      [
        'type response.completed.response.usage is null',
        text,
        /("response.completed".*"usage":){(?:[^{}]|{[^{}]*})*}/,
        '$1null',
      ],
      [
        'missing output[message].content[output_text].annotations[url_citation].url may be',
        search,
        /"url":"[^"]+",/,
        '',
      ],
    ],
    'POST /chat/completions 200': [
      ['missing data[finish_reason] is missing', chunks, /"stop"/, 'null'],
      ['missing data[usage].choices is missing', chunks, /"choices":\[\],/, ''],
      ['missing data[usage] is missing', chunks, /data: .*"choices":\[\].*/, ''],
      ['type data[content].choices[].delta.content is number', chunks, /("content":)"[^"]+"/, '$142'],
      [
        'type data[content].created is string',
        chunks,
        /("created":)\d+(.*"content":"[^"]+")/,
        '$1"yesterday"$2',
      ],
      ['added data[content].choices[].vendor is not', chunks, /("content":"[^"]+"},)/, '$1"vendor":null,'],
      ['added data[role].choices[].delta.refusal is', chunks, /("role":"assistant")/, '$1,"refusal":null'],
      ['missing data[content].choices[].delta.content may be', chunks, /"content":"[^"]+"/, ''],
      [
        'type choices[].message.tool_calls[function].function.arguments is object',
        calls,
        /("arguments":)"(?:[^"\\]|\\.)*"/,
        '$1{}',
      ],
    ],
    'POST /messages 200': [
      ['missing message_stop is missing', blocks, /event: message_stop\n.*/, ''],
      ['added message_end is not', blocks, /event: message_stop/, 'event: message_end'],
      ['missing the event field is missing', blocks, /event: ping\n/, ''],
      ['added the event field of some events is', blocks, /event: ping\n/, ''],
      ['type content_block_delta.delta[text_delta].text is number', blocks, /("text":)"[^"]+"/, '$142'],
      ['missing message_delta.usage is missing', blocks, /(null}),"usage":{[^{}]*}/, '$1'],
      ['type message_start.message[message].content is null', blocks, /"content":\[\]/, '"content":null'],
      ['type [message].content is object', message, /("content":)\[.*?\]/, '$1{}'],
    ],
    'POST /messages 400': [['missing [error].error.message is missing', chat, /"message":/, '"text":']],
  }
  const rows = Object.entries(differences).flatMap(([reply, all]) =>
    all.map((row) => [reply, ...row] as const),
  )

  it.each(rows)('finds in %s: %s', async (reply, difference, body, pattern, replacement) => {
    const request = reply.replace(/ \d+$/, '')
    const folder = await recordGateway(createGateway(everything), [[request, body]], (text) => {
      expect(text).toMatch(pattern)
      return text.replace(pattern, replacement)
    })
    const { code, stdout } = await drift(folder)
    expect(stdout).toContain(difference.replace(' ', `  ${reply} `))
    expect(code).toBe(1)
  })

  it('does not compare a stream whose text has an unknown name', async () => {
    const calls: [string, object][] = [['POST /chat/completions', chunks]]
    const folder = await recordGateway(createGateway(everything), calls, (text) =>
      text.replace(/"content":(?="[^"]+")/g, '"text":'),
    )
    const { code, stdout } = await drift(folder)
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining('its stream contains neither text nor a call'),
    ])
  })

  const sent = (path: string, json?: object) => ({ method: json ? 'POST' : 'GET', path, json })
  const listed = (...data: object[]) => JSON.stringify({ data })
  const events = { request: sent('/responses', text), type: 'text/event-stream' }
  const error = 'data: {"type":"error"}\n\n'
  const failed = JSON.stringify({ error: { code: 404, message: 'x' } })
  it.each<[code: number, reason: string, exchange: Exchange]>([
    [2, 'has no request', { text: '{}' }],
    [2, 'the reply is incomplete (reset)', { request: providers, text: '{"data"', end: 'reset' }],
    [2, 'Understudy has no operation POST /unknown', { request: sent('/unknown', {}), text: '{}' }],
    [2, 'Understudy has no operation GET /a/%2e%2e/b', { request: sent('/a/%2e%2e/b'), text: '{}' }],
    [2, 'the status is 404 instead of 200: ', { request: sent('/presets/of-theirs'), text: '{}' }],
    [2, 'the status is 200 instead of 404', { request: providers, status: 404, text: failed }],
    [2, "Understudy has no dialect 'acme'", { request: providers, text: '{}', dialect: 'acme' }],
    [2, 'the body is nested too deeply', { request: providers, text: '['.repeat(200) + ']'.repeat(200) }],
    [2, 'the body is not JSON', { request: providers, text: '{"data"' }],
    [2, 'the stream has no events with JSON', { ...events, text: ': comment\n\ndata: x\n\n' }],
    [1, 'event 2 is not JSON', { ...events, text: `${error}data: {"cut` }],
    [1, `'{"a":1}' is not part of an event`, { ...events, text: `${error}{"a":1}\n\n` }],
    [2, 'data[]: no example in the recording', { request: providers, text: listed() }],
    [2, 'data[].datacenters[]: no example in', { request: providers, text: listed(provider) }],
    [2, 'data[].name: is redacted', { request: providers, text: listed({ ...provider, name: 'redacted' }) }],
  ])('exits with %i and names what it did not compare: %s', async (code, reason, exchange) => {
    const result = await drift(await record(exchange))
    expect(result.stdout).toContain(`not compared: call-0.recording.jsonl: ${reason}`)
    expect(result.code).toBe(code)
  })

  it('names files that are not recordings, and compares the others', async () => {
    const folder = await recordGateway(createGateway(everything), [['POST /messages', message]])
    for (const file of ['notes.txt', 'x.recording.jsonl', '.hidden']) await writeFile(join(folder, file), '{')
    expect(await drift(folder)).toMatchObject({
      code: 2,
      lines: [
        'not compared: notes.txt: is not a .recording.jsonl file',
        expect.stringMatching(/^not compared: x\.recording\.jsonl:1: not JSON/),
        'No drift in 1 recorded reply; 2 not compared',
      ],
    })
  })

  it('exits with 2 if the folder is empty or missing', async () => {
    const lines = [expect.stringMatching(/: has no \.recording\.jsonl files$/), expect.any(String)]
    expect(await drift(await record())).toMatchObject({ code: 2, lines })
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
      'missing  GET /providers 200 data[].old_slug is missing, but always present in the recording (call-0.recording.jsonl)',
    )
    expect(lines).toContain(
      'added  GET /providers 200 data[].slug is not in the recording (call-0.recording.jsonl)',
    )
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
      'No drift in 1 recorded reply; 2 not compared',
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
