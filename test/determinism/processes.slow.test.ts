import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const program = new URL('calls.ts', import.meta.url).pathname

/** The transcript as another process gives it. */
async function elsewhere(seed: number): Promise<string> {
  const { stdout } = await run(process.execPath, [program, String(seed)], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

it('Same seed, same calls give the same bytes in two processes: status, headers less the date, body', async () => {
  const [first, second] = await Promise.all([elsewhere(7), elsewhere(7)])
  expect(first).toBe(second)
  expect(JSON.parse(first)).toHaveLength(50)
})
