/**
 * Sets up each test file in a mutation run: selects the active mutant and records the places that the file
 * executes.
 */
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

declare global {
  var __mutant: (id: number) => boolean
}

const chosen = Number(process.env['UNDERSTUDY_MUTANT'] ?? -1)
const notes = process.env['UNDERSTUDY_MUTANT_NOTES']
const scope = globalThis as typeof globalThis & { __passed?: Set<number>; __atImport?: Set<number> }

scope.__passed ??= new Set()
scope.__atImport ??= new Set()
globalThis.__mutant = (id) => {
  if (notes) scope.__passed?.add(id)
  return id === chosen
}

if (notes) {
  // Code executed while modules load is attributed to all of this worker's files, because modules are loaded
  // only once.
  beforeAll(() => {
    for (const id of scope.__passed ?? []) scope.__atImport?.add(id)
    scope.__passed = new Set()
  })
  afterAll(() => {
    const file = relative(process.cwd(), expect.getState().testPath ?? '')
    appendFileSync(
      notes,
      `${JSON.stringify({ file, passed: [...(scope.__passed ?? [])], atImport: [...(scope.__atImport ?? [])] })}\n`,
    )
  })
}
