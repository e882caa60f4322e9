/**
 * Tests the journal in process: entries, limits, explanations, waits and HAR. `test/remote/sandbox.test.ts`
 * tests methods that are also available remotely.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'
import { journalText, strayCallsText } from '../../src/journal/journal-text.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { type CallOptions, open } from '../call.ts'
import { harProblems } from './har-problems.ts'

const caller = (gateway: Gateway) => (line: string, options?: CallOptions) =>
  open({ fetch: gateway.fetch, apiKey: 'sk-secret-1234' }, line, options)

function begin(options: GatewayOptions = {}) {
  const gateway = createGateway({ timeScale: 0, ...options })
  return { gateway, journal: gateway.journal, call: caller(gateway) }
}

const question = { model: 'aurora/dawn-2', input: 'Hello?' }

describe('journal entries', () => {
  it("contain the request's operation, method, path, parameters, query, headers and body", async () => {
    const { call, journal } = begin()
    const body = '{ "name": "Newer",  "extra": [1] }'
    await call('PATCH /workspaces/production?a=1&b=2&b=3&b=4', { body, headers: { 'x-custom': 'yes' } })
    expect(journal.last('updateWorkspace')).toMatchObject({
      operation: 'updateWorkspace',
      method: 'PATCH',
      path: '/api/v1/workspaces/production',
      params: { id: 'production' },
      query: { a: '1', b: ['2', '3', '4'] },
      headers: { 'x-custom': 'yes', 'content-type': 'application/json' },
      requestText: { text: body, truncatedBytes: 0 },
      body: { name: 'Newer', extra: [1] },
    })
  })

  it("contain the reply's id, status, headers, body, rule, assumptions and warnings", async () => {
    const { call, journal, gateway } = begin()
    gateway.use({
      name: 'busy',
      rules: [
        { on: 'listProviders', fault: 'timeout' },
        { on: 'getPreset', fault: { name: 'status', status: 503 } },
      ],
    })
    const response = await call('GET /presets/code-review?limit=3')
    expect(journal.last('getPreset')).toMatchObject({
      id: response.headers.get('x-request-id'),
      status: 503,
      responseHeaders: { 'content-type': 'application/json', 'x-understudy-scenario': 'busy#2' },
      responseBody: { text: await response.text(), truncatedBytes: 0 },
      rules: [{ scenario: 'busy', index: 2, name: null, kind: 'answer', faults: ['status'] }],
    })
    await call('PATCH /workspaces/production', { body: { default_provider_sort: 'moon' } })
    expect(journal.last('updateWorkspace')).toMatchObject({
      rules: [],
      assumptions: ['providerSort'],
      warnings: [expect.stringContaining("'moon' is not one of the documented values")],
    })
  })

  it('contain the raw text of a body that is not JSON, without a parsed body', async () => {
    const { call, journal } = begin()
    await call('PATCH /workspaces/production', { body: '{"name": ' })
    expect(journal.last('updateWorkspace')).toMatchObject({
      status: 400,
      requestText: { text: '{"name": ', truncatedBytes: 0 },
      body: undefined,
    })
  })

  it('are recorded for rejected requests: 400, 401, 404, 405, 410, 413, 415', async () => {
    const { call, journal } = begin({ limits: { requestBodyBytes: 100 } })
    await call('GET /benchmarks?max_results=0')
    await call('GET /providers', { headers: { authorization: 'nothing' } })
    await call('GET /nowhere')
    await call('POST /providers')
    await call('GET /providers', { headers: { authorization: 'Bearer us-s99-0000000000000000' } })
    await call('PATCH /workspaces/production', { body: { name: 'x'.repeat(100) } })
    await call('PATCH /workspaces/production', { body: {}, headers: { 'content-type': 'text/plain' } })
    expect(journal.entries().map(({ status }) => status)).toEqual([400, 401, 404, 405, 410, 413, 415])
  })

  it.each<[number, Uint8Array<ArrayBuffer>, Record<string, string>, number]>([
    [413, new Uint8Array(101), {}, 101],
    [415, new Uint8Array(50), { 'content-encoding': 'gzip' }, 50],
    [400, new Uint8Array([0xff, 0xfe]), {}, 2],
  ])('contain the size of a body that was rejected unread with %i', async (status, body, headers, size) => {
    const { fetch, journal } = createGateway({ limits: { requestBodyBytes: 100 } })
    const authorization = 'Bearer any'
    const init = { method: 'POST', body, headers: { authorization, ...headers } }
    await fetch('https://gateway.example/api/v1/responses', init)
    expect(journal.last('createResponse')).toMatchObject({
      status,
      requestText: { text: '', truncatedBytes: size },
    })
  })

  it("contain the delivery's outcome and duration", async () => {
    const { call, journal, gateway } = begin()
    await (await call('GET /providers')).text()
    const complete = journal.last('listProviders')
    expect(complete?.delivery).toBe('complete')
    expect(complete?.firstByteMs).toBeGreaterThanOrEqual(0)
    expect(complete?.durationMs).toBeGreaterThanOrEqual(complete?.firstByteMs as number)

    gateway.use({ on: 'createResponse', fault: { name: 'stream-cut', afterEvents: 3 }, times: 1 })
    const stream = { body: { ...question, stream: true } }
    await (await call('POST /responses', stream)).text().catch(() => {})
    expect(journal.last('createResponse')?.delivery).toBe('aborted-by-fault')

    const left = await call('POST /responses', stream)
    expect(journal.last('createResponse')).toMatchObject({ delivery: 'pending', durationMs: null })
    await left.body?.cancel()
    expect(journal.last('createResponse')?.delivery).toBe('aborted-by-client')
  })

  it.each([
    [50, []],
    [51, ['and 1 more']],
    [1051, ['and 1,001 more']],
  ])('list 50 of %i warnings, and count the rest', async (count, rest) => {
    const { call, journal, gateway } = begin()
    const names = Array.from({ length: count }, (_, index) => `unknown${index}`)
    gateway.reply(names.map((name) => `{{ ${name} }}`).join(''))
    await (await call('POST /responses', { body: question })).text()
    expect(journal.last('createResponse')?.warnings).toEqual([
      ...names.slice(0, 50).map((name) => `the template uses '${name}', which the request does not have`),
      ...rest,
    ])
  })

  it.each([
    [[{ bytes: 'a' }], 0],
    [[{ bytes: 'a' }, { wait: 1 }, { bytes: 'b' }], 1],
  ])('contain the times of chunks if there are several: %j', async (frames, least) => {
    const { call, journal, gateway } = begin()
    gateway.use({ on: 'listProviders', reply: { frames } })
    await (await call('GET /providers')).text()
    const [first] = journal.last('listProviders')?.timeline ?? []
    expect(first).toEqual(least === 0 ? undefined : { ms: expect.any(Number), offset: 0 })
  })

  it('have the same id whether the sandbox is named by the path or by the key', async () => {
    const idOf = async (path: string) => {
      const { gateway } = begin()
      const reply = await gateway.fetch(`https://gateway.example${path}/providers`, {
        headers: { authorization: 'Bearer any' },
      })
      return reply.headers.get('x-request-id')
    }
    expect(await idOf('/sandboxes/default/api/v1')).toBe(await idOf('/api/v1'))
  })

  it('are copies: modifying one leaves the journal unchanged', async () => {
    const { call, journal } = begin()
    await call('PATCH /workspaces/production', { body: { name: 'Newer' } })
    const entry = journal.last('updateWorkspace')
    Object.assign(entry?.body as object, { name: 'Changed' })
    Object.assign(entry?.headers as object, { 'content-type': 'changed' })
    entry?.warnings.push('changed')
    expect(JSON.stringify(journal.entries())).not.toContain('hanged')
  })

  it('are typed by operation', () => {
    const { journal } = begin()
    type Patch = NonNullable<ReturnType<typeof journal.last<'updateWorkspace'>>>['body']
    expectTypeOf<Patch>().toHaveProperty('slug')
    expectTypeOf<
      NonNullable<ReturnType<typeof journal.last<'listProviders'>>>['body']
    >().toEqualTypeOf<undefined>()
    // @ts-expect-error unknown operation
    expect(() => journal.last('listProvider')).toThrow("did you mean 'listProviders'?")
    // @ts-expect-error the model must be a string
    journal.calls('createResponse', { body: { model: 1 } })
    journal.calls('createResponse', { body: { input: [{ role: 'system' }], stream: undefined } })
    journal.calls('createResponse', { body: { model: 'a/b', models: ['a/b'], provider: { only: ['a'] } } })
    journal.calls('createResponse', { body: { tools: [{ type: 'function', name: 'search' }] } })
    // @ts-expect-error the field is misspelt
    journal.calls('createResponse', { body: { inptu: 'Hi' } })
  })

  it('warn of an expected field that no call has', async () => {
    const { call, journal } = begin()
    await call('PATCH /workspaces/production', { body: { name: 'Newer' } })
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    expect(journal.calls('updateWorkspace', { body: { nmae: 'Newer' } } as object)).toEqual([])
    expect(journal.calls('updateWorkspace', { body: { name: 'Older' } })).toEqual([])
    expect(warn.mock.calls).toEqual([
      ["[understudy] journal.calls(): no call to updateWorkspace has 'body.nmae'; did you mean 'name'?"],
    ])
  })
})

describe('journal limits', () => {
  it('do not count the rest of a stream whose call was evicted', async () => {
    const { call, journal, gateway } = begin({ limits: { journalEntries: 2, journalBytes: 60_000 } })
    gateway.reply('word '.repeat(20_000))
    const stream = await call('POST /responses', { body: { ...question, stream: true } })
    await (await call('GET /providers')).text()
    await (await call('GET /workspaces/none')).text()
    expect((await stream.text()).length).toBeGreaterThan(100_000)
    expect(journal.entries().map(({ path }) => path)).toEqual([
      '/api/v1/providers',
      '/api/v1/workspaces/none',
    ])
  })

  it('keep a body of exactly 1 MiB and truncate a longer one', async () => {
    const { call, journal } = begin()
    const bodyOf = (bytes: number) =>
      JSON.stringify({ name: 'x', extra: '' }).replace('""', `"${'y'.repeat(bytes - 23)}"`)
    for (const bytes of [1_048_576, 1_048_577, 1_200_000]) {
      const body = bodyOf(bytes)
      expect(body).toHaveLength(bytes)
      await call('PATCH /workspaces/production', { body })
      const entry = journal.last('updateWorkspace')
      expect(entry?.requestText).toEqual({
        text: body.slice(0, 1_048_576),
        truncatedBytes: Math.max(0, bytes - 1_048_576),
      })
      expect(entry?.body === undefined).toBe(bytes > 1_048_576)
    }
  })

  it('count bytes, and truncate at character boundaries', async () => {
    const { call, journal } = begin({ limits: { journalBodyBytes: 12 } })
    await call('PATCH /workspaces/production', { body: '{"a":"€😀x"}' })
    expect(journal.last('updateWorkspace')?.requestText).toEqual({ text: '{"a":"€', truncatedBytes: 7 })
  })

  it('truncate streams like other replies', async () => {
    const { call, journal } = begin({ limits: { journalBodyBytes: 100 } })
    const text = await (await call('POST /responses', { body: { ...question, stream: true } })).text()
    expect(journal.last('createResponse')?.responseBody).toEqual({
      text: text.slice(0, 100),
      truncatedBytes: Buffer.byteLength(text) - 100,
    })
  })
})

describe('journal.explain()', () => {
  const explained = async (
    line: string,
    options: Parameters<ReturnType<typeof caller>>[1],
    { call, journal } = begin(),
  ) => {
    await (await call(line, options)).text()
    return journal.explain(journal.entries().at(-1) as never)
  }

  it('shortens a long input', async () => {
    const { call, gateway, journal } = begin()
    gateway.use({ on: 'createResponse', when: { input: 'tides' }, fault: 'timeout' })
    await call('POST /responses', { body: { ...question, input: 'long '.repeat(10_000) } })
    const lines = journal.explain(journal.entries().at(-1) as never).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1100)
  })

  it('starts with the request, the status and the id', async () => {
    const text = await explained('GET /providers', {})
    expect(text).toMatch(/^GET \/api\/v1\/providers \(listProviders\) returned 200 \(req_[0-9a-f]{16}\)\.$/)
  })

  it('names the matched rule and the reason for each near miss', async () => {
    const setup = begin()
    setup.gateway.use({
      name: 'outage',
      rules: [
        { on: 'createResponse', when: { model: 'kestrel/*' }, fault: { name: 'status', status: 500 } },
        { on: 'createResponse', after: 3, fault: { name: 'status', status: 500 } },
        { name: 'the last one', on: 'createResponse', fault: { name: 'status', status: 503 } },
      ],
    })
    const text = await explained('POST /responses', { body: question }, setup)
    const [, met, first, second] = text.split('\n')
    expect(met).toBe("Matched rule 3 (the last one) of 'outage': fault status.")
    expect(first).toContain("Near miss: rule 1 of 'outage'")
    expect(first).toContain('kestrel/*')
    expect(first).toContain('aurora/dawn-2')
    expect(second).toBe("Near miss: rule 2 of 'outage' skips the first 3 calls, but this is call 1.")
  })

  it('does not count a rate limit that was not reached as a near miss', async () => {
    const setup = begin()
    setup.gateway.use({ on: 'createResponse', rateLimit: { requests: 5, per: '1m' } })
    const [, fact] = (await explained('POST /responses', { body: question }, setup)).split('\n')
    expect(fact).toBe(
      'Not reached yet: the inline rule has not reached its limit of 5 calls in 60 s: this is call 1 in this window.',
    )
    expect(setup.gateway.journal.nearMisses()).toEqual([])
  })

  it('puts each fact on its own line, even if it quotes several lines', async () => {
    const setup = begin()
    setup.gateway.use({ on: 'createResponse', when: { input: 'moon' }, fault: 'rate-limit' })
    const body = { ...question, input: 'First line.\n\nSecond line.' }
    const [, missed] = (await explained('POST /responses', { body }, setup)).split('\n')
    expect(missed).toContain("the request has 'First line. Second line.'")
  })

  it('lists every near miss without truncation', async () => {
    const setup = begin()
    const rules = Array.from({ length: 300 }, (_, index) => ({
      on: 'createResponse' as const,
      when: { input: `word ${index} ${'long '.repeat(20)}` },
      fault: { name: 'status', status: 500 } as const,
    }))
    setup.gateway.use({ name: 'many', rules })
    const text = await explained('POST /responses', { body: question }, setup)
    for (let index = 0; index < 300; index++) expect(text).toContain(`word ${index} ${'long '.repeat(20)}`)
    const { nearMisses = [] } = setup.journal.last('createResponse') ?? {}
    expect(nearMisses.map(({ rule }) => rule)).toEqual(Array.from({ length: 101 }, (_, index) => index + 1))
    expect(nearMisses.at(-1)?.reason).toBe("rule 101 of 'many' did not apply either, nor did 199 more")
  })

  it('does not add a period to a warning that is a question', async () => {
    const text = await explained('POST /responses', { body: { ...question, inptu: '' } }, begin())
    expect(text).toMatch(/^Warning: body\.inptu .* did you mean 'input'\?$/m)
  })

  it("lists assumptions, warnings and the delivery's outcome", async () => {
    const setup = begin()
    const text = await explained(
      'PATCH /workspaces/production',
      { body: { default_provider_sort: 'moon' } },
      setup,
    )
    expect(text).toContain("Warning: default_provider_sort 'moon' is not one of the documented values")
    expect(text).toContain('Assumption: providerSort (unspecified): accepted, with a warning in the journal.')
    setup.gateway.use({ on: 'listProviders', fault: 'connection-reset' })
    await setup.call('GET /providers').catch(() => {})
    const broken = setup.journal.explain(setup.journal.last('listProviders') as never)
    expect(broken).toMatch(
      /^GET \/api\/v1\/providers \(listProviders\) got no response \(req_[0-9a-f]{16}\)\.\nMatched the inline rule: fault connection-reset\.\nA fault aborted the reply\.$/,
    )
  })
})

describe('a full journal store', () => {
  it.each(['dispose', 'reset'] as const)("keeps older calls after another sandbox's %s()", async (method) => {
    const { gateway, journal, call } = begin({ limits: { journalEntries: 2 } })
    const sandbox = gateway.createSandbox()
    await call('GET /providers')
    await open({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'GET /providers')
    sandbox[method]()
    await call('GET /benchmarks')
    expect(journal.entries().map(({ operation }) => operation)).toEqual(['listProviders', 'listBenchmarks'])
    expect([journal.size, journal.evictedCount]).toEqual([2, 0])
    await call('GET /providers')
    expect([journal.size, journal.evictedCount]).toEqual([2, 1])
    journal.clear()
    expect([journal.size, gateway.sandboxes.store.bytes, journal.evictedCount]).toEqual([0, 0, 0])
  })
})

describe('journal.waitFor()', () => {
  it('rejects with a status, however the wait ends', async () => {
    const { gateway } = begin()
    const sandbox = gateway.createSandbox()
    const { journal } = sandbox
    const statusOf = (waiting: Promise<unknown>) =>
      waiting.then(
        () => 200,
        ({ status }) => status,
      )
    expect(await statusOf(journal.waitFor('listProviders', { timeout: 1 }))).toBe(408)
    expect(await statusOf(journal.waitFor('listProvider' as 'listProviders'))).toBe(400)
    const controller = new AbortController()
    const cancelled = statusOf(journal.waitFor('listProviders', { signal: controller.signal }))
    controller.abort()
    expect(await cancelled).toBe(408)
    const { signal } = controller
    expect(await statusOf(journal.waitFor('listProviders', { timeout: '1h', signal }))).toBe(408)
    const disposed = statusOf(journal.waitFor('listProviders'))
    sandbox.dispose()
    expect(await disposed).toBe(410)
  })

  it('times out in real time, even under fake timers', async () => {
    vi.useFakeTimers()
    try {
      await expect(begin().journal.waitFor('listProviders', { timeout: 10 })).rejects.toThrow(
        'Waited 10 ms for 1 × listProviders: received 0. The journal has no calls.',
      )
    } finally {
      vi.useRealTimers()
    }
  })

  it('resolves when the reply is ready, while its stream is still being sent', async () => {
    const { call, journal } = begin()
    const waiting = journal.waitFor('createResponse', { timeout: 5000 })
    const response = await call('POST /responses', { body: { ...question, stream: true } })
    expect((await waiting)[0]?.delivery).toBe('pending')
    await response.body?.cancel()
  })

  it('converts calls once per wait, when it ends', async () => {
    const { call, journal } = begin()
    const waiting = Array.from({ length: 10 }, () => journal.waitFor('createResponse', { count: 30 }))
    const parse = vi.spyOn(JSON, 'parse')
    for (let index = 0; index < 29; index++) await (await call('POST /responses', { body: question })).text()
    expect(parse.mock.calls.length).toBeLessThan(10 * 30)
    parse.mockRestore()
    await call('POST /responses', { body: question })
    expect((await Promise.all(waiting)).map(({ length }) => length)).toEqual(Array(10).fill(30))
  })
})

it('the journal lists requests by operation, or by path if there is none', async () => {
  const { gateway, call, journal } = begin()
  gateway.use({ on: 'GET /own', reply: { body: {} } })
  for (const path of ['/providers', '/own', '/nowhere']) await (await call(`GET ${path}`)).text()
  expect(journal.unmatched().map(({ path }) => path)).toEqual(['/api/v1/nowhere'])
  await expect(journal.waitFor('createResponse', { timeout: 1 })).rejects.toThrow(
    /received 0\. The journal has 3 calls:\n +1\. GET \S+ \(listProviders\): 200.*\n +2\. GET \/api\/v1\/own: 200.*\n +3\. GET \/api\/v1\/nowhere: 404/,
  )
  expect(journalText('It', journal.entries().slice(1, 2)).replace(/\d+ ms/, '0 ms')).toBe(
    'It has 1 call:\n  1. GET /api/v1/own: 200 by the inline rule, 0 ms',
  )
})

describe('strayCallsText()', () => {
  it('names the first five calls, and counts the rest', async () => {
    const { gateway, call, journal } = begin()
    await open({ fetch: gateway.fetch }, 'GET /providers', { headers: { authorization: null } })
    for (let turn = 0; turn < 6; turn++) await call('GET /benchmarks')
    const entries = journal.entries()
    const text = '\nIn addition, the default sandbox received'
    const fix =
      "To send them to this sandbox, use sandbox.baseUrl or sandbox.apiKey or, in process, sandbox.run(work) or Vitest's test.override({ serial: true })."
    const known = Array(4).fill('GET /benchmarks with an unknown key').join(', ')
    expect([0, 1, 5, 6, 7].map((count) => strayCallsText(entries.slice(0, count)))).toEqual([
      '',
      `${text} 1 call meanwhile: GET /providers without a key. ${fix}`,
      `${text} 5 calls meanwhile: GET /providers without a key, ${known}. ${fix}`,
      `${text} 6 calls meanwhile: GET /providers without a key, ${known}, 1 more. ${fix}`,
      `${text} 7 calls meanwhile: GET /providers without a key, ${known}, 2 more. ${fix}`,
    ])
  })
})

describe('journalText()', () => {
  it('lists the first three near misses of a call', async () => {
    const { gateway, call, journal } = begin()
    const rules = [1, 2, 3, 4].map(() => ({ on: 'listProviders', after: 1, fault: 'status' }) as const)
    gateway.use({ name: 'late', rules })
    await (await call('GET /providers')).text()
    const line = (rule: number) => `     rule ${rule} of 'late' skips the first call, but this is call 1.`
    expect(journalText('It', journal.entries()).replace(/\d+ ms/, '0 ms')).toBe(
      [
        'It has 1 call:',
        '  1. GET /api/v1/providers (listProviders): 200, 0 ms',
        ...[1, 2, 3].map(line),
      ].join('\n'),
    )
  })

  it('lists a warning only at its first call', async () => {
    const { journal, call } = begin()
    for (const model of ['gpt-5', 'gpt-5', 'gpt-4'])
      await (await call('POST /responses', { body: { model, input: 'Hi' } })).text()
    const text = journalText('It', journal.entries())
    expect(text.match(/ {5}body\.model '.*?'/g)).toEqual(
      ["'gpt-5'", "'gpt-4'"].map((each) => `     body.model ${each}`),
    )
  })

  it.each([9, 10, 11, 12])(
    'lists at most the last ten of %i calls, and counts the earlier ones',
    async (count) => {
      const { call, journal } = begin()
      for (let turn = 0; turn < count; turn++) await (await call('GET /providers')).text()
      const [title, ...lines] = journalText('It', journal.entries()).split('\n')
      expect(title).toBe(`It has ${count} calls:`)
      const earlier = { 11: ['  … 1 earlier'], 12: ['  … 2 earlier'] }[count] ?? []
      expect(lines.slice(0, earlier.length)).toEqual(earlier)
      const places = lines.slice(earlier.length).map((line) => Number(/^ {2}(\d+)\. GET /.exec(line)?.[1]))
      expect(places).toEqual(
        Array.from({ length: Math.min(10, count) }, (_, at) => at + 1 + Math.max(0, count - 10)),
      )
    },
  )
})

describe('journal.har()', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer()
  })
  beforeEach(() => server.gateway.reset())
  afterAll(() => server.close())

  it('is valid HAR 1.2 for every kind of reply', async () => {
    const { gateway, baseUrl } = server
    const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(baseUrl + path, { headers, ...init }).then((response) => response.text())
    await ask('/providers?a=1&a=2&b=')
    await ask('/nowhere')
    await ask('/workspaces/production', {
      method: 'PATCH',
      body: JSON.stringify({ description: 'é'.repeat(100) }),
    })
    await ask('/responses', { method: 'POST', body: JSON.stringify({ ...question, stream: true }) })
    await ask('/workspaces/production', {
      method: 'PATCH',
      body: JSON.stringify({ extra: 'x'.repeat(1_100_000) }),
    })
    gateway.use({ on: 'listProviders', fault: 'connection-reset' })
    await ask('/providers').catch(() => {})
    const har = gateway.journal.har()
    expect(harProblems(har)).toEqual([])
    const [list, , patch, stream, long, reset] = JSON.parse(JSON.stringify(har)).log.entries
    expect(list?.request).toMatchObject({
      method: 'GET',
      url: `${baseUrl}/providers?a=1&a=2&b=`,
      httpVersion: 'HTTP/1.1',
    })
    expect(list?.request.queryString).toEqual([
      { name: 'a', value: '1' },
      { name: 'a', value: '2' },
      { name: 'b', value: '' },
    ])
    expect(patch?.request).toMatchObject({ bodySize: 218, postData: { mimeType: 'application/json' } })
    expect(patch?.response.content.size).toBe(Buffer.byteLength(patch?.response.content.text as string))
    expect(stream?.response.content.mimeType).toContain('text/event-stream')
    expect(long?.request.postData?.comment).toBe(`${1_100_012 - 1_048_576} more bytes were not stored`)
    expect(reset).toMatchObject({ response: { status: 0 }, _delivery: 'aborted-by-fault', _rule: 'rule#1' })
  })

  it('contains real times and consistent timings', async () => {
    const before = Date.now()
    await fetch(`${server.baseUrl}/providers`)
    await sleep(5)
    const { startedDateTime, time, timings } = server.gateway.journal.har().log.entries[0] as {
      startedDateTime: string
      time: number
      timings: Record<string, number>
    }
    const started = Date.parse(startedDateTime)
    expect(started).toBeGreaterThanOrEqual(before - 5)
    expect(started).toBeLessThanOrEqual(Date.now())
    expect(Object.values(timings).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(time)
  })
})

it('the journal keeps a call larger than `journalBytes` until the next call arrives', async () => {
  const gateway = createGateway({ limits: { journalBytes: 1 } })
  const call = caller(gateway)
  for (const path of ['/providers', '/benchmarks']) {
    await (await call(`GET ${path}`)).text()
    expect(gateway.journal.entries().map((entry) => entry.path)).toEqual([`/api/v1${path}`])
  }
  expect(gateway.journal.evictedCount).toBe(1)
})

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'

it.each([
  [`00-${trace}-00f067aa0ba902b7-01`, trace],
  ['', null],
  ['x', null],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, null],
  [`00-${trace}`, null],
  [`00-${trace.toUpperCase()}-00f067aa0ba902b7-01`, null],
])('an entry for the traceparent %j has the trace id %j', async (traceparent, traceId) => {
  const { fetch, journal } = createGateway()
  await open({ fetch }, 'GET /providers', { headers: { traceparent } })
  expect(journal.entries()[0]?.traceId).toBe(traceId)
})
