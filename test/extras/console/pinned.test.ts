/** Compares replies of the console's control operations with snapshots: explanations, call rows and drafts. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FormSchema, ScenarioDraft } from '../../../src/extras/console/drafts.ts'
import type { CallRow } from '../../../src/extras/console/rows.ts'
import type { Why } from '../../../src/extras/console/why.ts'
import type { RuleInput, ScenarioInput } from '../../../src/scenarios/scenario.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { consoleData } from './console-control.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
})
afterAll(() => server.close())

const control = <Data>(line: string, body?: object) => consoleData<Data>(server, line, body)

/** Rules by the input that they match, each with the number of requests to send with this input. */
const rules: Record<string, [times: number, rule: Omit<RuleInput, 'on'>]> = {
  'fault with parameters': [1, { fault: { name: 'status', status: 503, message: 'Sold out' } }],
  'several faults': [1, { faults: ['latency', 'rate-limit'] }],
  reply: [1, { reply: 'Scripted' }],
  after: [3, { after: 2, fault: 'rate-limit' }],
  'certain calls': [3, { when: { call: [1, 3] }, fault: 'rate-limit' }],
  times: [4, { times: 2, fault: 'rate-limit' }],
  probability: [2, { probability: 0.5, fault: 'rate-limit' }],
  sequence: [4, { sequence: [{ fault: 'rate-limit' }, 'pass', { reply: 'third' }] }],
  state: [1, { setState: 'outage' }],
  script: [1, { script: [{ text: 'first' }, { text: 'second' }] }],
  period: [1, { during: { fromMs: 0, toMs: '90s' }, fault: 'rate-limit' }],
  'period without end': [1, { during: { fromMs: 0 }, fault: 'rate-limit' }],
  'later period': [1, { during: { fromMs: '1h' }, fault: 'rate-limit' }],
  'requests by key': [3, { rateLimit: { requests: 1, per: '500ms', by: 'key' } }],
  'requests by model': [3, { rateLimit: { requests: 2, per: '1m', by: 'model' } }],
  often: [0, { fault: 'rate-limit' }],
  tokens: [3, { rateLimit: { tokens: 30, per: '60s' } }],
  'after one': [2, { after: 1, fault: 'rate-limit' }],
  'state and fault': [1, { setState: 'outage', fault: 'rate-limit' }],
}

const scenario: ScenarioInput = {
  name: 'pinned',
  rules: Object.entries(rules).map(([input, [, { when, ...rule }]]) => ({
    on: 'createResponse',
    when: { input: { matches: `^${input}$` }, ...when },
    ...rule,
  })),
}

const others: ScenarioInput = {
  name: 'others',
  rules: [
    {
      name: 'strict',
      on: 'createResponse',
      when: { headers: { 'x-tier': 'gold' }, body: { user: { present: true } } },
      fault: 'timeout',
    },
    { on: 'createResponse', when: { state: 'outage', model: 'nova/*', stream: true }, fault: 'timeout' },
    ...Array.from(
      { length: 22 },
      (): RuleInput => ({
        on: 'createResponse',
        when: { query: { page: '2' } },
        fault: 'timeout',
      }),
    ),
  ],
}

it('explanations of each kind of rule match the snapshot, in the sandbox and in an opened file', async () => {
  await using sandbox = await server.gateway.createSandbox()
  const { baseUrl } = sandbox
  const ids: string[] = []
  const lines: string[] = []
  const named = (text: string) =>
    ids.reduceRight((all, id, index) => all.replaceAll(id, `#${index + 1}`), text)
  const send = async (input: string, line: string, time = 1, headers = {}) => {
    const body = line.startsWith('GET')
      ? undefined
      : { model: time === 2 ? 'aurora/dawn-1' : 'aurora/dawn-2', input }
    const reply = await call({ baseUrl, apiKey: `key-${time === 3 ? 2 : 1}` }, line, { body, headers })
    ids.push(reply.headers.get('x-request-id') as string)
    lines.push(`#${ids.length} ${input}, call ${time}`, await reportOf(ids.at(-1) as string, sandbox.id))
  }
  const reportOf = async (id: string, at: string) => {
    const { rule, skipped, unlisted, rows } = await control<Why>(`GET /sandboxes/${at}/calls/${id}/why`)
    const tried = skipped.filter(
      ({ conditions, reason }) => conditions[0]?.passes !== false || !/input text/.test(reason),
    )
    const report = [...(rule ? [rule] : []), ...tried].flatMap((each) => [
      `  ${each === rule ? 'applied' : 'skipped'} ${each.scenario} ${each.rule}, ${each.title}: ${each.reason}${each.isWithinLimit ? ' (within its limit)' : ''}`,
      ...each.facts.map((fact) => `    ${fact}`),
      ...each.conditions.map(
        ({ wants, has, passes }) => `    ${passes ? 'met' : 'not met'}: ${wants} / ${has}`,
      ),
      ...(each.calls.length > 0 ? [`    calls ${each.calls.join(' ')}`] : []),
    ])
    const found = rows.map(({ collection, key, name }) => `${collection} ${key} by ${name}`).join(', ')
    return named(
      [...report, `  ${unlisted} of ${unlisted + skipped.length} unlisted, rows: ${found}`].join('\n'),
    )
  }

  sandbox.use(scenario)
  for (const [input, [times]] of Object.entries(rules))
    for (let time = 1; time <= times; time++) await send(input, 'POST /responses', time)
  for (let time = 1; time <= 23; time++)
    await call({ baseUrl, apiKey: 'key-1' }, 'POST /responses', {
      body: { model: 'aurora/dawn-2', input: 'often' },
    })
  await send('often', 'POST /responses')
  sandbox.use(others)
  await send('others', 'POST /responses', 1, { 'x-tier': 'Bearer sk-abcdefghijklmnopqrstuvwx1234567890' })
  await send('preset', 'GET /presets/code-review')
  const file = { ...sandbox.save(), test: 'fails' }
  const opened = await control<{ id: string }>('POST /files', { name: 'a.json', file })
  lines.push('In the opened file:')
  for (const id of ids) lines.push(named(id), await reportOf(id, opened.id))
  const listed = { sandbox: opened.id, name: 'a.json', saved: sandbox.id, test: 'fails' }
  expect(await control('GET /files')).toContainEqual(listed)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('pinned/explanations.txt')
})

it('rows of calls match the snapshot', async () => {
  await using sandbox = await server.gateway.createSandbox()
  const secret = 'sk-abcdefghijklmnopqrstuvwx1234567890'
  const tool = { type: 'function', name: 'look_up', parameters: { type: 'object', properties: {} } }
  const sent: [line: string, body?: unknown][] = [
    ['GET /providers?page=1&api_key=secret-value'],
    ['GET /providers'],
    ['POST /workspaces/none', { name: 'x'.repeat(200) }],
    ['PATCH /workspaces/production', { name: `Has ${secret}` }],
    ['POST /responses', { model: 'aurora/dawn-2', input: `${'word '.repeat(23)}${secret} after` }],
    [
      'POST /responses',
      { model: 'aurora/dawn-2', input: 'line\nbreak', tools: [tool], tool_choice: 'required' },
    ],
    [
      'POST /responses',
      {
        model: 'aurora/dawn-2',
        input: [
          { role: 'user', content: 'First' },
          { role: 'assistant', content: 'Second' },
          { type: 'function_call', call_id: 'c', name: 'look_up', arguments: '{"q":1}' },
        ],
      },
    ],
    ['POST /responses', { model: 'aurora/dawn-2', input: [] }],
    ['POST /responses', { model: 'aurora/dawn-2', input: `Long ${'x'.repeat(256 * 1024)}` }],
  ]
  const ids: string[] = []
  for (const [line, body] of sent)
    ids.push((await call({ baseUrl: sandbox.baseUrl }, line, { body })).headers.get('x-request-id') as string)
  const rows = await control<CallRow[]>('POST /rows', {
    calls: [...ids, 'unknown'].map((id) => [sandbox.id, id]),
  })
  const lines = rows.map(({ input, conversation, bytes, traceId }) =>
    JSON.stringify({ input, conversation, bytes, traceId }),
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('pinned/rows.txt')
  expect((await control<CallRow[]>('POST /rows', { last: 3 })).map(({ id }) => id)).toEqual(ids.slice(-3))
  expect(rows.map(({ timestamp }) => timestamp)).toEqual(
    rows.map(({ timestamp }) => new Date(timestamp).toISOString()),
  )
})

it('problems of drafts and forms match the snapshot', async () => {
  const at = '/sandboxes/default'
  const lines: string[] = []
  for (const text of [
    '[',
    '',
    'null',
    '42',
    'a: b: c',
    '- fault: timeout',
    'rules: []',
    'name: a b\nrules:\n  - on: nothing\n',
    '{"on": "createResponse", "fault": {"name": "status", "status": 9}}',
    'on: createResponse\nwhen:\n  input: { matches: "(" }\nfault: timeout\n',
    'name: two\nrules:\n  - on: createResponse\n    fault: timeout\n  - on: getPreset\n    times: -1\n    fault: timeout\n',
  ]) {
    const { problems, scenario, dryRun, value } = await control<ScenarioDraft>(`POST ${at}/drafts`, { text })
    lines.push(
      JSON.stringify(text),
      `  ${JSON.stringify({ value, scenario, dryRun: dryRun && Object.keys(dryRun) })}`,
    )
    for (const { path, line, column, message } of problems)
      lines.push(`  ${line}:${column} ${path.join('.')} ${message}`)
  }
  for (const collection of ['models', 'presets', 'workspaces', 'providers']) {
    const { schema, names } = await control<FormSchema>(`GET ${at}/row-forms/${collection}`)
    lines.push(`${collection}: ${Object.keys(schema).join(' ')}`)
    for (const [name, values] of Object.entries(names)) lines.push(`  ${name}: ${values.length} ${values[0]}`)
    lines.push(JSON.stringify(await control(`POST ${at}/row-checks/${collection}`, { id: 1 })))
  }
  const { names } = await control<FormSchema>(`GET ${at}/scenario-form`)
  for (const [name, values] of Object.entries(names))
    lines.push(`${name}: ${values.length} ${values[0]} ${values.at(-1)}`)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('pinned/drafts.txt')
})

it('the console operations accept inputs up to their limits, and reject larger or smaller ones', async () => {
  const at = { baseUrl: `${server.url}/__understudy/console` }
  const accepts = async (line: string, body: object) => (await call(at, line, { body })).status < 400
  const calls = (count: number) => Array.from({ length: count }, () => ['default', 'unknown'])
  const text = (length: number) => 'x'.repeat(length)
  const file = server.gateway.save()
  const limits: [line: string, smallest: object, largest: object, tooSmall: object, tooLarge: object][] = [
    ['POST /rows', { last: 1 }, { last: 10_000 }, { last: 0 }, { last: 10_001 }],
    ['POST /rows', { calls: [] }, { calls: calls(10_000) }, { calls: [['']] }, { calls: calls(10_001) }],
    ['POST /body-searches', { text: 'x' }, { text: text(1000) }, { text: '' }, { text: text(1001) }],
    ['POST /files', { name: '', file }, { name: text(1000), file }, { file }, { name: text(1001), file }],
  ]
  for (const [line, smallest, largest, tooSmall, tooLarge] of limits)
    expect(
      [
        await accepts(line, smallest),
        await accepts(line, largest),
        await accepts(line, tooSmall),
        await accepts(line, tooLarge),
      ],
      line,
    ).toEqual([true, true, false, false])
  expect((await call(at, 'GET /sandboxes/default/row-forms/unknown')).status).toBe(404)
})
