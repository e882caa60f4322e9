import { expect, it, onTestFinished, vi } from 'vitest'

it('gateway-understudy/vitest throws in browser mode and suggests the handlers', async () => {
  vi.stubGlobal('process', { env: {} })
  onTestFinished(() => void vi.unstubAllGlobals())
  // The query creates a separate module instance, so that other test files do not import the failed one.
  const entry = `${new URL('../../src/vitest.ts', import.meta.url).pathname}?browser`
  await expect(import(entry)).rejects.toThrow('setupWorker(...handlers(gateway))')
})
