import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { calls, type Line, transcript } from './calls.ts'

const run = promisify(execFile)
const program = new URL('calls.ts', import.meta.url).pathname

/** The transcript as another process gives it. */
async function elsewhere(seed: number): Promise<string> {
  const { stdout } = await run(process.execPath, [program, String(seed)], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** Times of day in a body; the ids and texts around them stay. */
function withoutTimes({ body, ...line }: Line): string {
  return JSON.stringify({ ...line, body: body.replace(/"(created_at|completed_at)":\d+/g, '"$1":0') })
}

describe('Same seed, same calls', () => {
  it('plans 50 calls, 30 of which neither write nor count', () => {
    expect(calls).toHaveLength(50)
    expect(calls.filter(({ pure }) => pure)).toHaveLength(30)
  })

  it('give the same bytes in two processes: status, headers less the date, body', async () => {
    const [first, second] = await Promise.all([elsewhere(7), elsewhere(7)])
    expect(first).toBe(second)
    expect(JSON.parse(first)).toHaveLength(50)
  })

  it('give other texts with another seed', async () => {
    const [seven, eight] = await Promise.all([
      transcript(7, calls, 'in turn'),
      transcript(8, calls, 'in turn'),
    ])
    expect(seven.map(({ body }) => body)).not.toEqual(eight.map(({ body }) => body))
  })

  it('give the same set of bytes in parallel, times aside, where they neither write nor count', async () => {
    const pure = calls.filter((call) => call.pure)
    const [inTurn, atOnce] = await Promise.all([
      transcript(7, pure, 'in turn'),
      transcript(7, pure, 'at once'),
    ])
    expect(atOnce.map(withoutTimes).toSorted()).toEqual(inTurn.map(withoutTimes).toSorted())
  })
})
