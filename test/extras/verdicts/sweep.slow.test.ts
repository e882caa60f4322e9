/** Sweeps the applications: each planted verdict is found, and nothing in their hardened forms. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../../../src/verdicts.ts'
import { hasExtra } from '../../has-extra.ts'
import { apps, waits } from './apps/index.ts'

const planted = apps.flatMap((app) =>
  Object.entries(app.defects).flatMap(([defect, how]) => (how.verdict ? [{ app, defect, ...how }] : [])),
)

describe.runIf(['chat', 'messages', 'models'].every(hasExtra))('sweep() of an application', () => {
  beforeAll(() => {
    waits.scale = 0.02
  })

  it.each(apps)('finds nothing if the application is hardened: $name', { timeout: 120_000 }, async (app) => {
    const { setUp, run, isPartial = () => false } = app
    const { runs } = await sweep((target) => run(target), { depth: 'all', setUp, isPartial })
    const bad = runs.filter(({ verdict, isDetectable }) => {
      return isDetectable && !['recovered', 'rejected', 'not-reached'].includes(verdict)
    })
    expect(bad).toEqual([])
    expect(runs.filter(({ verdict }) => verdict === 'recovered').length).toBeGreaterThan(40)
  })

  it.each(planted)('finds $defect: $verdict', { timeout: 60_000 }, async (row) => {
    const { app, defect, fault, call = 1, verdict } = row
    let count = 0
    // The runs without faults are those of the hardened application.
    const { runs } = await sweep(({ ...target }) => app.run(target, ++count > 2 ? defect : undefined), {
      setUp: app.setUp,
      faults: [fault].flat(),
      isPartial: (result) => app.isPartial?.(result) ?? false,
    })
    expect(runs.filter((run) => run.call === call)).toEqual([expect.objectContaining({ verdict })])
  })
})
