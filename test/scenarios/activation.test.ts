import { describe, expect, it } from 'vitest'
import { createGateway, defineScenario } from '../../src/index.ts'
import type { BundledScenarioName } from '../../src/scenarios/bundled.ts'
import { bundledScenarios } from '../../src/scenarios/bundled.ts'
import { open } from '../call.ts'
import { describeAdapters } from '../describe-adapters.ts'

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }

describeAdapters('scenarios and scripted replies', (entrance) => {
  const ask = (body: object = {}, headers = {}) =>
    entrance.call('POST /responses', { body: { ...question, ...body }, headers })

  it('fail() responds with the error envelope to the first `times` requests', async () => {
    entrance.sandbox.fail(503, { times: 2, headers: { 'Retry-After': '1' } })
    const rejected = await ask()
    expect(rejected.body).toEqual({
      error: {
        code: 503,
        message: 'Service temporarily unavailable',
        metadata: { error_type: 'provider_unavailable' },
      },
    })
    expect(rejected.headers.get('retry-after')).toBe('1')
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 200])
  })

  it('name themselves and the matched rule in the reply and the journal', async () => {
    entrance.sandbox.use({
      name: 'outage',
      rules: [
        { on: 'getPreset', fault: 'status' },
        { on: '*', fault: 'status' },
      ],
    })
    expect((await ask()).headers.get('x-understudy-scenario')).toBe('outage#2')
    expect(entrance.sandbox.journal.last('createResponse')?.rules[0]).toEqual({
      scenario: 'outage',
      index: 2,
      name: null,
      kind: 'answer',
      faults: ['status'],
    })
  })

  it('reply with a custom body to any operation, and to paths without an operation', async () => {
    entrance.sandbox.use({
      on: 'listProviders',
      reply: { status: 203, headers: { 'X-Odd': 'yes' }, body: { data: 'odd' } },
    })
    const odd = await entrance.call('GET /providers')
    expect([odd.status, odd.headers.get('x-odd'), odd.body]).toEqual([203, 'yes', { data: 'odd' }])

    entrance.sandbox.use({ on: 'POST /images/generations', reply: { body: { data: [] } } })
    expect((await entrance.call('POST /images/generations', { body: { model: 'a/b' } })).body).toEqual({
      data: [],
    })
  })

  it('send frames unchanged', async () => {
    const half = Buffer.from('ü').subarray(0, 1).toString('base64')
    entrance.sandbox.use({
      on: 'createResponse',
      reply: {
        frames: [
          { event: { type: 'response.created' } },
          { wait: 1 },
          { data: 'not json' },
          { bytes: ': hm\n' },
          { base64: half },
          { done: true },
        ],
      },
    })
    const response = await entrance.open('POST /responses', { body: { ...question, stream: true } })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.toString('latin1')).toBe(
      'data: {"type":"response.created"}\n\ndata: not json\n\n: hm\n\xc3data: [DONE]\n\n',
    )
  })

  it('take precedence over active scenarios if a request header selects them', async () => {
    entrance.sandbox.use('provider-outage')
    const named = (name: string) =>
      entrance.call('GET /providers', { headers: { 'x-understudy-scenario': name } })
    expect([
      (await named('flaky')).status,
      (await named('flaky')).status,
      (await named('flaky')).status,
    ]).toEqual([503, 503, 500])
    const unknown = await named('flakey')
    expect(unknown.status).toBe(400)
    expect(unknown.text).toContain("Unknown scenario 'flakey'; did you mean 'flaky'?")
  })

  it('fail() prevents a write', async () => {
    entrance.sandbox.fail(500)
    const before = await entrance.sandbox.db.workspaces.list()
    const id = before[0]?.id
    expect((await entrance.call(`PATCH /workspaces/${id}`, { body: { name: 'Renamed' } })).status).toBe(500)
    expect(await entrance.sandbox.db.workspaces.list()).toEqual(before)
  })
})

describe('createGateway({ scenarios })', () => {
  it('accepts names and definitions, which are active from the start and again after resetScenarios()', async () => {
    const outage = defineScenario({
      name: 'outage',
      rules: [{ on: 'getPreset', fault: { name: 'status', status: 502 } }],
    })
    const gateway = createGateway({ scenarios: ['flaky', outage] })
    const status = async (path: string) => (await open(gateway, `GET ${path}`)).status
    expect([await status('/providers'), await status('/providers'), await status('/presets/any')]).toEqual([
      503, 503, 502,
    ])
    gateway.resetScenarios()
    expect(await status('/providers')).toBe(503)
  })
})

describe('bundled scenarios', () => {
  it.each([...bundledScenarios])(
    '%s can be activated, is named after its file, and has a description',
    (name, { description }) => {
      using use = createGateway().use(name as BundledScenarioName)
      expect(use.name).toBe(name)
      expect(description).toMatch(/^[A-Z].{20,}\.$/)
    },
  )
})
