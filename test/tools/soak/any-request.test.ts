/** The seeded part of `npm run soak`, which sends more of them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'
import { cases } from '../../whole.ts'
import { anyRequest, tryInProcess } from './any-request.ts'
import { trySocket } from './socket.ts'

describe('any request', () => {
  it('in process is answered by the specification or in the envelope, and changes nothing where it is refused', async () => {
    const gateway = createGateway({ timeScale: 0 })
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        expect(await tryInProcess(gateway, request)).toBeUndefined()
      }),
      { numRuns: cases(150, 20_000), seed: 1 },
    )
  })

  it('on a socket, whole, cut off or with bytes turned round, leaves the server usable', async () => {
    await using server = await startServer({ timeScale: 0, requestTimeoutMs: 100 })
    const requests = fc.sample(anyRequest, { numRuns: cases(60, 5000), seed: 1 })
    const wrong = await Promise.all(requests.map((request, luck) => trySocket(server.port, request, luck)))
    expect(wrong.filter((each) => each !== undefined)).toEqual([])
    expect((await open(server, 'GET /providers')).status).toBe(200)
  })
})
