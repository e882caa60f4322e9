/** Tests the console's control operations. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ChangedRows } from '../../../src/extras/console/changed-rows.ts'
import type { CheckedDraft, ScenarioDraft } from '../../../src/extras/console/drafts.ts'
import { type ChangedCalls, inSlices } from '../../../src/extras/console/operations.ts'
import { toRow } from '../../../src/extras/console/rows.ts'
import type { Why } from '../../../src/extras/console/why.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'
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

const changes = (after = '') => control<ChangedCalls>(`GET /changes?after=${after}`)
const rowOf = async (id: string) => (await changes()).rows.find((row) => row.id === id)

describe('changed calls', () => {
  it('are all calls at first, then those that changed since a position, without a wait if there are some', async () => {
    const before = await ask('Before')
    const first = await changes()
    expect(first).toMatchObject({ isComplete: true })
    expect(first.rows.at(-1)?.id).toBe(before)
    const id = await ask('After')
    const second = await changes(first.position)
    expect(second).toMatchObject({ isComplete: false, rows: [{ id, delivery: 'complete' }] })
    const waiting = changes(second.position)
    const later = await ask('Later')
    expect(await waiting).toMatchObject({ isComplete: false, rows: [{ id: later }] })
  })

  it('are all calls after a restart of the server, or if more than 5,000 were missed', async () => {
    const { position } = await changes()
    expect(await changes(`other.${position.split('.')[1]}`)).toMatchObject({ isComplete: true })
    const record = server.gateway.sandboxes.default.journal.record(await ask('Many'))
    for (const listener of server.gateway.sandboxes.listeners)
      for (let count = 0; count < 5001; count++) listener.settled?.(Object.create(record))
    expect(await changes(position)).toMatchObject({ isComplete: true })
  })
})

it('collections are listed with the number of their records, without copying these', async () => {
  const { db } = server.gateway
  const list = vi.spyOn(Object.getPrototypeOf(db.providers), 'list')
  const collections = await control('GET /sandboxes/default/collections')
  expect(list).not.toHaveBeenCalled()
  list.mockRestore()
  expect(collections).toContainEqual({ name: 'providers', count: (await db.providers.list()).length })
  await db.benchmarks.create({ ...(await db.benchmarks.list())[0], model_permaslug: 'nova/one' } as never)
  const { rows } = await control<ChangedRows>('GET /sandboxes/default/collections/benchmarks')
  expect(rows.at(-1)).toMatchObject({ key: 'index-source:nova/one', change: 'added' })
  expect(rows.filter(({ change }) => change)).toHaveLength(1)
  await db.benchmarks.delete('index-source:nova/one')
})

it('bundled scenarios are listed with their rules', async () => {
  const scenarios = await control('GET /scenarios')
  expect(scenarios).toContainEqual(expect.objectContaining({ name: 'flaky', rules: [expect.anything()] }))
})

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
    const row = await rowOf(id)
    expect(row).toMatchObject({ id, input: 'result of look_up: It is at six.', traceId })
    expect(row?.conversation).toMatch(/^Which key\? Mine is (?!sk-)/)
    expect(row?.bytes).toBeGreaterThan(100)
    for (const search of [
      { text: 'AT SIX' },
      { text: 't is at', field: 'body' },
      { text: 'six', field: 'output' },
      { text: 'look', field: 'input.0.name' },
    ])
      expect(await control('POST /body-searches', search), search.text).toEqual([['default', id]])
    for (const search of [{ text: 't six' }, { text: 'six', field: 'input' }, { text: 'look', field: 'id' }])
      expect(await control('POST /body-searches', search), search.text).toEqual([])
  })

  it('contain the beginning of a body that the journal has cut, and no conversation', async () => {
    const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'x'.repeat(1_100_000) })
    const { headers } = await open(server, 'POST /responses', { body })
    const row = await rowOf(headers.get('x-request-id') as string)
    expect(row).toMatchObject({ input: body.slice(0, 120), conversation: null })
  })

  it('contain the beginning of the first 1,200 characters of a text without its line breaks', async () => {
    const id = await ask(`${'\n'.repeat(1199)}abc`)
    expect(await rowOf(id)).toMatchObject({ input: 'a' })
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
    const { rules } = await why(third)
    expect(rules[0]).toMatchObject({ text: "rule 1 (limit) of 'busy'", calls: [second, first] })
    expect(rules[0]?.facts).toEqual([
      'Request 3 in 60 s, above the limit of 2.',
      'A new window begins 60 s after the first of these calls.',
      "This is number 3 of the calls that match the rule's conditions.",
    ])
    expect((await why(first)).skipped[0]).toMatchObject({
      label: 'Not reached yet',
      text: "rule 1 (limit) of 'busy' has not reached its limit of 2 calls in 60 s: this is call 1 in this window",
    })
    server.gateway.journal.clear()
    expect((await why(await ask('4'))).rules[0]?.facts).toEqual([
      'Request 1 in 60 s, above the limit of 2, counting calls still in the journal.',
      "This is number 4 of the calls that match the rule's conditions.",
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
    const factsOf = async (id: string) => (await why(id)).rules[0]?.facts.join(' ')
    expect(await factsOf(await ask('chance'))).toMatch(/draw 0\.\d+ is below the probability 0\.999\./)
    await ask('steps')
    expect(await factsOf(await ask('steps'))).toContain('Step 2 of 2.')
    const used = await ask('once')
    expect(await factsOf(used)).toContain(
      "Fault status, status 503. This is number 1 of the calls that match the rule's conditions. Use 1 of 1, counting calls in the journal.",
    )
    const { rules, skipped } = await why(await ask('once'))
    expect(rules).toEqual([])
    expect(skipped[2]).toMatchObject({
      label: 'Near miss',
      text: "rule 3 of 'mixed' is used up: it applies once",
      calls: [used],
    })
    expect(skipped[0]?.conditions).toEqual([
      { wants: "input text containing 'chance'", has: "'once'", passes: false },
    ])
  })

  it('contain the sum of delays, and the record that already has the slug of a request', async () => {
    await using server = await startServer({ timeScale: 0, latency: { perToken: 5 } })
    server.gateway.use({ on: 'createResponse', fault: { name: 'latency', ms: 1000 } })
    await (await open(server, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Slow' } })).text()
    await open(server, 'PATCH /workspaces/production', { body: { slug: 'staging' } })
    const [slow, taken] = server.gateway.journal.entries()
    const explain = (id = '') => consoleData<Why>(server, `GET /sandboxes/default/calls/${id}/why`)
    const tokens = slow?.usage?.outputTokens ?? 0
    const total = Math.round((1000 + 5 * tokens) / 10) / 100
    expect((await explain(slow?.id)).facts).toContainEqual({
      label: 'Time',
      text: `1000 ms from faults + 0 ms to the first token + ${tokens} tokens × 5 ms = ${total} s.`,
    })
    expect(taken?.status).toBe(409)
    const { rows } = await explain(taken?.id)
    expect(rows.map(({ name }) => name)).toEqual(['production', 'staging'])
  })

  it('contain the turn of a script and its problem', async () => {
    await using sandbox = await server.gateway.createSandbox()
    sandbox.use({ on: 'createResponse', script: [{ text: 'One' }] })
    const input = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'One' },
      { role: 'user', content: 'More' },
    ]
    const facts: string[][] = []
    for (const length of [1, 3]) {
      const body = { model: 'aurora/dawn-2', input: input.slice(0, length) }
      const { headers } = await open({ baseUrl: sandbox.baseUrl }, 'POST /responses', { body })
      const found = await why(headers.get('x-request-id') as string, sandbox.id)
      const ofCall = found.facts.filter(({ label }) => label === 'Script').map(({ text }) => text)
      facts.push([...ofCall, ...(found.rules[0]?.facts ?? [])])
    }
    expect(facts).toEqual([
      ['turn 1 of 1 in conversation 1, as expected.', 'Scripted reply.'],
      [
        'turn 2 of 1 in conversation 1, but expected no turn 2: the script has 1 turn.',
        expect.stringMatching(/^Fault status, status 400, message "the inline rule: there is no turn 2: /),
      ],
    ])
  })

  it('contain every rule that acts on a call', async () => {
    using _scenarios = server.gateway.use(
      { name: 'spoken', rules: [{ on: 'createResponse', reply: { text: 'Hello' } }] },
      { name: 'late', rules: [{ on: 'createResponse', fault: { name: 'latency', ms: 1 } }] },
    )
    const { rules } = await why(await ask('1'))
    expect(rules).toMatchObject([
      {
        activation: expect.stringMatching(/^spoken~/),
        facts: ['Scripted reply.', "This is number 1 of the calls that match the rule's conditions."],
      },
      {
        activation: expect.stringMatching(/^late~/),
        facts: [
          'Fault latency, ms 1, jitterMs 0.',
          "This is number 1 of the calls that match the rule's conditions.",
        ],
      },
    ])
  })

  it('count the uses of a rule, not those of others with the same name', async () => {
    const fault = { name: 'status', status: 503 } as const
    const rules = [{ model: 'aurora/*' }, {}].map((when) =>
      server.gateway.use({ on: '*', when, times: 1, fault }),
    )
    const [first, second, third] = [await ask('1'), await ask('2'), await ask('3')]
    for (const [index, call] of [first, second].entries()) {
      const expected = { activation: rules[index]?.id, calls: [] }
      expect((await why(call)).rules).toMatchObject([expected])
      expect((await rowOf(call))?.rules).toMatchObject([{ activation: rules[index]?.id }])
    }
    const { skipped } = await why(third)
    expect(skipped).toMatchObject([
      { activation: rules[1]?.id, conditions: [], calls: [second] },
      { activation: rules[0]?.id, conditions: [{ wants: "model 'aurora/*'" }], calls: [first] },
    ])
    server.gateway.resetScenarios()
  })

  it('show durations from a second in seconds', async () => {
    using _limit = server.gateway.use({ on: '*', rateLimit: { requests: 1, per: '1s' } })
    await ask('1')
    expect((await why(await ask('2'))).rules[0]?.facts[0]).toBe('Request 2 in 1 s, above the limit of 1.')
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

  it('of scenarios are parsed and tried on past calls; their problems have positions', async () => {
    await ask('tides', { model: 'aurora/dawn-1' })
    const draft = (text: string) => control<ScenarioDraft>(`POST ${at}/drafts`, { text })
    const rule = { on: 'createResponse', when: { model: 'aurora/dawn-1' }, fault: 'rate-limit' }
    const { scenario, dryRun, problems } = await draft(JSON.stringify(rule))
    expect(problems).toEqual([])
    expect(scenario?.rules).toMatchObject([{ on: 'createResponse' }])
    expect(dryRun).toMatchObject({ calls: [{ rule: 1 }] })
    expect(await draft('name: mine\nrules:\n  - on: listProvider\n    fault: timeout\n')).toMatchObject({
      scenario: null,
      problems: [{ message: expect.stringContaining('listProviders'), line: 3, column: 5 }],
      dryRun: null,
    })
    expect((await draft('[')).problems).toMatchObject([{ line: 1 }])
    expect((await draft('unknown-name')).problems).toHaveLength(1)
    expect((await draft('{{x}} '.repeat(16_000))).problems).toMatchObject([{ line: 1, column: 7 }])
    const { problems: tooLong } = await draft('{{x}} '.repeat(200_000))
    expect(tooLong).toMatchObject([{ message: expect.stringMatching(/^is longer than 100000 characters/) }])
  })

  it.each([
    ['|', ['name: ', 'rules: ']],
    ['$|', []],
    ['name: a\nrules:\n  - on: createR|', ['createResponse']],
    ['rules: [{ on: | }]', ["'*'", 'text']],
    ['rules:\n  - on: text\n    fa|', ['fault: ']],
    ['rules:\n  - on: text\n    fa|: latency', ['fault']],
    ['rules:\n  - on: text\n    when:\n      st|\n    fault: latency', ['stream: ', 'state: ']],
    ['rules:\n  - on: text\n    fault: stream-c|', ['stream-cut']],
    ['rules:\n  - on: text\n    fault: { name: stream-cut, after| }', ['afterDeltas: ']],
    ['{ "rules": [{ "on": "te|" }] }', ['text']],
    ['{ "rules": [{ "on": "text", "fault": { "name": "status", | } }] }', ['"status": ']],
    ['rules: [{ fault: { name: latency, na| } }]', []],
    ['rules: [{{|', []],
  ])('complete names in %j', async (text, names) => {
    const position = text.indexOf('|')
    const body = { text: text.replace('|', ''), position }
    const { completions } = await control<CheckedDraft>('POST /sandboxes/default/drafts', body)
    const inserted = completions.options.map(({ insert }) => insert)
    expect(inserted).toEqual(names.length > 0 ? expect.arrayContaining(names) : [])
  })
})
