import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createGateway } from '../../src/node.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import { type Activated, compositionOf, scenarioNames, scenarioOf } from './composition.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-rules-'))
  for (const name of scenarioNames) await writeFile(join(folder, `${name}.yaml`), stringify(scenarioOf(name)))
})
afterAll(() => rm(folder, { recursive: true }))

it('two rules from files act together as in composition.txt', async () => {
  const gateway = createGateway({ seed: 'pairs' })
  const createSandbox = () => gateway.createSandbox({ id: 'pair' }) as Activated
  const source = (name: string) => join(folder, `${name}.yaml`)
  const entrance = { target: { fetch: gateway.fetch }, createSandbox, source }
  await expect(await compositionOf(entrance)).toMatchFileSnapshot('composition.txt')
}, 120_000)

it('two rules added remotely act together as in composition.txt', async () => {
  await using server = await startServer({ seed: 'pairs' })
  const gateway = await connectGateway(server.baseUrl)
  const createSandbox = async () => (await gateway.createSandbox({ id: 'pair' })) as Activated
  const target = { baseUrl: server.baseUrl }
  await expect(await compositionOf({ target, createSandbox })).toMatchFileSnapshot('composition.txt')
}, 120_000)
