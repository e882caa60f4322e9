/**
 * Loads scenario files for `use('./busy.yaml')` in code, and for `--scenario` and `validate` on the command line.
 */

import { extras } from '../extras/index.ts'
import type { AnyExtra } from '../gateway/extra.ts'
import { readWithExtras } from '../gateway/to-scenario.ts'
import { type DataFile, FileError, readDataFile } from '../lib/data-file.ts'
import { checkScenario, type KnownOperation, ScenarioError } from '../scenarios/check-scenario.ts'
import type { Scenario } from '../scenarios/scenario.ts'

/**
 * Reads a scenario, a single rule, or a recording, which becomes a scenario that replays it. Throws a `FileError`
 * with all problems and their lines and columns.
 *
 * @param file Path, relative to the working directory.
 */
export function loadScenarioFile(file: string, operations: readonly KnownOperation[]): Scenario {
  return (
    readWithExtras(file, operations, gatewaySetup.extras) ?? toScenario(file, readDataFile(file), operations)
  )
}

/** Setup shared by all entries: the extras and the scenario file reader. */
export const gatewaySetup = {
  extras: extras as readonly AnyExtra[],
  readScenario: loadScenarioFile,
}

export function toScenario(
  file: string,
  { value, locate }: DataFile,
  operations: readonly KnownOperation[],
): Scenario {
  const isRule = typeof value === 'object' && value !== null && !('rules' in value) && 'on' in value
  try {
    return checkScenario(isRule ? { name: 'rule', rules: [value] } : value, operations)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    const located = error.problems.map(({ path, message }) => ({
      file,
      message,
      // In a file with a single rule, paths are relative to the rule.
      ...locate(isRule ? path.slice(2) : path),
    }))
    throw new FileError(located)
  }
}
