import { describe, expect, it } from 'vitest'
import { parserOf } from '../../src/cli/flags.ts'
import { requestedForm } from '../../src/faults/fault.ts'
import { faultOf, faults } from '../../src/faults/index.ts'
import { createGateway } from '../../src/index.ts'
import { gatewayOptions } from '../../src/sandbox/options.ts'
import { call, open } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const names = [...faults.map(({ name }) => name), 'status-429', 'status-503']
const entrances = ['use', 'header', '--scenario', 'model'] as const

const refused: Readonly<Record<string, string>> = {
  field: "the fault 'field' requires path: use({ on: '*', fault: { name: 'field', path: … } })",
}

/** Activates a fault by its name, sends a request, and returns the faults in the journal. */
async function faultsBy(entrance: (typeof entrances)[number], name: string): Promise<unknown> {
  const parse = parserOf(gatewayOptions.scenarios, '--scenario')
  const scenarios = entrance === '--scenario' ? (parse(name, undefined) as never) : []
  const gateway = createGateway({ timeScale: 0, scenarios, strict: true, models: ['aurora/*'] })
  if (entrance === 'use') gateway.use(name)
  const isStream = !name.startsWith('status-') && requestedForm(faultOf(name)) === 'stream'
  const aborting = new AbortController()
  const model = entrance === 'model' ? `fault/${name.replace('status-', '')}` : 'aurora/dawn-2'
  open(gateway, 'POST /responses', {
    body: { model, input: 'Why tides?', ...(isStream && { stream: true }) },
    headers: { 'x-understudy-scenario': entrance === 'header' ? name : null },
    signal: aborting.signal,
  }).catch(() => {})
  const [entry] = await gateway.journal.waitFor('createResponse')
  aborting.abort()
  if (entry?.rules.length === 0) throw new Error(entry.error ?? '')
  return entry?.rules.flatMap((rule) => rule.faults)
}

describe.each(entrances)('a fault by its name through %s', (entrance) => {
  it.each(names.filter((name) => !refused[name]))('acts: %s', async (name) => {
    const fault = name.startsWith('status-') ? 'status' : name
    expect(await faultsBy(entrance, name)).toEqual([fault])
  })

  it.each(Object.entries(refused))('is refused with its parameters: %s', async (name, reason) => {
    await expect(faultsBy(entrance, name)).rejects.toThrow(reason)
  })
})

describe('a model that names a fault', () => {
  it.each([
    ['fault/stream-cutt', "'fault/stream-cutt' does not name a fault; did you mean 'stream-cut'?"],
    ['fault/stream-cut:online', "'fault/stream-cut:online' does not name a fault; write a fault or a status"],
    ['fault/9', "'fault/9' does not name a fault"],
    ['fault/200', "'status-200': Must be 400 to 599, got 200"],
  ])('is rejected if there is none: %s', async (model, message) => {
    const reply = await call(createGateway(), 'POST /responses', { body: { model, input: 'x' } })
    expect([reply.status, reply.body.error.message]).toEqual([400, expect.stringContaining(message)])
  })

  it.runIf(hasExtra('openrouter'))('fails over to the next model', async () => {
    const gateway = createGateway({ dialect: 'openrouter' } as object)
    const body = { models: ['fault/503', 'aurora/dawn-2'], messages: [{ role: 'user', content: 'Hi' }] }
    const reply = await call(gateway, 'POST /chat/completions', { body })
    expect([reply.status, reply.body.model]).toEqual([200, 'aurora/dawn-2'])
  })

  it('acts before other rules, and lets them answer', async () => {
    const gateway = createGateway()
    gateway.reply('Hello')
    const ask = (model: string) => call(gateway, 'POST /responses', { body: { model, input: 'x' } })
    expect((await ask('fault/429')).status).toBe(429)
    expect((await ask('fault/gzip-body')).body.output[0].content[0].text).toBe('Hello')
  })
})
