import { execFileSync } from 'node:child_process'

/** Returns true if a program is installed. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
