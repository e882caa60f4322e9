/** Runs a command line in this process, without starting a server. */
import { vi } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import type { Start } from '../../src/cli/serve-command.ts'

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
  /** Options that `serve` passed to `startServer`. */
  started: Parameters<Start>[0] | undefined
}

export async function runCommand(...args: string[]): Promise<CommandResult> {
  const result: CommandResult = { code: 0, stdout: '', stderr: '', started: undefined }
  const toStdout = (text: unknown) => {
    result.stdout += text
    return true
  }
  const toStderr = (text: unknown) => {
    result.stderr += text
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(toStdout),
    vi.spyOn(process.stderr, 'write').mockImplementation(toStderr),
    vi.spyOn(console, 'log').mockImplementation((text) => void toStdout(`${text}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text) => void toStderr(`${text}\n`)),
  ]
  process.exitCode = undefined
  await run(args, async (options) => {
    result.started = options
    throw new Error('enough for a test')
  })
  result.code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  for (const spy of spies) spy.mockRestore()
  return result
}
