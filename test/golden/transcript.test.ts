/**
 * Compares an excerpt of the golden transcript; `transcript.slow.test.ts` compares all of it and rewrites its
 * files.
 */
import { it } from 'vitest'
import { expectCalls } from './expect-golden.ts'
import { decode, record, stories } from './transcript.ts'

it('the golden transcript is unchanged for a sample of 200 calls', {
  timeout: 60_000,
}, async () => {
  // 29 has no common divisor with the number of groups, scenarios or transports.
  expectCalls(await record(stories.filter((_, index) => index % 29 === 0)), decode())
})
