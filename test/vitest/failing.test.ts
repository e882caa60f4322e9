import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'

describe('what a person sees of a run', () => {
  let output = ''

  beforeAll(async () => {
    const config = `${import.meta.dirname}/cases/vitest.config.ts`
    const run = spawn('vitest', ['run', '--config', config], {
      env: { ...process.env, NO_COLOR: '1', CI: '1' },
    })
    const [said, complained] = await Promise.all([text(run.stdout), text(run.stderr)])
    output = (said + complained).replace(/, \d+ ms/g, ', 0 ms')
  }, 60_000)

  it('prints the journal of the sandbox of a failing test, and of no other', () => {
    expect(output).toContain(
      `'asks in vain' has failed. Its sandbox, s1, has 2 calls:
  1. GET /sandboxes/s1/api/v1/providers (listProviders): 529 by rule 1 of 'fail' (status), 0 ms
  2. GET /sandboxes/s1/api/v1/provider: 404, cut, 0 ms
     No operation has this address.`,
    )
    expect(output.match(/ has failed\. /g)).toHaveLength(1)
  })

  it('warns once a file of a test that shares its state, and names the way out but not the key', () => {
    expect(output.match(/THIS TEST SHARES ITS STATE/g)).toHaveLength(1)
    expect(output).not.toContain('1234')
    expect(output).toContain('test.override({ serial: true })')
  })

  it('takes gatewayOptions from `provide` in the configuration of Vitest', () => {
    expect(output).toMatch(/Tests\s+1 failed \| 4 passed/)
  })
})
