import { expect, it } from 'vitest'
import { createGateway, parseScenario } from '../../src/index.ts'
import type { Scenario } from '../../src/scenarios/scenario.ts'
import { open } from '../call.ts'

it('A newer version takes the place of a scenario that sandboxes begin with, wherever it is in force', async () => {
  const failing = (name: string, status: number, times?: number) =>
    parseScenario({ name, rules: [{ on: '*', ...(times && { times }), fault: { name: 'status', status } }] })
  const gateway = createGateway({ scenarios: [failing('other', 402), failing('mine', 418, 1)] })
  const sandboxes = [gateway, gateway.createSandbox(), gateway.createSandbox()]
  const status = async ({ apiKey }: { apiKey: string }) =>
    (await open({ fetch: gateway.fetch, apiKey }, 'GET /providers')).status
  const keys = sandboxes.map(
    (each) => ('apiKey' in each ? each : gateway.sandboxes.default) as { apiKey: string },
  )
  const all = () => Promise.all(keys.map(status))
  expect(await all()).toEqual([418, 418, 418])
  expect(await all()).toEqual([402, 402, 402])
  sandboxes[2]?.resetScenarios()
  sandboxes[2]?.use(failing('own', 409))

  gateway.sandboxes.replaceScenario(1, failing('mine', 419, 1) as Scenario)
  // Nothing of it has happened yet.
  expect(await all()).toEqual([419, 419, 409])
  expect(await all()).toEqual([402, 402, 409])
  expect(await status(gateway.createSandbox())).toBe(419)
  gateway.sandboxes.replaceScenario(2, failing('mine', 420, 1) as Scenario)
  expect(await all()).toEqual([402, 402, 409])
  expect(await status(gateway.createSandbox())).toBe(419)
})
