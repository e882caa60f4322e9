import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { compileSchemas } from '../../src/cli/compile-schemas.ts'
import { prepareLater } from '../../src/cli/prepare.ts'
import { createGateway } from '../../src/index.ts'
import { open } from '../call.ts'

vi.mock('../../src/cli/compile-schemas.ts', () => ({ compileSchemas: vi.fn() }))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
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
