import { existsSync } from 'node:fs'

/** Returns true if the project contains an extra, such as `console`. */
export function hasExtra(name: string): boolean {
  return existsSync(new URL(`../src/extras/${name}`, import.meta.url))
}
