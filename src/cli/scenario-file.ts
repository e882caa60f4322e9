/**
 * Scenarios from files: for `--scenario` by path, and for `validate`.
 */
import { checkScenario, type KnownOperation, ScenarioError } from '../rules/check-scenario.ts'
import type { Scenario } from '../rules/scenario.ts'
import { type DataFile, FileError, readDataFile } from './data-file.ts'

/** Loads a scenario whole, or not at all: throws a `FileError` with every problem and its place. */
export async function loadScenarioFile(
  file: string,
  operations: readonly KnownOperation[],
): Promise<Scenario> {
  return toScenario(file, await readDataFile(file), operations)
}

export async function toScenario(
  file: string,
  data: DataFile,
  operations: readonly KnownOperation[],
): Promise<Scenario> {
  try {
    return checkScenario(data.value, operations)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    const located = error.problems.map(async ({ path, message }) => ({
      file,
      message,
      ...(await data.locate(path)),
    }))
    throw new FileError(await Promise.all(located))
  }
}
