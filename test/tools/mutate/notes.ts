/** Notes and events that the processes of a mutation run write, one JSON value per line. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

// Read now, because tests may replace `process`.
export const root = process.cwd()

/** Mutants that a test executes in a run without a mutant, or if `test` is missing, that a file's hooks execute. */
export interface Note {
  readonly file: string
  /** The test's key, as returned by `testKey`. */
  readonly test?: string | undefined
  readonly executed: readonly number[]
  /** Mutants that are executed while modules load. */
  readonly atImport: readonly number[]
}

/** Event of a joint run: the start of a test, the start of a try, or a mutant that a test killed. */
export type JointEvent = { test: string } | { trying: number } | { killed: number; by: string }

/** Reads a file of notes or events. Ignores an incomplete last line, which a killed process may leave. */
export function readLines<Line>(file: string): Line[] {
  const complete = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return complete.map((line) => JSON.parse(line))
}

/** Returns a test's key, such as `test/http/secrets.test.ts > secrets > are hidden`. */
export function testKey({
  file,
  fullTestName,
}: {
  file: { filepath: string }
  fullTestName: string
}): string {
  return `${relative(root, file.filepath)} > ${fullTestName}`
}
