import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGateway, parseScenario } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import type { ScenarioPath } from '../../src/scenarios/names.ts'
import { startServer } from '../../src/serve.ts'
import { open, type Target } from '../call.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const folder = temporaryFolder()

/** Writes a file and returns its path, relative to the working directory. */
function file(name: string, text: string): ScenarioPath {
  writeFileSync(join(folder, name), text)
  return relative(process.cwd(), join(folder, name)) as ScenarioPath
}

const busy = file('busy.yaml', 'name: busy\nrules:\n  - on: "*"\n    fault: { name: status, status: 529 }\n')
const single = file('single.json', '{ "on": "listProviders", "times": 1, "fault": "status" }')
const status = async (target: Target) => (await open(target, 'GET /providers')).status

describe('scenario files', () => {
  it('are activated by path', async () => {
    const gateway = createGateway()
    expect(gateway.use(busy).name).toBe('busy')
    expect(await status(gateway)).toBe(529)
  })

  it('are active from the start if the `scenarios` option names them', async () => {
    expect(await status(createGateway({ scenarios: [busy] }))).toBe(529)
    await using server = await startServer({ scenarios: [busy] })
    expect(await status(server)).toBe(529)
  })

  it('may contain a single rule', async () => {
    const gateway = createGateway()
    gateway.use(single)
    expect([await status(gateway), await status(gateway)]).toEqual([500, 200])
  })

  it('are read by the remote client, which sends their content', async () => {
    await using server = await startServer()
    const gateway = await connectGateway(server.url)
    await using _active = await gateway.use(busy)
    expect(await status(server)).toBe(529)
    await gateway.use(single)
    expect(await status(server)).toBe(500)
  })

  it('report mistakes with their line', () => {
    const rule = file('wrong.yaml', 'on: listProviders\nfault: statu\n')
    expect(() => createGateway().use(rule)).toThrow(`${rule}:2:1: fault: 'statu' is unknown`)
    expect(() => createGateway({ scenarios: ['nowhere.yml'] })).toThrow('nowhere.yml: no such file')
  })

  it('are never read on behalf of a request or the control API', async () => {
    await using server = await startServer()
    const named = await open(server, 'GET /providers', { headers: { 'x-understudy-scenario': busy } })
    expect(named.status).toBe(400)
    const control = { baseUrl: `${server.url}/__understudy/sandboxes/default` }
    for (const [line, body] of [
      ['POST /scenarios', JSON.stringify(busy)],
      [`PUT /scenarios/${encodeURIComponent(busy)}`, undefined],
    ] as const) {
      const rejected = await open(control, line, { body, headers: { 'content-type': 'application/json' } })
      expect(rejected.status).toBe(400)
      expect(await rejected.text()).toContain('is a path, but a name is expected here')
    }
  })
})

describe('parseScenario', () => {
  it('accepts imported JSON, in which TypeScript widens names to string', async () => {
    const json: { name: string; rules: { on: string; fault: string }[] } = JSON.parse(
      '{ "name": "down", "rules": [{ "on": "listProviders", "fault": "status" }] }',
    )
    const gateway = createGateway({ scenarios: [parseScenario(json)] })
    expect(await status(gateway)).toBe(500)
  })

  it.each([
    [
      { on: 'listProvider', fault: 'status' },
      "parseScenario: on: unknown operation 'listProvider'; did you mean 'listProviders'?",
    ],
    [[{ on: '*', fault: 'status' }], 'parseScenario: a scenario must be { name, rules: […] }, got a list'],
    [undefined, 'parseScenario: a scenario is required: { name, rules: […] }'],
  ])('rejects %j', (json, message) => expect(() => parseScenario(json)).toThrow(message))
})
