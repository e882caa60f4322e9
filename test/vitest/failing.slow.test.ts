import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'

describe('the output of a test run', () => {
  let output = ''

  beforeAll(async () => {
    const config = `${import.meta.dirname}/cases/vitest.config.ts`
    const run = spawn('vitest', ['run', '--config', config], {
      env: { ...process.env, NO_COLOR: '1', CI: '1' },
    })
    const [stdout, stderr] = await Promise.all([text(run.stdout), text(run.stderr)])
    output = (stdout + stderr).replace(/, \d+ ms/g, ', 0 ms')
  }, 60_000)

  it("contains only the journals of failing tests' sandboxes, and none of a failing sweep", () => {
    expect(output).toContain(
      `'fails with an unmatched request' failed. Sandbox s1 has 2 calls:
  1. GET /sandboxes/s1/api/v1/providers (listProviders): 529 by fail() (status), 0 ms
  2. GET /sandboxes/s1/api/v1/provider: 404, 0 ms
     Resource not found: no operation handles GET /provider. Did you mean GET /providers? (if this request is not for the gateway, set the gateway's baseUrl).`,
    )
    expect(output.match(/\[understudy\] '.*' failed\. /g)).toHaveLength(4)
  })

  it("lists a failing test's calls that have no reply", () => {
    expect(output).toContain(
      `'waits for a delayed reply' failed. Sandbox s3 has no calls.
1 call without a reply so far (fake timers, if used, stop delays):
  1. GET /sandboxes/s3/api/v1/providers (listProviders): no response by the inline rule (latency), pending`,
    )
    expect(output).toContain('(listProviders): no response by hold(), held by gate')
  })

  it("lists a failing test's calls that the default sandbox received", () => {
    expect(output).toContain(
      `'loses a call to the default sandbox' failed. Sandbox s2 has no calls.
In addition, the default sandbox received 1 call meanwhile: GET /providers with an unknown key`,
    )
  })

  it('reports no failure for fifty concurrent, isolated tests in a separate process', () => {
    expect(output).not.toMatch(/FAIL .*isolation\.case/)
  })

  it("reports no failure for files with hooks, whose requests reach their test's sandbox", () => {
    expect(output).toMatch(/✓ .*hooks\.case\.ts/)
  })

  it('warns once per file about calls that cannot be attributed to a test, with an example and a fix, but without the key', () => {
    expect(output.match(/THIS TEST SHARES ITS STATE/g)).toHaveLength(2)
    expect(output).toContain('received 1 call (GET /api/v1/providers) that could not be attributed to a test')
    expect(output).not.toContain('1234')
    expect(output).toContain('test.override({ serial: true })')
  })

  it('warns of requests that were sent before the gateway of the file existed', () => {
    expect(output).toMatch(/✓ .*early\.case\.ts/)
    expect(output.match(/received 2 calls \(such as GET .*\) at import or in beforeAll/g)).toHaveLength(1)
  })

  it('reports no failure for a test that reads gatewayOptions from `provide` in the Vitest configuration', () => {
    expect(output).toMatch(/Tests\s+5 failed \| \d+ passed/)
  })
})
