import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const program = new URL('calls.ts', import.meta.url).pathname

/** Runs the calls in another process and returns its transcript. */
async function elsewhere(seed: number): Promise<string> {
  const { stdout } = await run(process.execPath, [program, String(seed)], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

it('two processes with the same seed return the same status, headers except date, and body for 50 calls', async () => {
  const [first, second] = await Promise.all([elsewhere(7), elsewhere(7)])
  expect(first).toBe(second)
  expect(JSON.parse(first)).toHaveLength(50)
})
