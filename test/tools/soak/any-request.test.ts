/** Runs a small, seeded version of `npm run soak`, which sends more requests. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'
import { cases } from '../../suite-size.ts'
import { anyRequest, tryInProcess } from './any-request.ts'
import { trySocket } from './socket.ts'

describe('arbitrary requests', () => {
  it('receive a specified reply or an error envelope in process, and change nothing if rejected', async () => {
    const gateway = createGateway({ timeScale: 0 })
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        expect(await tryInProcess(gateway, request)).toBeUndefined()
      }),
      { numRuns: cases(150, 20_000), seed: 1 },
    )
  })

  it('leave the server usable when sent over a socket, whether complete, truncated or corrupted', async () => {
    await using server = await startServer({ timeScale: 0, requestTimeoutMs: 100 })
    const requests = fc.sample(anyRequest, { numRuns: cases(60, 5000), seed: 1 })
    const wrong = await Promise.all(requests.map((request, seed) => trySocket(server.port, request, seed)))
    expect(wrong.filter((each) => each !== undefined)).toEqual([])
    expect((await open(server, 'GET /providers')).status).toBe(200)
  })
})
