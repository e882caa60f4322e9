import { describe, expect, it } from 'vitest'
import type { FaultInput } from '../../src/faults/index.ts'
import { eventStream } from '../../src/http/reply.ts'
import { afflict, bytesOf, completed, count, framesOf, outline, sample, type Told } from './sample.ts'

const whole = bytesOf(framesOf(sample()))
const after = (fault: FaultInput, reply = sample()) => framesOf(afflict(reply, fault))
/** What the journal says of a fault that finds no place; the stream is as it was. */
const nowhere = (fault: FaultInput) => {
  const told: Told = { warnings: [] }
  expect(bytesOf(framesOf(afflict(sample(), fault, { told })))).toEqual(whole)
  expect(told.nothingHappened).toBe(true)
  return told.warnings.join()
}
const order = outline(framesOf(sample()))

describe('where a fault falls', () => {
  it.each([0, 1, 5, count - 1])('at event %i: exactly the events before it', (atEvent) => {
    expect(outline(after({ name: 'stream-cut', atEvent }))).toEqual([...order.slice(0, atEvent), 'end'])
  })

  it('at an event after the final one: nowhere, and says so', () => {
    expect(nowhere({ name: 'stream-cut', atEvent: count })).toBe(
      `'stream-cut' found nothing to act on: the stream has ${count - 1} events before its last event, not ${count}`,
    )
  })

  it('after three pieces of text by default, and before the last of a stream that has three or fewer', () => {
    const long = sample({ deltas: ['a', 'b', 'c', 'd', 'e'] })
    expect(outline(after('stream-cut', long)).slice(-4)).toEqual(['delta', 'delta', 'delta', 'end'])
    expect(outline(after('stream-cut')).slice(-3)).toEqual(['delta', 'delta', 'end'])
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

  it('in the arguments of a function call by default, as in a text', () => {
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

  it('after so many pieces of text', () => {
    expect(outline(after({ name: 'stream-cut', afterDeltas: 1 }))).toEqual([
      'created',
      'output_item.added',
      'delta',
      'end',
    ])
  })

  it('after more pieces of text than come: nowhere, and says so', () => {
    expect(nowhere({ name: 'stream-cut', afterDeltas: 9 })).toContain(
      'the stream has 3 pieces of text or arguments before its last event, not 9',
    )
  })

  it.each([0, 1, 200, whole.length - 1])('at byte %i: exactly the bytes before it', (atByte) => {
    const frames = after({ name: 'stream-cut', atByte })
    expect(bytesOf(frames)).toEqual(whole.subarray(0, atByte))
    expect(outline(frames).at(-1)).toBe('end')
  })

  it('after a time: in the middle of a pause too', () => {
    const frames = after({ name: 'stream-stall', afterMs: 25 }, sample({ everyMs: 10 }))
    expect(outline(frames)).toEqual(['wait 10', 'created', 'wait 10', 'output_item.added', 'wait 5', 'stall'])
  })

  it('after a time that the stream does not take: nowhere, and says so', () => {
    expect(nowhere({ name: 'stream-stall', afterMs: 25 })).toContain('the body takes 0 ms')
    expect(nowhere({ name: 'stream-error-event', afterMs: 25 })).toContain('takes 0 ms before its last event')
  })

  it('at a byte past the end: nowhere, and says so', () => {
    expect(nowhere({ name: 'stream-cut', atByte: whole.length })).toContain(
      `the body has ${whole.length} bytes`,
    )
    expect(nowhere({ name: 'stream-error-event', atByte: whole.length - 20 })).toContain(
      'before its last event',
    )
  })

  it('a failure at a byte inside an event: after that event', () => {
    const inside = whole.indexOf('output_item.added')
    expect(outline(after({ name: 'stream-error-event', atByte: inside }))).toEqual([
      'created',
      'output_item.added',
      'failed',
      '[DONE]',
    ])
  })

  it('reads no further than it has to', () => {
    let read = 0
    const reply = sample()
    const frames = framesOf(reply)
    function* counted() {
      for (const frame of frames) {
        read++
        yield frame
      }
    }
    const cut = afflict(
      { ...reply, body: { kind: 'frames', frames: counted() } },
      { name: 'stream-cut', atEvent: 2 },
    )
    expect(read).toBe(0)
    framesOf(cut)
    // The event at which it falls has been looked at.
    expect(read).toBe(3)
  })
})

describe('what a fault does', () => {
  it('stream-reset breaks the connection, stream-stall stays open', () => {
    expect(outline(after({ name: 'stream-reset', atEvent: 1 }))).toEqual(['created', 'reset'])
    expect(outline(after({ name: 'stream-stall', atEvent: 1 }))).toEqual(['created', 'stall'])
  })

  it('stream-error-event sends response.failed with the Response so far, and ends', () => {
    const frames = after({ name: 'stream-error-event', atEvent: 3, code: 'overloaded', message: 'Too much' })
    expect(outline(frames)).toEqual(['created', 'output_item.added', 'delta', 'failed', '[DONE]'])
    expect(frames[3]).toMatchObject({
      event: {
        sequence_number: 3,
        response: { id: 'resp_1', status: 'failed', error: { code: 'overloaded', message: 'Too much' } },
      },
    })
  })

  it('stream-error-event before all others looks ahead for the Response', () => {
    const frames = after({ name: 'stream-error-event', atEvent: 0 })
    expect(frames[0]).toMatchObject({
      event: { type: 'response.failed', sequence_number: 0, response: { id: 'resp_1' } },
    })
  })

  it('stream-error-event sends the flat form too', () => {
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

  it('stream-without-done and stream-without-completed leave one out', () => {
    expect(outline(after('stream-without-done'))).toEqual(order.slice(0, -1))
    expect(outline(after('stream-without-completed'))).toEqual(order.toSpliced(-2, 1))
  })

  it('stream-malformed-event breaks the JSON of one event and goes on', () => {
    const frames = after({ name: 'stream-malformed-event', atEvent: 2 })
    expect(outline(frames)).toEqual(order.with(2, 'bytes'))
    const data = bytesOf(frames.slice(2, 3)).toString()
    expect(data).toMatch(/^data: \{.*\n\n$/)
    expect(() => JSON.parse(data.slice(6))).toThrow(SyntaxError)
  })

  it('stream-duplicate-event sends one event twice', () => {
    expect(outline(after({ name: 'stream-duplicate-event', atEvent: 1 }))).toEqual(
      order.toSpliced(1, 0, 'output_item.added'),
    )
  })

  it('stream-reordered-events exchanges two neighbours', () => {
    const frames = after({ name: 'stream-reordered-events', atEvent: 0 })
    expect(outline(frames)).toEqual(order.with(0, 'output_item.added').with(1, 'created'))
  })

  it('stream-reordered-events loses nothing at the end of the stream', () => {
    expect(outline(after({ name: 'stream-reordered-events', atEvent: count - 2 }))).toEqual(order)
  })

  it('stream-split gives chunks of n bytes, each on its own', () => {
    const frames = after({ name: 'stream-split', bytes: 7 })
    expect(bytesOf(frames)).toEqual(whole)
    const sizes = frames.flatMap((frame) => (frame.kind === 'bytes' ? [frame.bytes.length] : []))
    expect(Math.max(...sizes)).toBe(7)
    expect(outline(frames).slice(0, 2)).toEqual(['bytes', 'wait 0'])
  })

  it('stream-joined gives one chunk, and its head no sooner than that, after as long as the stream takes', () => {
    const joined = afflict(sample({ everyMs: 200 }), 'stream-joined')
    expect([outline(framesOf(joined)), joined.transport?.delayMs]).toEqual([['bytes'], count * 200])
    const unpaced = afflict(sample(), { name: 'stream-joined', ms: 70 })
    expect([bytesOf(framesOf(unpaced)), unpaced.transport?.delayMs]).toEqual([whole, 70])
  })

  it('stream-crlf ends every line in CR LF', () => {
    const text = bytesOf(after('stream-crlf')).toString()
    expect(text.replaceAll('\r\n', '\n')).toBe(whole.toString())
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it('stream-comments puts a comment before each event', () => {
    const text = bytesOf(after({ name: 'stream-comments', comment: 'ping' })).toString()
    expect(text.split(': ping\n\n')).toHaveLength(count + 1)
    expect(text.replaceAll(': ping\n\n', '')).toBe(whole.toString())
  })

  it('slow-stream waits before the first event and before each other', () => {
    const frames = after({ name: 'slow-stream', firstEventMs: 50, everyMs: 5 })
    expect(outline(frames).slice(0, 4)).toEqual(['wait 50', 'created', 'wait 5', 'output_item.added'])
    expect(outline(frames).at(-1)).toBe('[DONE]')
  })

  it.each([
    [{ firstEventMs: 1, everyMs: 0 }, []],
    [{ firstEventMs: 0, everyMs: 1 }, []],
    [{ firstEventMs: 0, everyMs: 0 }, ["'slow-stream' found nothing to act on: it takes no time"]],
  ])('slow-stream with %j says whether it takes time', (setting, warnings) => {
    const told: Told = { warnings: [] }
    framesOf(afflict(sample(), { name: 'slow-stream', ...setting }, { told }))
    expect(told.warnings).toEqual(warnings)
  })

  it('stream-unknown-event says so if no event follows its position', () => {
    const told: Told = { warnings: [] }
    const done = eventStream([{ kind: 'done' }])
    expect(outline(framesOf(afflict(done, 'stream-unknown-event', { told })))).toEqual(['[DONE]'])
    expect(told.nothingHappened).toBe(true)
  })

  it('leaves a reply alone that is not a stream, and says so', () => {
    const told: Told = { warnings: [] }
    expect(afflict(completed, 'stream-cut', { told })).toBe(completed)
    expect(told).toEqual({
      nothingHappened: true,
      warnings: ["'stream-cut' found nothing to act on: the answer is no event stream"],
    })
  })
})
