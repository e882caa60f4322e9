/** Tests the console's control operations. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { FormSchema, ScenarioDraft } from '../../../src/extras/console/drafts.ts'
import { inSlices } from '../../../src/extras/console/operations.ts'
import { type CallRow, toRow } from '../../../src/extras/console/rows.ts'
import type { Why } from '../../../src/extras/console/why.ts'
import type { Workspace } from '../../../src/resources/workspace.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call, open } from '../../call.ts'
import { consoleData } from './console-control.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
})
afterAll(() => server.close())

const control = <Data>(line: string, body?: object) => consoleData<Data>(server, line, body)

const ask = async (input: unknown, more: object = {}, headers = {}) =>
  (
    await open(server, 'POST /responses', { body: { model: 'aurora/dawn-2', input, ...more }, headers })
  ).headers.get('x-request-id') as string

const why = (id: string, sandbox = 'default') => control<Why>(`GET /sandboxes/${sandbox}/calls/${id}/why`)

describe('rows of calls', () => {
  it('contain the beginning of the input, the conversation, the size and the trace', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const id = await ask(
      [
        { role: 'user', content: 'Which key?\nMine is sk-abcdefghijklmnopqrstuvwx1234567890' },
        { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'It is at six.' },
      ],
      {},
      { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    )
    const [row] = await control<CallRow[]>('POST /rows', {
      calls: [
        ['default', id],
        ['default', 'unknown'],
      ],
    })
    expect(row).toMatchObject({ id, input: 'result: It is at six.', traceId })
    expect(row?.conversation).toMatch(/^Which key\? Mine is (?!sk-)/)
    expect(row?.bytes).toBeGreaterThan(100)
    expect((await control<CallRow[]>('POST /rows', {})).at(-1)).toEqual(row)
    expect(await control('POST /body-searches', { text: 'AT SIX' })).toEqual([['default', id]])
  })

  it('contain the whole size of a reply that the journal has cut', async () => {
    await using sandbox = await server.gateway.createSandbox()
    await open({ baseUrl: sandbox.baseUrl }, 'GET /providers')
    const { calls = [], ...file } = sandbox.save()
    const responseBody = { text: 'abc', truncatedBytes: 5 }
    const { id } = await control<{ id: string }>('POST /files', {
      name: 'cut.json',
      file: { ...file, calls: calls.map((each) => ({ ...each, responseBody })) },
    })
    const [row] = await control<CallRow[]>('POST /rows', { calls: [[id, calls[0]?.id]] })
    expect(row).toMatchObject({ sandbox: id, bytes: 8 })
  })

  it('contain the beginning of a body that the journal has cut, and no conversation', async () => {
    const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'x'.repeat(1_100_000) })
    const { headers } = await open(server, 'POST /responses', { body })
    const calls = [['default', headers.get('x-request-id')]]
    expect(await control('POST /rows', { calls })).toMatchObject([
      { input: body.slice(0, 120), conversation: null },
    ])
  })

  it('contain the beginning of the first 1,200 characters of a text without its line breaks', async () => {
    const id = await ask(`${'\n'.repeat(1199)}abc`)
    expect(await control('POST /rows', { calls: [['default', id]] })).toMatchObject([{ input: 'a' }])
  })

  it('are converted in slices, between which other work is done', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20))
    try {
      const record = server.gateway.sandboxes.default.journal.record(await ask('Slices'))
      let isConverted = false
      const rows = inSlices([record], ({ id }) => id).finally(() => {
        isConverted = true
      })
      for (let turn = 0; turn < 100; turn++) await Promise.resolve()
      expect(isConverted).toBe(false)
      expect(await rows).toEqual([record.id])
    } finally {
      clock.mockRestore()
    }
  })

  it('are derived once per call', async () => {
    const id = await ask('Once')
    const { operations, sandboxes } = server.gateway
    const protocol = operations.find((each) => each.id === 'createResponse')?.protocol
    const conversation = vi.spyOn(protocol as NonNullable<typeof protocol>, 'conversation')
    try {
      const record = sandboxes.default.journal.record(id)
      expect(toRow(record, operations)).toEqual(toRow(record, operations))
      expect(conversation).toHaveBeenCalledOnce()
    } finally {
      conversation.mockRestore()
    }
  })
})

describe('explanations with counters', () => {
  it('count the calls within a rate limit', async () => {
    using _limit = server.gateway.use({
      name: 'busy',
      rules: [{ name: 'limit', on: 'createResponse', rateLimit: { requests: 2, per: '60s' } }],
    })
    const [first, second, third] = [await ask('1'), await ask('2'), await ask('3')]
    const { rule } = await why(third)
    expect(rule).toMatchObject({ title: "rule 1 (limit) of 'busy'", calls: [second, first] })
    expect(rule?.facts).toEqual([
      'Used 3 of 2 requests in 60 s.',
      'A new window begins 60 s after the first of these calls.',
      "Call 3 of those that match the rule's conditions.",
    ])
    expect((await why(first)).skipped[0]).toMatchObject({
      reason: 'has not reached its limit of 2 calls in 60 s: this is call 1 in this window',
      isWithinLimit: true,
    })
    server.gateway.journal.clear()
    expect((await why(await ask('4'))).rule?.facts).toEqual([
      'Used 1 of 2 requests in 60 s, counting calls still in the journal.',
      "Call 4 of those that match the rule's conditions.",
    ])
  })

  it('contain the number drawn, the call number, the step, and the calls that used up a rule', async () => {
    using _rules = server.gateway.use({
      name: 'mixed',
      rules: [
        { on: 'createResponse', when: { input: 'chance' }, probability: 0.999, fault: 'rate-limit' },
        { on: 'createResponse', when: { input: 'steps' }, sequence: ['pass', { fault: 'rate-limit' }] },
        { on: 'createResponse', when: { input: 'once' }, times: 1, fault: { name: 'status', status: 503 } },
      ],
    })
    const factsOf = async (id: string) => (await why(id)).rule?.facts.join(' ')
    expect(await factsOf(await ask('chance'))).toMatch(/Drew 0\.\d+, below the probability 0\.999\./)
    await ask('steps')
    expect(await factsOf(await ask('steps'))).toContain('Step 2 of 2.')
    const used = await ask('once')
    expect(await factsOf(used)).toContain(
      "Fault status, status 503. Call 1 of those that match the rule's conditions. Applied 1 of 1 times, counting calls in the journal.",
    )
    const { rule, skipped } = await why(await ask('once'))
    expect(rule).toBeNull()
    expect(skipped[2]).toMatchObject({ reason: 'is used up: it applies once', calls: [used] })
    expect(skipped[0]?.conditions).toEqual([
      { wants: "input text containing 'chance'", has: "'once'", passes: false },
    ])
  })

  it('contain the calls in a window of a rate limit, also in a saved file', async () => {
    await using sandbox = await server.gateway.createSandbox()
    // Each call advances the sandbox time by a millisecond: the third call is two milliseconds after the first.
    const rateLimit = { requests: 1, per: '2ms' } as const
    sandbox.use({ name: 'busy', rules: [{ name: 'limit', on: 'listProviders', rateLimit }] })
    const ids: string[] = []
    for (let time = 0; time < 3; time++) {
      const { headers } = await open({ baseUrl: sandbox.baseUrl }, 'GET /providers')
      ids.push(headers.get('x-request-id') as string)
    }
    const opened = await control<{ id: string }>('POST /files', { name: 'busy.json', file: sandbox.save() })
    const explained = {
      rule: {
        title: "rule 1 (limit) of 'busy'",
        facts: expect.arrayContaining([
          'Used 2 of 1 requests in 2 ms.',
          'A new window begins 2 ms after the first of these calls.',
        ]),
        calls: [ids[0]],
      },
      skipped: [],
      unlisted: 0,
    }
    for (const at of [sandbox.id, opened.id]) expect(await why(ids[2] as string, at)).toMatchObject(explained)
  })

  it('contain the turn of a script and its problem', async () => {
    await using sandbox = await server.gateway.createSandbox()
    sandbox.use({ on: 'createResponse', script: [{ text: 'One' }] })
    const input = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'One' },
      { role: 'user', content: 'More' },
    ]
    const facts: (string[] | undefined)[] = []
    for (const length of [1, 3]) {
      const body = { model: 'aurora/dawn-2', input: input.slice(0, length) }
      const { headers } = await open({ baseUrl: sandbox.baseUrl }, 'POST /responses', { body })
      facts.push((await why(headers.get('x-request-id') as string, sandbox.id)).rule?.facts)
    }
    expect(facts).toEqual([
      ['Scripted reply.', 'Turn 1 of 1 in conversation 1.'],
      [
        expect.stringMatching(/^Fault status, status 400, message "Script: there is no turn 2: /),
        'Turn 2 of 1 in conversation 1.',
        'Script problem: no turn 2: the script has 1 turn.',
      ],
    ])
  })

  it('show durations from a second in seconds', async () => {
    using _limit = server.gateway.use({ on: '*', rateLimit: { requests: 1, per: '1s' } })
    await ask('1')
    expect((await why(await ask('2'))).rule?.facts[0]).toBe('Used 2 of 1 requests in 1 s.')
  })

  it('are kept in a saved file', async () => {
    const { gateway } = server
    await using sandbox = await gateway.createSandbox()
    sandbox.use({
      name: 'other',
      rules: [{ on: 'listProviders', when: { query: { page: '2' } }, fault: 'timeout' }],
    })
    const response = await open({ baseUrl: sandbox.baseUrl }, 'GET /providers')
    const id = response.headers.get('x-request-id') as string
    const opened = await control<{ id: string }>('POST /files', {
      name: 'sandbox.json',
      file: sandbox.save(),
    })
    const listed = { sandbox: opened.id, name: 'sandbox.json', saved: sandbox.id, test: null }
    expect(await control('GET /files')).toContainEqual(listed)
    expect((await why(id, opened.id)).skipped).toEqual((await why(id, sandbox.id)).skipped)
    expect((await why(id, opened.id)).skipped[0]?.conditions).toMatchObject([{ has: 'none', passes: false }])
    await call({ baseUrl: `${server.url}/__understudy` }, `DELETE /sandboxes/${opened.id}`)
    expect(await control('GET /files')).not.toContainEqual(listed)
  })
})

describe('calls', () => {
  it('link to the rows that a path parameter or the model names', async () => {
    const preset = await server.gateway.db.presets.get('code-review')
    const { headers } = await open(server, 'GET /presets/code-review')
    expect((await why(headers.get('x-request-id') as string)).rows).toEqual([
      { collection: 'presets', key: preset?.id, name: 'code-review' },
    ])
    expect((await why(await ask('tides'))).rows).toMatchObject([
      { collection: 'models', key: 'aurora/dawn-2' },
    ])
  })
})

describe('drafts', () => {
  const at = '/sandboxes/default'

  it('of scenarios are parsed and tried against past calls; their problems have paths and positions', async () => {
    await ask('tides', { model: 'aurora/dawn-1' })
    const draft = (text: string) => control<ScenarioDraft>(`POST ${at}/drafts`, { text })
    const rule = { on: 'createResponse', when: { model: 'aurora/dawn-1' }, fault: 'rate-limit' }
    const { scenario, dryRun, problems } = await draft(JSON.stringify(rule))
    expect(problems).toEqual([])
    expect(scenario?.rules).toMatchObject([{ on: 'createResponse' }])
    expect(dryRun).toMatchObject({ met: 1, rules: [{ rule: 1, met: 1 }] })
    expect(await draft('name: mine\nrules:\n  - on: listProvider\n    fault: timeout\n')).toMatchObject({
      value: { name: 'mine' },
      scenario: null,
      problems: [{ path: ['rules', 0, 'on'], line: 3, column: 5 }],
      dryRun: null,
    })
    expect((await draft('on: listProvider\nfault: timeout\n')).problems).toMatchObject([{ path: ['on'] }])
    expect(await draft('[')).toMatchObject({ value: null, problems: [{ path: [], line: 1 }] })
    expect(await draft('unknown-name')).toMatchObject({ value: 'unknown-name', problems: [{ path: [] }] })
  })

  it('of rows are checked without being saved, and their forms list valid values', async () => {
    const row = await server.gateway.db.workspaces.get('production')
    expect(await control(`POST ${at}/row-checks/workspaces`, { ...row })).toEqual([])
    expect(await control(`POST ${at}/row-checks/workspaces`, { ...row, slug: 'A b' })).toMatchObject([
      { path: 'workspaces.slug', message: expect.stringContaining('lowercase') },
    ])
    const form = await control<FormSchema>(`GET ${at}/row-forms/presets`)
    expect(form.schema).toMatchObject({
      properties: {
        status: { enum: ['active', 'disabled', 'archived'] },
        created_at: { format: 'date-time', default: server.gateway.clock.read().now },
      },
    })
    expect(form.schema).not.toHaveProperty('properties.id.default')
    expect(form.names['workspace_id']).toContain(row?.id)
    const { names } = await control<FormSchema>(`GET ${at}/scenario-form`)
    expect(names).toMatchObject({ model: expect.arrayContaining(['aurora/dawn-2']) })
  })

  it('of rows offer up to 200 values', async () => {
    await using sandbox = await server.gateway.createSandbox()
    const row = (await sandbox.db.workspaces.get('production')) as Workspace
    for (let count = 0; count < 201; count++)
      await sandbox.db.workspaces.create({ ...row, id: randomUUID(), slug: `slug-${count}` })
    const form = await control<FormSchema>(`GET /sandboxes/${sandbox.id}/row-forms/presets`)
    expect(form.names['workspace_id']).toHaveLength(200)
  })
})
