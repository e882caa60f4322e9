import { expect, it } from 'vitest'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import { type Activated, compositionOf } from './composition.ts'

it('two rules added remotely act together as in composition.txt', async () => {
  await using server = await startServer({ seed: 'pairs' })
  const gateway = await connectGateway(server.baseUrl)
  const createSandbox = async () => (await gateway.createSandbox({ id: 'pair' })) as Activated
  const target = { baseUrl: server.baseUrl }
  await expect(await compositionOf({ target, createSandbox })).toMatchFileSnapshot('composition.txt')
}, 120_000)
