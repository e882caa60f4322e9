/**
 * Tests the event stream under load: frame rate, limits and slow readers.
 */
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { EventFeed } from '../../src/control/event-feed.ts'
import { deliver, unrecorded } from '../../src/delivery/deliver.ts'
import { NodeSink } from '../../src/delivery/node.ts'
import { Gateway } from '../../src/index.ts'
import { open } from '../call.ts'

let gateway: Gateway
let feed: EventFeed
beforeEach(() => {
  gateway = new Gateway()
  feed = new EventFeed(gateway.sandboxes.listeners)
})
afterEach(() => feed.close())

/** Sends calls concurrently, so that they fall between two frames. */
const call = (count: number) =>
  Promise.all(Array.from({ length: count }, () => open(gateway, 'GET /presets/code-review')))

/** Connects a watcher. After `wait()`, its connection accepts no data until `readOn()`. */
function watch(after?: string) {
  let text = ''
  let isWaiting = false
  let resume = () => {}
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      text += chunk
      if (isWaiting) resume = done
      else done()
    },
  })
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.assignSocket(socket as Socket)
  // The HTTP server forwards `drain` only for its own sockets.
  socket.on('drain', () => response.emit('drain'))
  const sink = new NodeSink(response)
  void deliver(feed.follow(after, sink.disconnected), sink, unrecorded('GET'))
  return {
    response,
    async leave() {
      response.destroy()
      await once(response, 'close')
    },
    head: () => text.split('\r\n\r\n')[0] ?? '',
    events: () => [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name),
    ids: () => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id),
    calls: () =>
      [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => JSON.parse(data ?? '').calls ?? []),
    wait() {
      isWaiting = true
    },
    readOn() {
      isWaiting = false
      resume()
    },
  }
}

it('the event stream sends at most ten frames per second, however many calls arrive', async () => {
  const watcher = watch()
  const began = performance.now()
  while (performance.now() - began < 350) {
    await call(5)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const frames = watcher.events().filter((name) => name === 'calls').length
  expect(frames).toBeGreaterThan(0)
  expect(frames).toBeLessThanOrEqual((performance.now() - began) / 100 + 1)
})

it('the event stream sends each call once per frame, in its latest state', async () => {
  const watcher = watch()
  await call(20)
  await expect.poll(() => watcher.calls().length).toBe(20)
  const ids = watcher.calls().map(({ id }) => id)
  expect(new Set(ids).size).toBe(20)
})

it('the event stream counts the rules that were tried and skipped for each call', async () => {
  const watcher = watch()
  gateway.use({ on: 'getPreset', when: { headers: { 'x-first': 'yes' } }, fault: 'timeout' })
  await call(1)
  gateway.use({ on: 'getPreset', when: { headers: { 'x-second': 'yes' } }, fault: 'timeout' })
  await call(1)
  gateway.use({ on: 'getPreset', reply: { body: {} } })
  await call(1)
  await expect.poll(() => watcher.calls().map(({ nearMissCount }) => nearMissCount)).toEqual([1, 2, 0])
})

it('the event stream sends a call while it is in flight and again when it has ended', async () => {
  gateway.use({ on: 'createResponse', fault: { name: 'stream-stall', atEvent: 2 } })
  const watcher = watch()
  const controller = new AbortController()
  const reply = await open(gateway, 'POST /responses', {
    body: { model: 'aurora/dawn-2', input: 'Hello?', stream: true },
    signal: controller.signal,
  })
  const deliveries = () => watcher.calls().map(({ delivery }) => delivery)
  await vi.waitFor(() => expect(deliveries()).toEqual(['pending']))
  controller.abort()
  await reply.text().catch(() => '')
  await vi.waitFor(() => expect(deliveries()).toEqual(['pending', 'aborted-by-client']))
})

it('the event stream sends resync instead of more than 250 calls per frame', async () => {
  const watcher = watch()
  await call(251)
  await expect.poll(() => watcher.events()).toEqual(['resync', 'resync'])
  await call(1)
  await expect.poll(() => watcher.events().at(-1)).toBe('calls')
  expect(watcher.calls()).toHaveLength(1)
})

it('the event stream skips a slow reader, buffers little for it, and sends resync when it reads again', async () => {
  const slow = watch()
  const quick = watch()
  slow.wait()
  const tell = async () => {
    const before = quick.calls().length
    await call(250)
    await expect.poll(() => quick.calls().length).toBe(before + 250)
    return slow.response.writableLength
  }
  let held = 0
  for (let turn = 0; turn < 6; turn++) held = await tell()
  expect(await tell()).toBe(held)
  expect(held).toBeLessThan(600_000)
  slow.readOn()
  await expect.poll(() => slow.events().at(-1)).toBe('resync')
  const receivedCount = slow.calls().length
  expect(receivedCount).toBeLessThan(quick.calls().length)
  await call(3)
  await expect.poll(() => slow.calls().length).toBe(receivedCount + 3)
})

it('the event stream resumes where a reader left off, or sends resync if the missed calls are no longer buffered', async () => {
  const first = watch()
  await call(2)
  await expect.poll(() => first.calls().length).toBe(2)
  const [, seen] = first.ids()
  await call(3)
  await expect.poll(() => first.calls().length).toBe(5)
  const back = watch(seen)
  await expect.poll(() => back.calls().length).toBe(3)
  expect(back.events()).not.toContain('resync')
  await call(251)
  await expect.poll(() => first.events().at(-1)).toBe('resync')
  const later = watch(seen)
  await expect.poll(() => later.events()).toEqual(['resync'])
})

it('the event stream writes nothing without watchers, then sends missed calls, or resync if there were too many', async () => {
  const first = watch()
  await call(2)
  await expect.poll(() => first.calls().length).toBe(2)
  await first.leave()
  await call(250)
  const second = watch(first.ids().at(-1))
  await expect.poll(() => second.calls().length).toBe(250)
  expect(second.events()).toEqual(['calls'])
  await second.leave()
  await call(251)
  const third = watch(second.ids().at(-1))
  await expect.poll(() => third.events()).toEqual(['resync'])
  await call(1)
  await expect.poll(() => third.events()).toEqual(['resync', 'calls'])
  await third.leave()
  await call(1)
  const fourth = watch(third.ids().at(-1))
  await expect.poll(() => fourth.calls().length).toBe(1)
})

it('the event stream is neither cached nor buffered by proxies', async () => {
  const watcher = watch()
  await expect.poll(() => watcher.events().length).toBe(1)
  const [status, ...lines] = watcher.head().split('\r\n')
  expect(status).toBe('HTTP/1.1 200 OK')
  expect(lines).toEqual(
    expect.arrayContaining([
      'content-type: text/event-stream',
      'cache-control: no-store',
      'x-accel-buffering: no',
    ]),
  )
})

it('the event stream accepts 64 watchers and rejects more with 429', async () => {
  for (let count = 0; count < 64; count++) watch()
  await Promise.resolve()
  expect(() => watch()).toThrow(expect.objectContaining({ status: 429 }))
})
