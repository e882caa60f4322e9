/**
 * Tests when the event stream sends frames, with a copy of the module that uses fake timers.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { EventFeed } from '../../src/control/event-feed.ts'
import { createGateway, type Gateway } from '../../src/index.ts'
import { call } from '../call.ts'

const copy: string = '../../src/control/event-feed.ts?timers'
let Feed: typeof EventFeed
let gateway: Gateway
let feed: EventFeed
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  Feed = (await import(/* @vite-ignore */ copy)).EventFeed
})
afterAll(() => void vi.useRealTimers())
beforeEach(() => {
  gateway = createGateway({ timeScale: 0 })
  feed = new Feed(gateway.sandboxes.listeners)
})
afterEach(() => feed.close())

const send = (path = '/presets/code-review') => call(gateway, `GET ${path}`)

/** Connects a watcher that reads only when told. Event ids are shown without the run. */
function watch(after?: string) {
  const controller = new AbortController()
  const { body } = feed.follow(after, controller.signal)
  const frames = (body as Extract<typeof body, { kind: 'frames' }>).frames[Symbol.iterator]()
  let lastId = ''
  /** Reads one frame: its text, or undefined if there is none yet. */
  const one = (): string | undefined => {
    const { value, done } = frames.next()
    return done || value.kind !== 'bytes' ? undefined : String(value.bytes)
  }
  const all = (): string[] => {
    const texts: string[] = []
    for (let text = one(); text !== undefined; text = one()) texts.push(text)
    const text = texts.join('')
    lastId = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? lastId
    return text
      .split('\n\n')
      .filter((each) => each !== '')
      .map((each) => {
        const count = /^data: (.*)$/m.exec(each)?.[1]?.split('"sandbox":').length
        return each.replace(/^id: \w+\.(\d+)\nevent: (\w+)\ndata: .*$/s, (_, id, name) =>
          name === 'calls' ? `${id} calls: ${Number(count) - 1}` : `${id} ${name}`,
        )
      })
  }
  return {
    one,
    all,
    id: (number: number) => lastId.replace(/\d+$/, String(number)),
    leave: () => controller.abort(),
  }
}

it('the event stream begins with resync, and then sends a heartbeat every 15 seconds', () => {
  const watcher = watch()
  expect(watcher.all()).toEqual(['0 resync'])
  vi.advanceTimersByTime(14_999)
  expect(watcher.all()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(watcher.all()).toEqual([':'])
  vi.advanceTimersByTime(30_000)
  expect(watcher.all()).toEqual([':', ':'])
})

it('the event stream sends the first call immediately, and later ones 100 ms after the last frame', async () => {
  const watcher = watch()
  watcher.all()
  await send()
  expect(watcher.all()).toEqual([])
  vi.advanceTimersByTime(0)
  expect(watcher.all()).toEqual(['1 calls: 1'])
  await send()
  await send()
  vi.advanceTimersByTime(99)
  const later = watch()
  expect(later.all()).toEqual(['1 resync'])
  expect(watcher.all()).toEqual([])
  vi.advanceTimersByTime(1)
  expect([watcher.all(), later.all()]).toEqual([['2 calls: 2'], ['2 calls: 2']])
})

it('the event stream sends a frame that arrives while the watcher reads another one', async () => {
  const watcher = watch()
  expect(watcher.one()).toContain('event: resync')
  await send()
  vi.advanceTimersByTime(0)
  expect(watcher.one()).toContain('event: calls')
  await send()
  vi.advanceTimersByTime(100)
  expect(watcher.one()).toContain('event: calls')
  expect(watcher.one()).toBeUndefined()
})

it('the event stream retains 300 frames for watchers that reconnect', async () => {
  const watcher = watch()
  watcher.all()
  for (let frame = 0; frame < 300; frame++) {
    await send()
    vi.advanceTimersByTime(100)
  }
  watcher.all()
  const complete = watch(watcher.id(0)).all()
  expect([complete.length, complete[0], complete[1], complete.at(-1)]).toEqual([
    301,
    ':',
    '1 calls: 1',
    '300 calls: 1',
  ])
  expect(watch(watcher.id(300)).all()).toEqual([':'])
  await send()
  vi.advanceTimersByTime(100)
  expect(watch(watcher.id(0)).all()).toEqual(['301 resync'])
  expect(watch(watcher.id(1)).all()).toHaveLength(301)
  expect(watch(watcher.id(299)).all()).toEqual([':', '300 calls: 1', '301 calls: 1'])
  expect(watch('other.300').all()).toEqual(['301 resync'])
})

it('the event stream collects calls for 30 seconds after the last watcher left', async () => {
  const first = watch()
  const second = watch()
  first.all()
  second.all()
  first.leave()
  vi.advanceTimersByTime(60_000)
  await send()
  vi.advanceTimersByTime(0)
  expect(second.all()).toEqual([':', ':', ':', ':', '1 calls: 1'])
  second.leave()
  vi.advanceTimersByTime(29_999)
  await send()
  const third = watch(second.id(1))
  expect(third.all()).toEqual([':', '2 calls: 1'])
  vi.advanceTimersByTime(1)
  await send()
  vi.advanceTimersByTime(100)
  expect(third.all().at(-1)).toBe('3 calls: 1')
  third.leave()
  vi.advanceTimersByTime(30_000)
  expect(gateway.sandboxes.listeners.size).toBe(0)
  expect(watch(third.id(3)).all()).toEqual(['4 resync'])
})

it('the event stream buffers a limited amount for a slow watcher, which then gets resync', async () => {
  const slow = watch()
  const quick = watch()
  slow.all()
  quick.all()
  for (let frame = 1; frame <= 6; frame++) {
    for (let count = 0; count < 10; count++) await send(`/presets/${'x'.repeat(10_000)}`)
    vi.advanceTimersByTime(100)
    expect(quick.all()).toEqual([`${frame} calls: 10`])
  }
  expect(slow.all()).toEqual(['1 calls: 10', '2 calls: 10', '3 calls: 10', '6 resync'])
  await send()
  vi.advanceTimersByTime(100)
  expect(slow.all()).toEqual(['7 calls: 1'])
})
