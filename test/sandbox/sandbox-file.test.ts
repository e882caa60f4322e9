/**
 * Tests sandboxes saved to a file and opened in another gateway.
 */
import { describe, expect, it } from 'vitest'
import { resend } from '../../src/control/journal-operations.ts'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import { call, open, type Target } from '../call.ts'

async function ask({ fetch }: Target, apiKey: string, line: string, body?: object) {
  const reply = await call({ fetch, apiKey }, line, { body })
  return { status: reply.status, id: reply.headers.get('x-request-id'), body: reply.body }
}

const question = { model: 'aurora/dawn-2', input: 'Hello' }

describe('a sandbox file', () => {
  it('continues in another gateway exactly where the sandbox was saved', async () => {
    const first = createGateway({ timeScale: 0 })
    const sandbox = first.createSandbox()
    for (const slug of ['own', 'other'])
      await sandbox.db.providers.create({ name: 'Own', slug, privacy_policy_url: null })
    await sandbox.db.providers.update('own', { name: 'Changed' })
    await sandbox.db.workspaces.update('production', { name: 'Changed' })
    const providers = await sandbox.db.providers.list()
    for (const place of [5, 3]) await sandbox.db.providers.delete(providers[place]?.slug ?? '')
    for (const place of [9, 7])
      await sandbox.db.providers.update(providers[place]?.slug ?? '', { name: 'New' })
    sandbox.use({
      name: 'twice',
      rules: [{ on: 'createResponse', times: 2, fault: { name: 'status', status: 529 } }],
    })
    await ask(first, sandbox.apiKey, 'POST /responses', question)
    sandbox.clock.advance(5000)

    const second = createGateway({ timeScale: 0 })
    const opened = await second.openSandbox(JSON.parse(JSON.stringify(sandbox.save())))
    expect(await opened.db.providers.list()).toEqual(await sandbox.db.providers.list())
    expect(await opened.db.workspaces.list()).toEqual(await sandbox.db.workspaces.list())
    expect(opened.activeScenarios()).toMatchObject([{ name: 'twice', rules: [{ happened: 1, left: 1 }] }])
    for (let turn = 0; turn < 2; turn++)
      expect(await ask(second, opened.apiKey, 'POST /responses', question)).toEqual(
        await ask(first, sandbox.apiKey, 'POST /responses', question),
      )
    expect(opened.clock.read().now).toBe(sandbox.clock.read().now)
  })

  it('keeps the order of rows whose keys were changed or swapped', async () => {
    const sandbox = createGateway().createSandbox()
    const { providers } = sandbox.db
    await providers.update('aurora', { slug: 'first' })
    await providers.update('borealis', { slug: 'aurora' })
    await providers.update('first', { slug: 'borealis' })
    await providers.update('cinderpeak', { slug: 'peak' })
    await providers.create({ name: 'Own', slug: 'cinderpeak', privacy_policy_url: null })
    const second = createGateway()
    const file = sandbox.save()
    const opened = await second.openSandbox(file)
    expect(await opened.db.providers.list()).toEqual(await providers.list())
    expect(opened.save().changes).toEqual(file.changes)
    const fork = opened.fork()
    await fork.db.providers.update('peak', { name: 'Changed' })
    expect(fork.save().changes['providers']).toMatchObject({
      changed: [{ key: 'aurora' }, { key: 'borealis' }, { key: 'cinderpeak', row: { name: 'Changed' } }],
      created: [{ slug: 'cinderpeak' }],
      deleted: [],
    })
  })

  it('omits rows that have returned to their seeded values', async () => {
    const sandbox = createGateway().createSandbox()
    const before = await sandbox.db.providers.update('aurora', { name: 'Changed' })
    await sandbox.db.providers.update('aurora', { name: 'Aurora' })
    expect(before.name).toBe('Changed')
    expect(sandbox.save().changes).toEqual({})
  })

  it('contains the recorded calls, with secrets hidden', async () => {
    const gateway = createGateway({ timeScale: 0 })
    await ask(gateway, 'a-secret-key', 'POST /responses', question)
    const file = gateway.save()
    expect(JSON.stringify(file)).not.toContain('a-secret-key')
    const opened = await createGateway().openSandbox(file)
    const [entry] = opened.journal.entries()
    expect(entry).toMatchObject({ operation: 'createResponse', body: question, status: 200 })
    expect(entry?.id).toBe(gateway.journal.entries()[0]?.id)
    expect(entry?.responseBody.text).toContain('"object":"response"')
    expect(entry?.responseBody).toEqual(gateway.journal.entries()[0]?.responseBody)
    expect((await createGateway().openSandbox(gateway.save({ calls: false }))).journal.entries()).toEqual([])
  })

  it('restores recorded calls unchanged', async () => {
    const gateway = createGateway({ timeScale: 0, limits: { journalBodyBytes: 2000 } })
    gateway.use({ on: 'createResponse', times: 1, fault: { name: 'stream-cut', atEvent: 2 } })
    gateway.script([{ text: 'One.' }, { text: 'Two.' }])
    for (const stream of [true, true, false])
      await ask(gateway, 'any', 'POST /responses', { ...question, stream }).catch(() => {})
    gateway.clock.advance('1h')
    await ask(gateway, 'any', 'GET /providers')
    gateway.use({ on: 'listProviders', when: { query: { limit: '1' } }, fault: 'status' })
    await ask(gateway, 'any', 'GET /providers?limit=2')
    const file = gateway.save()
    const opened = await createGateway().openSandbox(file)
    const hidden = opened.save().calls
    expect(hidden).toEqual(file.calls)
    expect(hidden?.some(({ responseBody }) => responseBody.truncatedBytes > 0)).toBe(true)
    expect(hidden?.map(({ delivery }) => delivery)).toContain('aborted-by-fault')
    expect(opened.journal.nearMisses().map(({ path }) => path)).toEqual(['/api/v1/providers'])
  })

  it('restores canonical records in a gateway with other fixtures', async () => {
    const ours = { slug: 'ours', name: 'Ours', privacy_policy_url: null }
    const other = createGateway({ fixtures: { providers: [ours] } })
    const opened = await other.openSandbox(createGateway().save())
    expect(await opened.db.providers.list()).toEqual(await createGateway().db.providers.list())
  })

  it.each(['complete', 'aborted-by-fault', 'aborted-by-client'] as const)(
    'keeps the delivery outcome %s',
    async (delivery) => {
      const gateway = createGateway()
      await ask(gateway, 'any', 'GET /providers')
      const file = gateway.save()
      const calls = file.calls?.map((call) => ({ ...call, delivery }))
      const opened = await createGateway().openSandbox({ ...file, calls })
      expect(opened.journal.entries()).toMatchObject([{ delivery }])
    },
  )

  it('keeps rejection reasons and assumptions', async () => {
    const gateway = createGateway()
    await ask(gateway, 'any', 'GET /provider')
    const opened = await createGateway().openSandbox(gateway.save())
    const [before] = gateway.journal.entries()
    const [after] = opened.journal.entries()
    expect(after).toMatchObject({ error: before?.error, assumptions: ['unknownPath'] })
    expect(opened.journal.explain(after ?? '')).toBe(gateway.journal.explain(before ?? ''))
  })

  it('is rejected if it is empty, has another version or does not fit the seed', async () => {
    const gateway = createGateway()
    await expect(gateway.openSandbox({})).rejects.toMatchObject({ status: 400 })
    await expect(gateway.openSandbox({ ...gateway.save(), version: 2 })).rejects.toMatchObject({
      status: 400,
    })
    const file = {
      ...gateway.save(),
      changes: { providers: { created: [], changed: [], deleted: ['nobody'] } },
    }
    await expect(gateway.openSandbox(file)).rejects.toMatchObject({ status: 409 })
    const [row] = await gateway.db.providers.list()
    const openFile = (changes: object) => {
      const providers = { created: [], changed: [], deleted: [], ...changes }
      return gateway.openSandbox({ ...gateway.save(), changes: { providers } })
    }
    await expect(openFile({ deleted: ['aurora'], changed: [{ key: 'aurora', row }] })).rejects.toMatchObject({
      status: 400,
      message: 'openSandbox(): changes.providers changes or deletes a record twice',
    })
    const unknown = { ...gateway.save(), changes: { provider: file.changes.providers } }
    await expect(gateway.openSandbox(unknown)).rejects.toMatchObject({
      status: 400,
      message: 'openSandbox(): changes.provider: no such collection',
    })
    await expect(openFile({ created: [row] })).rejects.toMatchObject({ status: 409 })
    await expect(openFile({ created: [{ ...row, name: 3 }] })).rejects.toMatchObject({ status: 400 })
  })

  it.each([
    ['method', "GET'; touch /tmp/x; '", 'method: must be an HTTP token'],
    ['method', 'GET\nid', 'method: must be an HTTP token'],
    ['method', '', 'method: must be an HTTP token'],
    ['method', 'X'.repeat(1001), 'method: must have at most'],
    ['operation', "x'); evil('", 'operation: must be an operation of this gateway or a plain identifier'],
    ['operation', '', 'operation: must be an operation of this gateway or a plain identifier'],
    ['operation', 'x'.repeat(1001), 'operation: must have at most'],
    ['path', '/a b', 'path: must not contain spaces or control characters'],
    ['path', '/a\u0003b', 'path: must not contain spaces or control characters'],
    ['path', '', 'path: must not be empty'],
    ['headers', { "x'y z": '1' }, 'headers["x\'y z"]: must be an HTTP token'],
    ['headers', { 'x-own': 'a\r\nb: c' }, 'headers.x-own: must be one line'],
    ['responseHeaders', { 'x-own': 'a\0b' }, 'responseHeaders.x-own: must be one line'],
    ['responseHeaders', { 'a:b': '1' }, 'responseHeaders["a:b"]: must be an HTTP token'],
    ['status', 1000, 'status: must be at most'],
    ['requestText', { text: '', truncatedBytes: -1 }, 'requestText.truncatedBytes: must be 0 or more'],
    ['assumptions', ['x'.repeat(1001)], 'assumptions[0]: must have at most'],
  ])('is rejected for a call whose %s is %j', async (field, value, message) => {
    const gateway = createGateway({ timeScale: 0 })
    await ask(gateway, 'any', 'POST /responses', question)
    const file = gateway.save()
    const [call] = file.calls ?? []
    await expect(
      createGateway().openSandbox({ ...file, calls: [{ ...call, [field]: value }] }),
    ).rejects.toThrow(`calls[0].${message}`)
  })

  const usage = {
    model: 'a/b',
    inputTokens: 1,
    cachedTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    cost: 0,
  }
  const kept = ['id', 'method', 'operation', 'status', 'error', 'timeline', 'firstByteMs', 'usage']
  const parts = (length: number) => Array.from({ length }, () => ({ ms: 0, offset: 0 }))
  it.each<[field: string, valid: unknown[], invalid: unknown[]]>([
    ['id', ['a'.repeat(100), 'a.b-c_1'], ['', 'a'.repeat(101), 'a b']],
    ['method', ['X'.repeat(1000)], ['X'.repeat(1001)]],
    ['operation', ['x'.repeat(1000), null], ['x'.repeat(1001)]],
    ['status', [0, 999], [-1, 1000, 0.5]],
    ['error', [null, ''], [7]],
    ['timestamp', ['2026-01-01T00:00:00Z'], ['2026-01-01', '']],
    ['timeline', [parts(2000)], [parts(2001), [{ ms: -1, offset: 0 }], [{ ms: 0, offset: -1 }]]],
    ['firstByteMs', [null, 0, 1e12], [-1, 1e12 + 1]],
    ['durationMs', [null, 0, 1e12], [-1, 1e12 + 1]],
    [
      'usage',
      [null, usage, { ...usage, cost: null }],
      [
        { ...usage, inputTokens: -1 },
        { ...usage, cost: -1 },
      ],
    ],
    ['assumptions', [['x'.repeat(1000)]], [['x'.repeat(1001)]]],
    ['delivery', ['pending', 'aborted-by-fault'], ['done']],
  ])("accepts a call's %s up to the limits and rejects it beyond them", async (field, valid, invalid) => {
    const gateway = createGateway({ timeScale: 0 })
    await ask(gateway, 'any', 'GET /workspaces')
    const file = gateway.save()
    const [call] = file.calls ?? []
    const opened = (value: unknown) => gateway.openSandbox({ ...file, calls: [{ ...call, [field]: value }] })
    for (const value of valid) {
      const [entry] = (await opened(value)).journal.entries()
      if (kept.includes(field)) expect(entry).toMatchObject({ [field]: value })
    }
    for (const value of invalid) await expect(opened(value)).rejects.toThrow(`calls[0].${field}`)
  })

  it.each([
    [null, null, 0],
    [5, null, 5],
    [5, 7.5, 7.5],
  ])(
    'is opened such that a call with the first byte at %j and a duration of %j has a duration of %d ms',
    async (firstByteMs, durationMs, expected) => {
      const gateway = createGateway({ timeScale: 0 })
      await ask(gateway, 'any', 'GET /workspaces')
      const { calls, ...file } = gateway.save()
      const timed = calls?.map((each) => ({
        ...each,
        firstByteMs,
        durationMs,
        delivery: 'complete' as const,
      }))
      const [entry] = (await gateway.openSandbox({ ...file, calls: timed })).journal.entries()
      expect([entry?.firstByteMs, entry?.durationMs]).toEqual([firstByteMs, expected])
    },
  )

  it('is accepted with its clock at the limits', async () => {
    const clock = { steps: 1e12, advanced: 248_479_401_600_000, elapsed: Number.MAX_SAFE_INTEGER }
    const gateway = createGateway({ timeScale: 0 })
    await expect(gateway.openSandbox({ ...gateway.save(), clock })).resolves.toBeDefined()
    const beyond = { ...clock, advanced: clock.advanced + 1 }
    await expect(gateway.openSandbox({ ...gateway.save(), clock: beyond })).rejects.toThrow('clock.advanced')
  })

  it.each<[string, object]>([
    [
      'openSandbox(): clock.steps: must be at most 1000000000000, got 9000000000000000',
      { clock: { steps: 9e15, advanced: 0, elapsed: 0 } },
    ],
    [
      'openSandbox(): clock.steps: must be 0 or more, got -1000000000000000',
      { clock: { steps: -1e15, advanced: 0, elapsed: 0 } },
    ],
    [
      'openSandbox(): clock.advanced: must be at most 248479401600000, got 9000000000000000',
      { clock: { steps: 0, advanced: 9e15, elapsed: 0 } },
    ],
    [
      'openSandbox(): clock.advanced: must be 0 or more, got -1000000000000000',
      { clock: { steps: 0, advanced: -1e15, elapsed: 0 } },
    ],
    [
      'openSandbox(): clock.elapsed: must be at most 9007199254740991, got 1e+300',
      { clock: { steps: 0, advanced: 0, elapsed: 1e300 } },
    ],
    ['openSandbox(): occurrences.a: must be 0 or more, got -1', { occurrences: { a: -1 } }],
    [
      'openSandbox(): rules.conversations: must be at most 1000000000000, got 9000000000000000',
      { rules: { uses: [], named: [], conversations: 9e15, state: 'started' } },
    ],
    [
      'changes.nothing: no such collection',
      { changes: { nothing: { created: [], changed: [], deleted: [] } } },
    ],
    ['fixtures.nothing: unknown field', { fixtures: { nothing: [] } }],
  ])('is rejected with the error %s', async (message, fields) => {
    const gateway = createGateway()
    await expect(gateway.openSandbox({ ...gateway.save(), ...fields })).rejects.toThrow(message)
  })

  it.each([
    ['must refer to rules of the scenario', { rule: 4_294_967_294 }],
    ['must be 1 or more', { rule: 0 }],
    ['must be 0 or more', { seen: -1 }],
    ['must be at most', { taken: 9e15 }],
    ['must be 0 or more', { quota: [['', [{ at: -1, now: 0, requests: 0, tokens: 0 }]]] }],
    ['must be at most', { quota: [['', [{ at: 0, now: 1e300, requests: 0, tokens: 0 }]]] }],
  ])('is rejected with the error %s if its rule progress is %j', async (message, fields) => {
    const gateway = createGateway()
    gateway.use({ on: 'listProviders', fault: 'timeout', rateLimit: { requests: 1, per: '1m' } })
    await ask(gateway, 'any', 'GET /providers')
    const file = gateway.save()
    const [progress] = file.rules.uses[0]?.progress ?? []
    Object.assign(progress ?? {}, fields)
    await expect(createGateway().openSandbox(file)).rejects.toThrow(
      new RegExp(`^openSandbox\\(\\): rules\\.uses\\[0\\]\\.progress.*: ${message}`),
    )
  })

  it('can be opened even if its clock is at the last valid date', async () => {
    const gateway = createGateway({ timeScale: 0 })
    expect(() => {
      for (;;) gateway.clock.advance(10 * 366 * 86_400_000)
    }).toThrow('the clock cannot pass the year 9900')
    await ask(gateway, 'any', 'GET /providers')
    const opened = await createGateway({ timeScale: 0 }).openSandbox(gateway.save())
    expect(opened.clock.read()).toEqual(gateway.clock.read())
    expect(opened.journal.entries()).toMatchObject([{ status: 200 }])
  })

  it('can be saved and opened through the control API', async () => {
    await using server = await startServer({ timeScale: 0 })
    const gateway = await connectGateway(server.url)
    await open(server, 'GET /providers')
    const opened = await gateway.openSandbox(await gateway.save())
    const [call] = await opened.journal.entries()
    expect(call?.operation).toBe('listProviders')
    expect(await opened.journal.resend(call ?? '')).toMatchObject({ status: 200 })
  })
})

describe('the limits of a sandbox file', () => {
  /** Returns a file with one call, whose fields and the file's own are replaced. */
  async function fileWith(fields: object, callFields: object = {}) {
    const gateway = createGateway({ timeScale: 0 })
    await ask(gateway, 'any', 'GET /providers')
    const file = gateway.save()
    return { ...file, calls: [{ ...file.calls?.[0], ...callFields }], ...fields }
  }
  const clock = { steps: 0, advanced: 0, elapsed: 0 }
  const text = 'x'.repeat(64 * 1024 * 1024)

  it.each<[boolean, object, object?]>([
    [true, { sandbox: 'x'.repeat(1000) }],
    [false, { sandbox: 'x'.repeat(1001) }],
    [true, { test: text }],
    [false, { test: `${text}x` }],
    [false, { version: 2 }],
    [true, { clock }],
    [false, { clock: { ...clock, advanced: -0.5 } }],
    [false, { clock: { ...clock, elapsed: -0.5 } }],
    [true, {}, { path: '/' }],
    [false, {}, { path: '' }],
    [true, {}, { status: 0 }],
    [false, {}, { status: -1 }],
    [true, {}, { status: 999 }],
    [false, {}, { status: 1000 }],
    [true, {}, { schemaViolation: undefined }],
  ])('are kept: %s (case %#)', async (isValid, fields, callFields) => {
    const opening = createGateway({ timeScale: 0 }).openSandbox((await fileWith(fields, callFields)) as never)
    if (!isValid) return expect(opening).rejects.toMatchObject({ status: 400 })
    const entry = (await opening).journal.entries()[0]
    return expect(entry?.schemaViolation).toBe(false)
  })

  it("keep the saved seed in a gateway with another seed, and that gateway's own in others", async () => {
    const saved = createGateway({ timeScale: 0, seed: 7 }).createSandbox()
    const gateway = createGateway({ timeScale: 0 })
    const opened = await gateway.openSandbox(saved.save())
    expect(opened.save()).toEqual({ ...saved.save(), sandbox: opened.id })
    const [expected, reply, other] = await Promise.all([
      call(createGateway({ timeScale: 0, seed: 7 }), 'POST /responses', { body: question }),
      call({ fetch: gateway.fetch, apiKey: opened.apiKey }, 'POST /responses', { body: question }),
      call({ fetch: gateway.fetch }, 'POST /responses', { body: question }),
    ])
    expect(reply?.text).toBe(expected?.text)
    expect(other?.text).not.toBe(expected?.text)
  })
})

describe('a call in a sandbox file', () => {
  it('is resent in the opened sandbox, even with a key of the whole gateway', async () => {
    const gateway = createGateway({ timeScale: 0, apiKeys: ['k'] })
    for (const path of ['https://gateway.example/api/v1/providers', 'https://gateway.example/other'])
      await gateway.fetch(path, { headers: { authorization: 'Bearer k' } })
    const file = gateway.save()
    gateway.journal.clear()
    const opened = await gateway.openSandbox(file)
    const sandbox = gateway.sandboxes.find(opened.id)
    for (const { id } of opened.journal.entries()) await resend(gateway, sandbox, sandbox.journal.record(id))
    expect(opened.journal.entries().map(({ path }) => path)).toEqual([
      '/api/v1/providers',
      '/other',
      `/sandboxes/${opened.id}/api/v1/providers`,
    ])
    expect(gateway.journal.entries().map(({ path }) => path)).toEqual(['/other'])
  })
})
