import { describe, expect, it } from 'vitest'
import type { Fault } from '../../src/faults/index.ts'
import { eventStream, type Frame } from '../../src/http/reply.ts'
import { applyFaults, bytesOf, type FaultReport, framesOf, outline, sample } from './sample.ts'

const whole = bytesOf(framesOf(sample()))
const after = (fault: Fault, reply = sample()) => framesOf(applyFaults(reply, fault))

describe("a stream fault's position", () => {
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

  it.each<Fault>([{ name: 'latency', ms: 1 }, 'stream-instead-of-json'])(
    'does not depend on %j, which does not change the stream',
    (fault) => {
      expect(framesOf(applyFaults(sample(), [fault, 'stream-cut']))).toEqual(after('stream-cut'))
    },
  )

  it.each([0, 1, 200, whole.length - 1])('afterBytes %i: keeps exactly the bytes before it', (afterBytes) => {
    const frames = after({ name: 'stream-cut', afterBytes })
    expect(bytesOf(frames)).toEqual(whole.subarray(0, afterBytes))
    expect(outline(frames).at(-1)).toBe('end')
  })

  it('afterMs: has no effect if the stream ends with the pause', () => {
    const report: FaultReport = { warnings: [] }
    const frames: Frame[] = [
      { kind: 'event', event: { type: 'a' } },
      { kind: 'wait', ms: 10 },
    ]
    const fault: Fault = { name: 'stream-cut', afterMs: 10 }
    expect(framesOf(applyFaults(eventStream(frames), fault, { report }))).toEqual(frames)
    expect(report.warnings).toEqual([
      "'stream-cut' found nothing to act on: the body lasts 10 ms, so the fault cannot act after 10",
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
      { name: 'stream-cut', afterEvents: 2 },
    )
    expect(read).toBe(0)
    framesOf(cut)
    // The event at the fault's position is read too.
    expect(read).toBe(3)
  })
})

describe('stream faults', () => {
  it('stream-reordered-events: does not swap events after the final one', () => {
    const types = ['response.created', 'response.completed', 'a', 'b']
    const reply = () => eventStream(types.map((type): Frame => ({ kind: 'event', event: { type } })))
    const report: FaultReport = { warnings: [] }
    const fault: Fault = { name: 'stream-reordered-events', afterEvents: 1 }
    expect(framesOf(applyFaults(reply(), fault, { report }))).toEqual(framesOf(reply()))
    expect(report.warnings).toEqual([
      "'stream-reordered-events' found nothing to act on: the stream has no two consecutive events before the final one",
    ])
  })

  it('stream-unknown-event: has no effect if no event follows its position', () => {
    const report: FaultReport = { warnings: [] }
    const done = eventStream([{ kind: 'done' }])
    expect(outline(framesOf(applyFaults(done, 'stream-unknown-event', { report })))).toEqual(['[DONE]'])
    expect(report.noEffect).toBe(true)
  })

  it('answer: leaves a stream that is too long to hold unchanged', () => {
    const report: FaultReport = { warnings: [] }
    const text: Frame = { kind: 'event', event: { type: 'response.output_text.delta', output_index: 0 } }
    const long = eventStream(Array.from({ length: 100_001 }, () => text))
    expect(framesOf(applyFaults(long, 'answer', { report })).every((frame) => frame === text)).toBe(true)
    expect(report.warnings).toEqual([
      "'answer' found nothing to act on: the stream has more than 100000 events",
    ])
  })
})
