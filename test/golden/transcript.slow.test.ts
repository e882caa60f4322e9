/**
 * Compares the golden transcript with its files. After an intended change, `npx vitest run -u --project slow
 * test/golden` rewrites them; review the diff before you commit.
 */
import { beforeAll, expect, it } from 'vitest'
import { expectCalls } from './expect-golden.ts'
import { callsOf, decode, encode, goldenFiles, record, stories, type Transcript } from './transcript.ts'

let transcript: Transcript
beforeAll(async () => {
  transcript = await record(stories)
})

it('the golden transcript contains 120 requests over 4 transports under 12 scenarios', () => {
  expect(transcript.size).toBe(120 * 4 * 12)
})

it.each(goldenFiles)('the golden transcript is unchanged in $name', async (file) => {
  try {
    await expect(encode(file, transcript)).toMatchFileSnapshot(file.name)
  } catch (error) {
    const calls = [...callsOf(file)].map(({ key }) => [key, transcript.get(key) ?? []] as const)
    expectCalls(new Map(calls), decode())
    throw error
  }
})
