import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { compileSchemas } from '../../src/cli/compile-schemas.ts'
import { prepareLater } from '../../src/cli/prepare.ts'
import { loadLibrary } from '../../src/database/table.ts'
import { createGateway } from '../../src/index.ts'
import { open } from '../call.ts'

vi.mock('../../src/cli/compile-schemas.ts', () => ({ compileSchemas: vi.fn() }))
vi.mock(import('../../src/database/table.ts'), async (original) => ({
  ...(await original()),
  loadLibrary: vi.fn(),
}))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.clearAllMocks()
})

it('prepareLater() compiles the schemas of a running server once, and not while a stream is open', async () => {
  const gateway = createGateway({ latency: { gapMs: 1000 } })
  prepareLater(gateway)
  const reply = await open(gateway, 'POST /responses', {
    body: { model: 'aurora/large', input: 'Why?', stream: true },
  })
  await vi.advanceTimersByTimeAsync(2000)
  expect(compileSchemas).not.toHaveBeenCalled()
  await reply.body?.cancel()
  await vi.advanceTimersByTimeAsync(2000)
  expect(compileSchemas).toHaveBeenCalledOnce()
})

it('prepareLater() loads the database library after an interval without a request, and then stops watching', async () => {
  const gateway = createGateway()
  const { listeners } = gateway.sandboxes
  prepareLater(gateway)
  await vi.advanceTimersByTimeAsync(250)
  expect(compileSchemas).toHaveBeenCalledOnce()
  await (await open(gateway, 'GET /presets/code-review')).text()
  await vi.advanceTimersByTimeAsync(250)
  expect(loadLibrary).not.toHaveBeenCalled()
  expect(listeners.size).toBe(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(loadLibrary).toHaveBeenCalledOnce()
  expect([vi.getTimerCount(), listeners.size]).toEqual([0, 0])
})
