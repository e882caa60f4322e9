/**
 * Opens a page in the default browser.
 */
import { spawn } from 'node:child_process'

const commands: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens a URL. If no browser can be opened, prints a line and continues. */
export function openPage(url: string, print: (line: string) => void): void {
  const [command, ...args] = commands[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => print(`Cannot open a browser: visit ${url}`))
  child.unref()
}
