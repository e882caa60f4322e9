import { describe, expect, it } from 'vitest'
import type { FaultInput } from '../../src/faults/index.ts'
import { eventStream, type Frame } from '../../src/http/reply.ts'
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'
import {
  applyFaults,
  bytesOf,
  completed,
  count,
  type FaultReport,
  framesOf,
  outline,
  sample,
} from './sample.ts'

const whole = bytesOf(framesOf(sample()))
const after = (fault: FaultInput, reply = sample()) => framesOf(applyFaults(reply, fault))
/** Expects the stream to be unchanged, and returns the warning. */
const warningOf = (fault: FaultInput) => {
  const report: FaultReport = { warnings: [] }
  expect(bytesOf(framesOf(applyFaults(sample(), fault, { report })))).toEqual(whole)
  expect(report.noEffect).toBe(true)
  return report.warnings.join()
}
const order = outline(framesOf(sample()))

describe("a stream fault's position", () => {
  it.each([0, 1, 5, count - 1])('atEvent %i: keeps exactly the events before it', (atEvent) => {
    expect(outline(after({ name: 'stream-cut', atEvent }))).toEqual([...order.slice(0, atEvent), 'end'])
  })

  it('atEvent past the final event: has no effect and adds a warning', () => {
    expect(warningOf({ name: 'stream-cut', atEvent: count })).toBe(
      `'stream-cut' found nothing to act on: the stream has ${count - 1} events before its last event, not ${count}`,
    )
  })

  it('is after three deltas by default, or before the last delta if there are three or fewer', () => {
    const long = sample({ deltas: ['a', 'b', 'c', 'd', 'e'] })
    const start = ['created', 'output_item.added']
    expect(outline(after('stream-cut', long))).toEqual([...start, 'delta', 'delta', 'delta', 'end'])
    expect(outline(after('stream-cut'))).toEqual([...start, 'delta', 'delta', 'end'])
    expect(outline(after('stream-cut', sample({ deltas: ['a'] })))).toEqual([
      'created',
      'output_item.added',
      'end',
    ])
    expect(outline(after('stream-cut', sample({ deltas: [] }))).slice(-2)).toEqual([
      'content_part.done',
      'end',
    ])
  })

  it("is within a function call's arguments by default", () => {
    const type = 'response.function_call_arguments.delta'
    const call = sample({ deltas: ['{"a"', ':', '1', '}'], type })
    expect(outline(after('stream-cut', call)).filter((step) => step.endsWith('delta'))).toHaveLength(3)
    const broken = after('stream-malformed-event', call).findIndex(
      (frame) => frame.kind === 'event' && frame.wire,
    )
    expect(outline(framesOf(call))[broken]).toBe('function_call_arguments.delta')
    const moved = after('stream-reordered-events', sample({ deltas: ['{"a"', ':', '1', '2', '}'], type }))
    expect(
      moved.flatMap((frame) =>
        frame.kind === 'event' && 'delta' in frame.event ? [frame.event['delta']] : [],
      ),
    ).toEqual(['{"a"', ':', '1', '}', '2'])
  })

  it('is before the last delta of a stream without a final event', () => {
    const delta = (text: string): Frame => ({
      kind: 'event',
      event: { type: 'response.output_text.delta', delta: text },
    })
    expect(after('stream-cut', eventStream([delta('a'), delta('b')]))).toEqual([
      delta('a'),
      { kind: 'hang-up', how: 'end' },
    ])
  })

  it.each<FaultInput>([{ name: 'latency', ms: 1 }, 'stream-instead-of-json'])(
    'does not depend on %j, which does not change the stream',
    (fault) => {
      expect(framesOf(applyFaults(sample(), [fault, 'stream-cut']))).toEqual(after('stream-cut'))
    },
  )

  it('afterDeltas: keeps n deltas', () => {
    expect(outline(after({ name: 'stream-cut', afterDeltas: 1 }))).toEqual([
      'created',
      'output_item.added',
      'delta',
      'end',
    ])
  })

  it('afterDeltas past the last delta: has no effect and adds a warning', () => {
    expect(warningOf({ name: 'stream-cut', afterDeltas: 9 })).toContain(
      'the stream has 3 deltas of text or arguments before its last event, not 9',
    )
  })

  it.each([0, 1, 200, whole.length - 1])('atByte %i: keeps exactly the bytes before it', (atByte) => {
    const frames = after({ name: 'stream-cut', atByte })
    expect(bytesOf(frames)).toEqual(whole.subarray(0, atByte))
    expect(outline(frames).at(-1)).toBe('end')
  })

  it('afterMs: can be inside a pause between events', () => {
    const frames = after({ name: 'stream-stall', afterMs: 25 }, sample({ everyMs: 10 }))
    expect(outline(frames)).toEqual(['wait 10', 'created', 'wait 10', 'output_item.added', 'wait 5', 'stall'])
  })

  it.each<[number, (number | string)[]]>([
    [19, [10, 9, 'hang-up']],
    [20, [10, 10, 'hang-up']],
    [21, [10, 10, 1, 'hang-up']],
  ])('afterMs %i: waits exactly that long, with pauses of 10 ms', (afterMs, waits) => {
    const frames = after({ name: 'stream-cut', afterMs }, sample({ everyMs: 10 }))
    const found = frames.flatMap<number | string>((frame) =>
      frame.kind === 'wait' ? [frame.ms] : frame.kind === 'hang-up' ? [frame.kind] : [],
    )
    expect(found).toEqual(waits)
  })

  it('afterMs: has no effect if the stream ends with the pause', () => {
    const report: FaultReport = { warnings: [] }
    const frames: Frame[] = [
      { kind: 'event', event: { type: 'a' } },
      { kind: 'wait', ms: 10 },
    ]
    const fault: FaultInput = { name: 'stream-cut', afterMs: 10 }
    expect(framesOf(applyFaults(eventStream(frames), fault, { report }))).toEqual(frames)
    expect(report.warnings).toEqual([
      "'stream-cut' found nothing to act on: the body lasts 10 ms, so the fault cannot act after 10",
    ])
  })

  it('afterMs 0: sends nothing of the stream', () => {
    expect(outline(after({ name: 'stream-cut', afterMs: 0 }))).toEqual(['end'])
  })

  it('afterMs past the end: has no effect and adds a warning', () => {
    expect(warningOf({ name: 'stream-stall', afterMs: 25 })).toContain('the body lasts 0 ms')
    expect(warningOf({ name: 'stream-error-event', afterMs: 25 })).toContain(
      'lasts 0 ms before its last event',
    )
  })

  it('atByte past the end: has no effect and adds a warning', () => {
    expect(warningOf({ name: 'stream-cut', atByte: whole.length })).toContain(
      `the body has ${whole.length} bytes`,
    )
    expect(warningOf({ name: 'stream-error-event', atByte: whole.length - 20 })).toContain(
      'before its last event',
    )
  })

  it('atByte inside an event: sends the error event after that event', () => {
    const inside = whole.indexOf('output_item.added')
    expect(outline(after({ name: 'stream-error-event', atByte: inside }))).toEqual([
      'created',
      'output_item.added',
      'failed',
      '[DONE]',
    ])
  })

  it('atByte: does not count pauses', () => {
    const paced = sample({ everyMs: 10 })
    const [, first] = framesOf(sample({ everyMs: 10 }))
    const atByte = bytesOf([first as Frame]).length + 1
    expect(outline(after({ name: 'stream-error-event', atByte }, paced))).toEqual([
      ...['wait 10', 'created', 'wait 10', 'output_item.added'],
      ...['failed', '[DONE]'],
    ])
  })

  it('stops the fault from reading later events', () => {
    let read = 0
    const reply = sample()
    const frames = framesOf(reply)
    function* counted() {
      for (const frame of frames) {
        read++
        yield frame
      }
    }
    const cut = applyFaults(
      { ...reply, body: { kind: 'frames', frames: counted() } },
      { name: 'stream-cut', atEvent: 2 },
    )
    expect(read).toBe(0)
    framesOf(cut)
    // The event at the fault's position is read too.
    expect(read).toBe(3)
  })
})

describe('stream faults', () => {
  it('stream-reset resets the connection, and stream-stall keeps it open', () => {
    expect(outline(after({ name: 'stream-reset', atEvent: 1 }))).toEqual(['created', 'reset'])
    expect(outline(after({ name: 'stream-stall', atEvent: 1 }))).toEqual(['created', 'stall'])
  })

  it('stream-error-event: sends response.failed with the response object, and ends', () => {
    const frames = after({ name: 'stream-error-event', atEvent: 3, code: 'overloaded', message: 'Too much' })
    expect(outline(frames)).toEqual(['created', 'output_item.added', 'delta', 'failed', '[DONE]'])
    expect(frames[3]).toMatchObject({
      event: {
        sequence_number: 3,
        response: { id: 'resp_1', status: 'failed', error: { code: 'overloaded', message: 'Too much' } },
      },
    })
  })

  it('stream-error-event at event 0: copies the response object from a later event', () => {
    const frames = after({ name: 'stream-error-event', atEvent: 0 })
    expect(frames[0]).toMatchObject({
      event: { type: 'response.failed', sequence_number: 0, response: { id: 'resp_1' } },
    })
  })

  it("stream-error-event with form 'error': sends a flat error event", () => {
    const frames = after({ name: 'stream-error-event', atEvent: 1, form: 'error' })
    const error = {
      type: 'error',
      code: 'server_error',
      message: 'Provider returned error',
      param: null,
      sequence_number: 1,
    }
    expect(frames.slice(1)).toEqual([{ kind: 'event', event: error }, { kind: 'done' }])
  })

  it('stream-without-done omits [DONE], and stream-without-completed omits response.completed', () => {
    expect(outline(after('stream-without-done'))).toEqual(order.slice(0, -1))
    expect(outline(after('stream-without-completed'))).toEqual(order.toSpliced(-2, 1))
  })

  it('stream-malformed-event: corrupts the JSON of one event and continues', () => {
    const frames = after({ name: 'stream-malformed-event', atEvent: 2 })
    expect(outline(frames)).toEqual(order.with(2, 'bytes'))
    const data = bytesOf(frames.slice(2, 3)).toString()
    expect(data).toMatch(/^data: \{.*\n\n$/)
    expect(() => JSON.parse(data.slice(6))).toThrow(SyntaxError)
  })

  it('stream-duplicate-event: sends one event twice', () => {
    expect(outline(after({ name: 'stream-duplicate-event', atEvent: 1 }))).toEqual(
      order.toSpliced(1, 0, 'output_item.added'),
    )
  })

  it('stream-reordered-events: swaps two adjacent events', () => {
    const frames = after({ name: 'stream-reordered-events', atEvent: 0 })
    expect(outline(frames)).toEqual(order.with(0, 'output_item.added').with(1, 'created'))
  })

  it('stream-reordered-events: does not move the final event', () => {
    expect(outline(after({ name: 'stream-reordered-events', atEvent: count - 2 }))).toEqual(order)
  })

  it('stream-reordered-events: does not swap events after the final one', () => {
    const types = ['response.created', 'response.completed', 'a', 'b']
    const reply = () => eventStream(types.map((type): Frame => ({ kind: 'event', event: { type } })))
    const report: FaultReport = { warnings: [] }
    const fault: FaultInput = { name: 'stream-reordered-events', atEvent: 1 }
    expect(framesOf(applyFaults(reply(), fault, { report }))).toEqual(framesOf(reply()))
    expect(report.warnings).toEqual([
      "'stream-reordered-events' found nothing to act on: the stream has no two consecutive events before the final one",
    ])
  })

  it.each<[FaultInput, string[]]>([
    [{ name: 'stream-joined', ms: 1 }, []],
    [{ name: 'stream-joined', ms: 0 }, ["'stream-joined' found nothing to act on: the delay is 0"]],
    [{ name: 'slow-head', ms: 1 }, []],
    [{ name: 'slow-head', ms: 0 }, ["'slow-head' found nothing to act on: its duration is 0"]],
  ])('%j warns only if it adds no delay', (fault, warnings) => {
    const report: FaultReport = { warnings: [] }
    framesOf(applyFaults(sample(), fault, { report }))
    expect(report.warnings).toEqual(warnings)
  })

  it.each<FaultInput>(['stream-bom', { name: 'stream-split', bytes: 1 }])(
    '%j does not change JSON replies',
    (fault) => {
      const report: FaultReport = { warnings: [] }
      expect(applyFaults(completed, fault, { report })).toBe(completed)
      expect(report.warnings).toEqual([expect.stringContaining('the reply is not an event stream')])
    },
  )

  it('stream-split: sends chunks of n bytes, each in its own write', () => {
    const frames = after({ name: 'stream-split', bytes: 7 })
    expect(bytesOf(frames)).toEqual(whole)
    const sizes = frames.flatMap((frame) => (frame.kind === 'bytes' ? [frame.bytes.length] : []))
    expect(Math.max(...sizes)).toBe(7)
    expect(outline(frames).slice(0, 2)).toEqual(['bytes', 'wait 0'])
  })

  it("stream-joined: sends head and body together, after the stream's duration", () => {
    const joined = applyFaults(sample({ everyMs: 200 }), 'stream-joined')
    expect([outline(framesOf(joined)), joined.transport?.delayMs]).toEqual([['bytes'], count * 200])
    const unpaced = applyFaults(sample(), { name: 'stream-joined', ms: 70 })
    expect([bytesOf(framesOf(unpaced)), unpaced.transport?.delayMs]).toEqual([whole, 70])
  })

  it('stream-crlf: ends every line with CR LF', () => {
    const text = bytesOf(after('stream-crlf')).toString()
    expect(text.replaceAll('\r\n', '\n')).toBe(whole.toString())
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it('stream-comments: adds a comment before each event', () => {
    const text = bytesOf(after({ name: 'stream-comments', comment: 'ping' })).toString()
    expect(text.split(': ping\n\n')).toHaveLength(count + 1)
    expect(text.replaceAll(': ping\n\n', '')).toBe(whole.toString())
  })

  it('slow-stream: waits before the first event and between events', () => {
    const frames = after({ name: 'slow-stream', firstEventMs: 50, everyMs: 5 })
    expect(outline(frames).slice(0, 4)).toEqual(['wait 50', 'created', 'wait 5', 'output_item.added'])
    expect(outline(frames).at(-1)).toBe('[DONE]')
  })

  it.each([
    [{ firstEventMs: 1, everyMs: 0 }, []],
    [{ firstEventMs: 0, everyMs: 1 }, []],
    [{ firstEventMs: 0, everyMs: 0 }, ["'slow-stream' found nothing to act on: its delays are 0"]],
  ])('slow-stream: warns only if it adds no delay: %j', (setting, warnings) => {
    const report: FaultReport = { warnings: [] }
    framesOf(applyFaults(sample(), { name: 'slow-stream', ...setting }, { report }))
    expect(report.warnings).toEqual(warnings)
  })

  it.each([
    ['createChatCompletion', 'POST /chat/completions'],
    ['createMessage', 'POST /messages'],
  ] as const)('slow-stream: changes nothing but the timing of %s', async (on, line) => {
    const messages = [{ role: 'user', content: 'Why is the sky blue?' }]
    const body = { model: 'aurora/dawn-2', max_tokens: 50, messages, stream: true }
    const textWith = async (everyMs: number) => {
      const gateway = createGateway({ timeScale: 0, extensions: ['chat', 'messages'] })
      gateway.use({ on, fault: { name: 'slow-stream', everyMs } })
      return (await call(gateway, line, { body })).text
    }
    expect(await textWith(1)).toBe(await textWith(0))
  })

  it('stream-unknown-event: has no effect if no event follows its position', () => {
    const report: FaultReport = { warnings: [] }
    const done = eventStream([{ kind: 'done' }])
    expect(outline(framesOf(applyFaults(done, 'stream-unknown-event', { report })))).toEqual(['[DONE]'])
    expect(report.noEffect).toBe(true)
  })

  it('do not change JSON replies, and add a warning', () => {
    const report: FaultReport = { warnings: [] }
    expect(applyFaults(completed, 'stream-cut', { report })).toBe(completed)
    expect(report).toEqual({
      noEffect: true,
      warnings: ["'stream-cut' found nothing to act on: the reply is not an event stream"],
    })
  })
})
