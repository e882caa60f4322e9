import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
})

it.each([
  [1, 1, 1],
  [100, 1, 100],
  [200, 2, 200],
  [250, 3, 250],
])(
  'drain() with a limit of %i ms checks busy sandboxes %i times, and gives up after %i ms',
  async (limit, checks, ms) => {
    vi.useFakeTimers()
    // The module captures the timers when it loads.
    vi.resetModules()
    const { drain } = await import('../../src/cli/drain.ts')
    const sandboxes = { drain: vi.fn(), isBusy: vi.fn(() => true) }
    const ended = vi.fn()
    void drain(sandboxes as never, limit).then(ended)
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledOnce()
    expect(sandboxes.isBusy.mock.calls).toEqual(Array(checks).fill([2000]))
    expect(sandboxes.drain).toHaveBeenCalledOnce()
  },
)

it('drain() resolves at once if no sandbox is busy', async () => {
  vi.useFakeTimers()
  vi.resetModules()
  const { drain } = await import('../../src/cli/drain.ts')
  await drain({ drain() {}, isBusy: () => false } as never, 200)
  expect(vi.getTimerCount()).toBe(0)
})
