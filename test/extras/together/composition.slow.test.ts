import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createGateway } from '../../../src/node.ts'
import { connectGateway } from '../../../src/remote.ts'
import { startServer } from '../../../src/serve.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { type Activated, compositionOf, scenarioNames, scenarioOf } from './composition.ts'

const folder = temporaryFolder()
beforeAll(async () => {
  for (const name of scenarioNames) await writeFile(join(folder, `${name}.yaml`), stringify(scenarioOf(name)))
})

const inProcess = createGateway({ seed: 'pairs', timeScale: 0 })
const createSandbox = () => inProcess.createSandbox({ id: 'pair' }) as Activated
const target = { fetch: inProcess.fetch }

it('two rules act together as in composition.txt', async () => {
  await expect(await compositionOf({ target, createSandbox })).toMatchFileSnapshot('composition.txt')
}, 120_000)

it('two rules from files act together as in composition.txt', async () => {
  const source = (name: string) => join(folder, `${name}.yaml`)
  await expect(await compositionOf({ target, createSandbox, source })).toMatchFileSnapshot('composition.txt')
}, 120_000)

it('two rules added remotely act together as in composition.txt', async () => {
  await using server = await startServer({ seed: 'pairs' })
  const gateway = await connectGateway(server.baseUrl)
  const createSandbox = async () => (await gateway.createSandbox({ id: 'pair' })) as Activated
  const target = { baseUrl: server.baseUrl }
  await expect(await compositionOf({ target, createSandbox })).toMatchFileSnapshot('composition.txt')
}, 120_000)
