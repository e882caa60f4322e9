import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { type Activated, compositionOf } from './composition.ts'

it('two rules act together as in composition.txt', async () => {
  const gateway = createGateway({ seed: 'pairs', timeScale: 0 })
  const createSandbox = () => gateway.createSandbox({ id: 'pair' }) as Activated
  const target = { fetch: gateway.fetch }
  await expect(await compositionOf({ target, createSandbox })).toMatchFileSnapshot('composition.txt')
}, 60_000)
