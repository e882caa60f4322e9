/** An excerpt of the golden transcript; `transcript.slow.test.ts` has all of it and rewrites its files. */
import { it } from 'vitest'
import { expectCalls } from './expect-golden.ts'
import { decode, record, stories } from './transcript.ts'

it('gives the same replies and journal entries for 200 calls of the golden transcript', {
  timeout: 60_000,
}, async () => {
  // 29 has no divisor in common with the numbers of groups, scenarios and transports.
  expectCalls(await record(stories.filter((_, index) => index % 29 === 0)), decode())
})
