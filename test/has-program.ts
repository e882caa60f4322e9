import { execFileSync } from 'node:child_process'

/** Whether a program can be run here. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
