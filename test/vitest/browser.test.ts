import { expect, it, onTestFinished, vi } from 'vitest'

it('gateway-understudy/vitest refuses to run in browser mode, and names the handlers', async () => {
  vi.resetModules()
  vi.stubGlobal('process', { env: {} })
  onTestFinished(() => void vi.unstubAllGlobals())
  await expect(import('../../src/vitest.ts')).rejects.toThrow('setupWorker(...gateway.handlers)')
})
