/** Tests determinism within one process; `processes.slow.test.ts` compares two processes. */
import { describe, expect, it } from 'vitest'
import { calls, type Line, transcript } from './calls.ts'

/** Removes times from a body, but keeps ids and text. */
function withoutTimes({ body, ...line }: Line): string {
  return JSON.stringify({ ...line, body: body.replace(/"(created_at|completed_at)":\d+/g, '"$1":0') })
}

describe('calls with a fixed seed', () => {
  it('return different text with another seed', async () => {
    const [seven, eight] = await Promise.all([
      transcript(7, calls, 'in turn'),
      transcript(8, calls, 'in turn'),
    ])
    expect(seven.map(({ body }) => body)).not.toEqual(eight.map(({ body }) => body))
  })

  it('return the same bytes in parallel, except for times, if they change neither rows nor counters', async () => {
    const pure = calls.filter((call) => call.pure)
    const [inTurn, atOnce] = await Promise.all([
      transcript(7, pure, 'in turn'),
      transcript(7, pure, 'at once'),
    ])
    expect(atOnce.map(withoutTimes).toSorted()).toEqual(inTurn.map(withoutTimes).toSorted())
  })
})
