/**
 * Tests latency profiles computed from recordings.
 */
import { describe, expect, it } from 'vitest'
import { latencyProfile } from '../../../src/extras/recordings/latency-profile.ts'
import type { Recording } from '../../../src/extras/recordings/recording.ts'
import { type Part, recordingOf, requestOf } from './samples.ts'

describe('latencyProfile()', () => {
  const stream = (chunks: Part[], more: object = {}) =>
    recordingOf(chunks, { type: 'text/event-stream', ...more })
  const q = (p10: number, p50 = p10, p90 = p50, p99 = p90) => ({ p10, p50, p90, p99 })

  it('computes quantiles over all replies and per model', () => {
    const of = (ms: number, model?: string) =>
      recordingOf([{ ms, text: '' }], {
        request: requestOf(model === undefined ? 'x' : { model }),
        end: { end: 'fin', ms: 2 * ms, bytes: 3 * ms },
      })
    const recordings = [9, 1, 8, 2, 7, 3, 6, 4, 5, 10].map((ms) => of(ms, ms > 8 ? 'b' : 'a'))
    const { models } = latencyProfile([...recordings, of(100)])
    expect(Object.keys(models)).toEqual(['*', 'a', 'b'])
    expect(models['b']).toEqual({
      samples: 2,
      firstByteMs: q(9, 10),
      totalMs: q(18, 20),
      bytes: q(27, 30),
    })
    expect(models['a']).toMatchObject({ samples: 8, firstByteMs: q(1, 5, 8) })
    expect(models['*']).toMatchObject({
      samples: 11,
      firstByteMs: q(2, 6, 10, 100),
      totalMs: q(4, 12, 20, 200),
    })
    expect(latencyProfile([])).toEqual({ profile: 1, models: {} })
    expect(latencyProfile([of(1.006)]).models['*']?.firstByteMs).toEqual(q(1.01))
  })

  it("computes streams' gaps and event counts, and tokens if usage is reported", () => {
    const usage = (usage: object) => `data: ${JSON.stringify(usage)}\n\n`
    const statsOf = (...recordings: Recording[]) => latencyProfile(recordings).models['*']
    expect(statsOf(stream(['data: 1\n\n', { ms: 30, text: 'data: 2\n\ndata: [DONE]\n\n' }]))).toEqual({
      samples: 1,
      firstByteMs: q(10),
      gapMs: q(20),
      totalMs: q(100),
      bytes: q(0),
      events: q(3),
    })
    expect(statsOf(stream(['data: 1\n\n']))).not.toHaveProperty('gapMs')
    expect(statsOf(recordingOf(['a', 'b']))).not.toHaveProperty('gapMs')
    expect(statsOf(recordingOf([]))?.firstByteMs).toEqual(q(4))
    for (const [text, tokens] of [
      ['{"usage":{"output_tokens":5}}', 5],
      ['{"usage":{"completion_tokens":6}}', 6],
      ['{"usage":{"output_tokens":"7"}}', undefined],
      ['{"response":{"usage":{"output_tokens":8}}}', 8],
      ['no JSON', undefined],
    ] as const)
      expect(statsOf(recordingOf([text]))?.tokens, text).toEqual(tokens && q(tokens))
    const events = [{ usage: { output_tokens: 1 } }, { response: { usage: { output_tokens: 9 } } }, {}]
    expect(statsOf(stream(events.map(usage)))?.tokens).toEqual(q(9))
  })

  it('ignores failed and incomplete replies', () => {
    const status = (status: number) => recordingOf([], { reply: { ms: 1, status, headers: {} } })
    const samples = (recording: Recording) => latencyProfile([recording]).models['*']?.samples
    expect([399, 400, 500].map((each) => samples(status(each)))).toEqual([1, undefined, undefined])
    expect(
      ['fin', 'aborted-by-client', 'reset', 'idle'].map((end) => samples(recordingOf([], { end }))),
    ).toEqual([1, 1, undefined, undefined])
    expect(samples(recordingOf([], { reply: undefined }))).toBeUndefined()
    expect(samples({ ...recordingOf([]), end: undefined })).toBeUndefined()
  })
})
