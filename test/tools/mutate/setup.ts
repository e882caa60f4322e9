/**
 * Sets up each test file in a mutation run: selects the active mutant and records the mutants that each test
 * executes.
 */
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Note, root, testKey } from './notes.ts'

declare global {
  var __mutant: (id: number) => boolean
  /** Id of the active mutant, or -1. */
  var __activeMutant: number
}

const notes = process.env['UNDERSTUDY_MUTANT_NOTES']
const scope = globalThis as typeof globalThis & { __executed?: Set<number>; __atImport?: Set<number> }
scope.__executed ??= new Set()
scope.__atImport ??= new Set()
const { __executed: executed, __atImport: atImport } = scope

globalThis.__activeMutant ??= Number(process.env['UNDERSTUDY_MUTANT'] ?? -1)
globalThis.__mutant = (id) => {
  if (notes) executed.add(id)
  return id === globalThis.__activeMutant
}

if (notes) {
  const write = (test?: string) => {
    const file = relative(root, expect.getState().testPath ?? '')
    const note: Note = { file, test, executed: [...executed], atImport: test ? [] : [...atImport] }
    appendFileSync(notes, `${JSON.stringify(note)}\n`)
    executed.clear()
  }
  // Code executed while modules load is attributed to all of this worker's files, because modules are loaded
  // only once.
  beforeAll(() => {
    for (const id of executed) atImport.add(id)
    executed.clear()
  })
  afterEach(({ task }) => write(testKey(task)))
  afterAll(() => write())
}
