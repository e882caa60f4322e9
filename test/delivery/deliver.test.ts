/** Tests what `deliver()` sends through a transport, and what it records, step by step. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { deliver } from '../../src/delivery/deliver.ts'
import type { Sink } from '../../src/gateway/call.ts'
import { eventStream, type Frame, json, type Reply } from '../../src/http/reply.ts'
import { Clock } from '../../src/lib/clock.ts'

interface Setup {
  hasConnection?: boolean
  /** Clock for waits in the body. Default: all waits are instant. */
  pacing?: Clock
  /** Called after each step, with a function that disconnects the client. */
  after?: (step: string, leave: () => void) => void
}

/** Shortens long text to its length. */
const shown = (body: string | Uint8Array | undefined) => {
  const bytes = body instanceof Uint8Array ? `${body.constructor.name} ` : ''
  return body === undefined
    ? '-'
    : body.length > 60
      ? `${bytes}${body.length}`
      : `${bytes}${Buffer.from(body)}`
}

/** Delivers a reply to a transport without a network. Returns the steps, one line each. */
async function stepsOf(reply: Reply, setup: Setup = {}): Promise<string[]> {
  const { hasConnection = false, pacing = new Clock({ timeScale: 0 }), after } = setup
  const steps: string[] = []
  const left = new AbortController()
  let isDisconnected = false
  const leave = () => {
    isDisconnected = true
    left.abort()
  }
  const log = (step: string) => {
    steps.push(step)
    after?.(step, leave)
  }
  const lengthOf = (headers: Record<string, string>) => headers['content-length'] ?? 'none'
  const sink: Sink = {
    hasConnection,
    get isDisconnected() {
      return isDisconnected
    },
    disconnected: left.signal,
    whole: ({ status, headers }, body, length) =>
      log(`whole ${status}, content-length ${lengthOf(headers)}: ${shown(body)}, ${length}`),
    head: ({ status, headers }) => log(`head ${status}, content-length ${lengthOf(headers)}`),
    ready: () => undefined,
    chunk: (bytes, length) => log(`chunk ${shown(bytes)}, ${length}`),
    end: (how) => log(`end ${how}`),
  }
  await deliver(reply, sink, {
    method: 'GET',
    state: {
      clock: { wait: async () => {}, pace: () => pacing.pace() },
      hold: () => () => {},
    },
    sent: (part, length, events) => log(`sent ${shown(part)}, ${length}, events ${events}`),
    settled: (delivery) => log(delivery),
  })
  return steps
}

const reply = (more: Partial<Reply>): Reply => ({ ...json(200, { a: 'ä' }), ...more })
const value = { kind: 'json', value: 'x' } as const

const event = (data: string): Frame => ({ kind: 'event', event: { data }, wire: data })
const pause: Frame = { kind: 'wait', ms: 1 }

it.each<[string, Frame[], Setup, string[]]>([
  [
    'merges frames up to a wait, and counts their events',
    [event('a'), { kind: 'bytes', bytes: 'b' }, event('c'), pause, event('d'), { kind: 'done', wire: 'e' }],
    {},
    [
      'sent abc, 3, events 2',
      'chunk abc, 3',
      'sent de, 2, events 1',
      'chunk de, 2',
      'complete',
      'end complete',
    ],
  ],
  [
    'sends bytes on their own',
    [event('a'), { kind: 'bytes', bytes: new Uint8Array([98]) }, event('c')],
    {},
    ['a', 'Uint8Array b', 'c']
      .flatMap((text, place) => [`sent ${text}, 1, events ${place === 1 ? 0 : 1}`, `chunk ${text}, 1`])
      .concat('complete', 'end complete'),
  ],
  ...(['end', 'close', 'reset'] as const).map((how): [string, Frame[], Setup, string[]] => [
    `ends early: ${how}`,
    [event('a'), { kind: 'hang-up', how }, event('b')],
    {},
    ['sent a, 1, events 1', 'chunk a, 1', 'aborted-by-fault', `end ${how === 'end' ? 'complete' : how}`],
  ]),
  [
    'waits for a promise',
    [event('a'), { kind: 'wait', ms: 0, until: Promise.resolve() }, event('b')],
    { hasConnection: true },
    ['sent a, 1, events 1', 'chunk a, 1', 'sent b, 1, events 1', 'chunk b, 1', 'complete', 'end complete'],
  ],
  [
    'stops when the client disconnects',
    [event('a'), pause, event('b')],
    { after: (step, leave) => step === 'chunk a, 1' && leave() },
    ['sent a, 1, events 1', 'chunk a, 1', 'aborted-by-client'],
  ],
  [
    'stops when the client disconnects while it waits for a promise',
    [event('a'), { kind: 'wait', ms: 0, until: new Promise(() => {}) }, event('b')],
    { after: (step, leave) => step === 'chunk a, 1' && setImmediate(leave) },
    ['sent a, 1, events 1', 'chunk a, 1', 'aborted-by-client'],
  ],
  ...(
    [
      [4095, ['4095']],
      [4096, ['Uint8Array 4096']],
      [131_071, ['Uint8Array 131071']],
      [131_072, ['Uint8Array 65536', 'Uint8Array 65536']],
      [196_608, ['Uint8Array 65536', 'Uint8Array 65536', 'Uint8Array 65536']],
    ] as [number, string[]][]
  ).map(([size, slices]): [string, Frame[], Setup, string[]] => [
    `sends an event of ${size} bytes in ${slices.length} slices`,
    [event('x'.repeat(size))],
    {},
    slices
      .flatMap((slice, place) => {
        const length = slice.split(' ').at(-1)
        return [`sent ${slice}, ${length}, events ${place === 0 ? 1 : 0}`, `chunk ${slice}, ${length}`]
      })
      .concat('complete', 'end complete'),
  ]),
])('deliver() %s in a stream', async (_title, frames, setup, expected) => {
  const steps = await stepsOf(eventStream(frames), setup)
  expect(steps).toEqual(['head 200, content-length none', ...expected])
})

it('deliver() waits for a millisecond, and ends a wait when the client disconnects', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const frames = [event('a'), pause, event('b'), pause, event('c')]
  let last = ''
  let disconnect = () => {}
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const delivery = stepsOf(eventStream(frames), {
    pacing: new Clock(),
    after(step, leave) {
      last = step
      disconnect = leave
    },
  })
  await turn()
  expect(last).toBe('chunk a, 1')
  vi.advanceTimersByTime(1)
  await turn()
  expect([last, vi.getTimerCount()]).toEqual(['chunk b, 1', 1])
  disconnect()
  expect(vi.getTimerCount()).toBe(0)
  expect((await delivery).at(-1)).toBe('aborted-by-client')
})

it('deliver() sends a body of more than 1 MB in slices, and does not split a character', async () => {
  const text = `${'x'.repeat(65_535)}🦊${'x'.repeat(1_000_000)}`
  const steps = await stepsOf(reply({ body: { ...value, text } }))
  const length = String(65_535 + 4 + 1_000_000)
  expect(steps[0]).toBe(`head 200, content-length ${length}`)
  const chunks = steps.filter((step) => step.startsWith('chunk'))
  expect(chunks.slice(0, 2)).toEqual(['chunk Uint8Array 65535, 65535', 'chunk Uint8Array 65538, 65538'])
  const sizes = chunks.map((chunk) => Number(chunk.split(', ')[1]))
  expect(String(sizes.reduce((sum, size) => sum + size, 0))).toBe(length)
})

it('deliver() rejects if a body fails', async () => {
  function* broken(): Generator<Frame> {
    yield event('a')
    yield pause
    throw new Error('broken')
  }
  await expect(stepsOf(eventStream(broken()), { hasConnection: true })).rejects.toThrow('broken')
})
