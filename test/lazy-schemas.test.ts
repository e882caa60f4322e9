import { afterEach, expect, it, vi } from 'vitest'
import * as z from 'zod'

const config: { postProcessor?: ((schema: z.core.$ZodType) => void) | undefined } = z.config()

afterEach(() => {
  config.postProcessor = undefined
  vi.resetModules()
})

it('importing the package builds no schema except lazy ones', async () => {
  const made: string[] = []
  config.postProcessor = ({ _zod: { def } }) => void made.push(def.type)
  vi.resetModules()
  const { createGateway, intercept } = await import('../src/node.ts')
  intercept(createGateway()).close()
  expect(made).toContain('lazy')
  expect(made.filter((type) => type !== 'lazy')).toStrictEqual([])
})
