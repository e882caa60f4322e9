import { expect, it, onTestFinished, vi } from 'vitest'

it('gateway-understudy/vitest refuses to run in browser mode, and names the handlers', async () => {
  vi.stubGlobal('process', { env: {} })
  onTestFinished(() => void vi.unstubAllGlobals())
  // The query makes it another module: other test files must not get the failed one.
  const entry = `${new URL('../../src/vitest.ts', import.meta.url).pathname}?browser`
  await expect(import(entry)).rejects.toThrow('setupWorker(...handlers(gateway))')
})
