import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { Clock, maxTimerMs } from '../../src/lib/clock.ts'

describe('Clock', () => {
  const newYear = Date.UTC(2026, 0, 1)
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('starts in 2026, and advances by one millisecond per request and by advance()', () => {
    const clock = new Clock()
    vi.advanceTimersByTime(500)
    expect([clock.now(), clock.step(), clock.step(), clock.now()]).toEqual(
      [0, 1, 2, 2].map((ms) => newYear + ms),
    )
    expect(clock.advance(10)).toEqual({ now: '2026-01-01T00:00:00.012Z', elapsedMs: 510 })
  })

  it("uses real time with `clock: 'system'`", () => {
    const clock = new Clock({ clock: 'system' })
    clock.step()
    expect(clock.now()).toBe(Date.UTC(2030, 0, 1))
    clock.advance(7)
    expect(clock.now()).toBe(Date.UTC(2030, 0, 1) + 7)
  })

  it('scales elapsed real time and restores snapshots', () => {
    const clock = new Clock({ timeScale: 3 })
    vi.advanceTimersByTime(100)
    clock.step()
    clock.advance(50)
    const then = clock.snapshot()
    expect(then).toEqual({ steps: 1, advanced: 50, elapsed: 350 })
    vi.advanceTimersByTime(1000)
    clock.step()
    expect(clock.elapsed()).toBe(3350)
    clock.restore(then)
    expect(clock.snapshot()).toEqual(then)
    vi.advanceTimersByTime(10)
    expect(clock.elapsed()).toBe(380)
    const still = new Clock({ timeScale: 0 })
    still.restore(then)
    vi.advanceTimersByTime(10)
    expect(still.elapsed()).toBe(50)
  })

  it('waits in sandbox time until the delay is over or the signal aborts', async () => {
    const clock = new Clock({ timeScale: 2 })
    const ended: string[] = []
    const { signal } = new AbortController()
    const controller = new AbortController()
    void clock.wait(10, signal)?.then(() => ended.push('ten'))
    void clock.wait(30, controller.signal)?.then(() => ended.push('left'))
    expect(vi.getTimerCount()).toBe(2)
    await vi.advanceTimersByTimeAsync(19)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toEqual(['ten'])
    controller.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toEqual(['ten', 'left'])
    expect(vi.getTimerCount()).toBe(0)
    expect(clock.wait(0)).toBeUndefined()
    expect(clock.wait(10, controller.signal)).toBeUndefined()
    expect(new Clock({ timeScale: 0 }).wait(10)).toBeUndefined()
  })

  it("limits waits to a timer's maximum delay", async () => {
    const done = vi.fn()
    void new Clock().wait(maxTimerMs + 1000)?.then(done)
    new Clock().pace().begin(maxTimerMs + 1000, done)
    expect(maxTimerMs).toBe(2 ** 31 - 1)
    await vi.advanceTimersByTimeAsync(maxTimerMs - 1)
    expect(done).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(done).toHaveBeenCalledTimes(2)
  })
})

describe('consecutive waits', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('start when the previous wait was due, not when its timer fired', () => {
    const waits = new Clock({ timeScale: 2 }).pace()
    const done = vi.fn()
    expect(waits.begin(50, done)).toBe(100)
    vi.advanceTimersByTime(99)
    expect(done).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(done).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(30)
    expect(waits.begin(50, done)).toBe(70)
    vi.advanceTimersByTime(170)
    expect(done).toHaveBeenCalledTimes(2)
    expect(waits.begin(0, done)).toBe(0)
    expect(waits.begin(30, done)).toBe(-40)
    expect(waits.begin(50, done)).toBe(60)
    expect(done).toHaveBeenCalledTimes(2)
  })

  it('last at least a millisecond, and need no timer if they are due', () => {
    expect(new Clock().wait(1)).toBeInstanceOf(Promise)
    const done = vi.fn()
    const waits = new Clock().pace()
    expect(waits.begin(1, done)).toBe(1)
    vi.advanceTimersByTime(1)
    expect(done).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(5)
    expect(waits.begin(5, done)).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('can be ended early, after which later waits are skipped', () => {
    const done = vi.fn()
    const waits = new Clock().pace()
    waits.begin(10, done)
    waits.end()
    expect(done).toHaveBeenCalledOnce()
    expect(waits.begin(10, done)).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    expect(done).toHaveBeenCalledOnce()
  })
})

describe('real time', () => {
  let real: MockInstance<() => number>
  beforeEach(() => {
    real = vi.spyOn(performance, 'now').mockReturnValue(1000)
  })
  afterEach(() => real.mockRestore())

  it('continues from the last elapsed time when fake timers restart at zero', () => {
    const clock = new Clock()
    real.mockReturnValue(1040)
    expect(clock.elapsed()).toBe(40)
    real.mockReturnValue(3)
    expect(clock.elapsed()).toBe(40)
    real.mockReturnValue(8)
    expect(clock.elapsed()).toBe(45)
  })

  it('compensates for timers that fire up to two milliseconds early, but no more than that', () => {
    const waitAfter = (early: number) => {
      const waits = new Clock().pace()
      real.mockReturnValue(1000)
      waits.begin(10, () => {})
      real.mockReturnValue(1010 - early)
      const left = waits.begin(10, () => {})
      waits.end()
      real.mockReturnValue(1000)
      return left
    }
    expect([0, 1, 2, 2.5, 9].map(waitAfter)).toEqual([10, 11, 12, 10, 10])
  })
})
