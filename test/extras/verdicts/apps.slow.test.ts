/** Tests that findings tell applications with defects from the same applications without them. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { findings } from '../../../src/verdicts.ts'
import { hasExtra } from '../../has-extra.ts'
import { type App, apps, type Planted } from './apps/index.ts'

// Clients compare a date in `Retry-After` with the real time.
const gateway = createGateway({ clock: 'system' })
const target = { baseUrl: 'https://gateway.example/api/v1', fetch: gateway.fetch }

async function findingsOf({ setUp, run }: App, { fault, call = 1, userAborts }: Planted, defect?: string) {
  using sandbox = gateway.createSandbox()
  setUp(sandbox)
  sandbox.use({ on: '*', fault: [fault].flat(), after: call - 1, times: 1 })
  const user = new AbortController()
  if (userAborts) setTimeout(() => user.abort(), 150)
  const { apiKey } = sandbox
  const result = await run({ ...target, apiKey, signal: user.signal }, defect).catch(() => undefined)
  return findings(sandbox, { result, userAborted: userAborts ?? false }).map(({ name }) => name)
}

describe.runIf(['chat', 'messages', 'models'].every(hasExtra))('findings()', () => {
  const cases = apps.flatMap((app) =>
    Object.entries(app.defects).flatMap(([defect, planted]) => {
      const { finding } = planted
      return finding ? [{ app, name: app.name, defect, planted, finding }] : []
    }),
  )

  it.each(cases)(
    'find $finding in $name, but not without $defect',
    async ({ app, defect, planted, finding }) => {
      expect(await findingsOf(app, planted, defect)).toContain(finding)
      expect(await findingsOf(app, planted)).toEqual([])
    },
  )
})
