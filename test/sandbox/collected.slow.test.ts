/**
 * Snapshots that nobody has any more are not held. Collects garbage, which takes long in a process that runs other tests.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'

it('what is held does not count snapshots that nobody has any more', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const gateway = createGateway()
  const { held } = gateway.sandboxes
  for (let turn = 0; turn < 20; turn++) {
    await gateway.db.providers.create({ name: 'x'.repeat(5000), slug: `p${turn}`, privacy_policy_url: null })
    gateway.snapshot()
  }
  const before = held.bytes
  await vi.waitFor(() => {
    collect()
    gateway.snapshot()
    expect(held.bytes).toBeLessThan(before / 2)
  }, 20_000)
})
