import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const tool = `
import { readFlags } from '${new URL('flags.ts', import.meta.url)}'
const { values } = readFlags('Usage: npm run soak', { minutes: { type: 'string', default: '30' } })
console.log(values.minutes)`

function run(...flags: string[]) {
  const args = ['--input-type=module', '--eval', tool, '--', ...flags]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe("a tool's flags", () => {
  it('include --help, which prints the usage', () => {
    expect(run('--help')).toEqual({ status: 0, stdout: 'Usage: npm run soak\n', stderr: '' })
  })

  it('have defaults', () => {
    expect(run()).toEqual({ status: 0, stdout: '30\n', stderr: '' })
    expect(run('--minutes', '0')).toEqual({ status: 0, stdout: '0\n', stderr: '' })
  })

  it('are rejected in one line if they are unknown or need a number', () => {
    expect(run('--minute', '3')).toEqual({
      status: 2,
      stdout: '',
      stderr: "soak: Unknown option '--minute'; see --help\n",
    })
    expect(run('--minutes', '3m')).toEqual({
      status: 2,
      stdout: '',
      stderr: "soak: --minutes must be a whole number, got '3m'; see --help\n",
    })
  })
})
