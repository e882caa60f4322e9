/** Runs a small, seeded version of `npm run soak`, which tries many more cases. */
import { expect, it } from 'vitest'
import { startServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'
import { cases } from '../../suite-size.ts'
import { files, originals, tryFile } from './files.ts'
import { requests, sockets } from './requests.ts'
import { scenarios, templates } from './scenarios.ts'
import { schemas } from './schemas.ts'

it.each([
  [requests, 100],
  [scenarios, 50],
  [templates, 100],
  [files, 30],
  [schemas, 20],
])(
  '$name are accepted and work, or are rejected as they should be',
  async (part, some) => {
    const tried = cases(some, 20_000)
    const { violations, accepted } = await part.run(tried, 1)
    expect(violations).toEqual([])
    // Both outcomes must occur.
    expect(accepted).toBeGreaterThan(0)
    expect(accepted).toBeLessThan(tried)
  },
  600_000,
)

it('requests on sockets leave the server usable, whether complete, truncated or corrupted', async () => {
  await using server = await startServer({ timeScale: 0, requestTimeoutMs: 100 })
  expect((await sockets(Number(new URL(server.url).port)).run(cases(30, 5000), 1)).violations).toEqual([])
  expect((await open(server, 'GET /providers')).status).toBe(200)
})

it.each(['scenario', 'recording', 'config'] as const)(
  'a valid %s file is accepted and works',
  async (kind) => {
    expect(await tryFile(kind, originals[kind])).toBe(true)
  },
)
