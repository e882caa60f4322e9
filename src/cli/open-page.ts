/**
 * Opens a page in the browser of whoever sits at this machine.
 */
import { spawn } from 'node:child_process'

const commands: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Says so where there is none; the server runs on. */
export function openPage(url: string, print: (line: string) => void): void {
  const [command, ...args] = commands[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => print(`No browser could be opened: ${url}`))
  child.unref()
}
