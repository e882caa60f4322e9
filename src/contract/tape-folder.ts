/**
 * A folder of tapes: which keys it has, and the names that new ones get.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isTapeName, type Tape, tapeName } from '../tapes/tape.ts'

export class TapeFolder {
  readonly path: string
  /** The files of each key, those from before this run. */
  readonly #before = new Map<string, string[]>()
  readonly #taken: Set<string>

  /** Makes the folder where it is not there. */
  constructor(path: string) {
    this.path = path
    mkdirSync(path, { recursive: true })
    this.#taken = new Set(readdirSync(path))
    for (const file of this.#taken) {
      if (!isTapeName(file)) continue
      const key = keyIn(join(path, file))
      if (key !== undefined) this.#before.set(key, [...(this.#before.get(key) ?? []), file])
    }
  }

  /** Whether there was a tape of this key before this run. */
  has(key: string): boolean {
    return this.#before.has(key)
  }

  /** Removes the tapes of this key from before this run. */
  forget(key: string): void {
    for (const file of this.#before.get(key) ?? []) {
      rmSync(join(this.path, file), { force: true })
      this.#taken.delete(file)
    }
    this.#before.delete(key)
  }

  /** A name that no other tape has; the next number for equal requests. */
  nameFor(head: Tape['head']): string {
    let number = 1
    while (this.#taken.has(tapeName(head, number))) number++
    const name = tapeName(head, number)
    this.#taken.add(name)
    return name
  }
}

/** The key in the head of a tape; undefined where it cannot be read. */
function keyIn(file: string): string | undefined {
  try {
    const [head = ''] = readFileSync(file, 'utf8').split('\n', 1)
    const { key, operation } = JSON.parse(head)
    return typeof key === 'string' && typeof operation === 'string' ? key : undefined
  } catch {
    return undefined
  }
}
