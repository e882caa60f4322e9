import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/http/reply.ts'
import { afflict, citation, completed, framesOf, outline, sample } from './sample.ts'

/** Every citation in a value, however deep. */
function citationsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(citationsIn)
  return 'url' in value || 'end_index' in value ? [value as Record<string, unknown>, ...inner] : inner
}

const numbers = (frames: Frame[]) =>
  frames.flatMap((frame) => (frame.kind === 'event' ? [frame.event['sequence_number']] : []))

describe.each([
  ['a body', completed],
  ['a stream', undefined],
])('in %s', (_name, reply) => {
  const before = citationsIn(reply ? reply.body : framesOf(sample()))
  const after = (fault: Parameters<typeof afflict>[1]) => {
    const result = afflict(reply ?? sample(), fault)
    return citationsIn(reply ? result.body : framesOf(result))
  }

  it('citation-out-of-range moves both offsets past the end of the text', () => {
    const found = after('citation-out-of-range')
    expect(found).toHaveLength(before.length)
    for (const each of found) expect(each).toMatchObject({ start_index: 1_000_013, end_index: 1_000_018 })
  })

  it('citation-missing-field leaves one field out of each', () => {
    const { end_index: _left, ...rest } = citation
    const found = after({ name: 'citation-missing-field', field: 'end_index' })
    expect(found).toEqual(before.map(() => rest))
  })
})

it('citation-late sends the citations after the text is done, with growing sequence numbers', () => {
  const frames = framesOf(afflict(sample(), 'citation-late'))
  expect(outline(frames).slice(5, 8)).toEqual(['done', 'annotation.added', 'content_part.done'])
  expect(numbers(frames)).toEqual(numbers(framesOf(sample())))
})

it('citation-dropped-in-stream leaves them in the final Response alone', () => {
  const frames = framesOf(afflict(sample(), 'citation-dropped-in-stream'))
  expect(outline(frames)).not.toContain('annotation.added')
  const [last, ...others] = frames.filter((frame) => frame.kind === 'event').toReversed()
  expect(citationsIn(others)).toEqual([])
  expect(citationsIn(last)).toEqual([citation])
})
