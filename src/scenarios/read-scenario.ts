/** Reads scenarios: values, files, names of bundled scenarios or faults and, with an extra, recordings. */
import { type DataFile, FileError } from '../lib/data-file.ts'
import { isObject } from '../lib/json.ts'
import { recordings } from './activation.ts'
import { bundledScenario, scenarioOfModel } from './bundled.ts'
import { type CheckOptions, checkScenario, checkShape } from './check-scenario.ts'
import { isScenarioPath } from './names.ts'
import type { ParsedScenario, Scenario } from './scenario.ts'
import { ScenarioError } from './scenario-error.ts'

export interface ReadOptions extends CheckOptions {
  /** Reads a data file. Default: paths are rejected, so that requests cannot read files. */
  readonly files?: ((path: string) => DataFile) | undefined
  readonly formats?: readonly ScenarioFormat[]
}

/** Converts a value or a file in another format. Returns undefined for any other value. */
type ScenarioFormat = (source: unknown, operations: CheckOptions['operations']) => Scenario | undefined

/** A single rule becomes a scenario. Throws a `ScenarioError` or, for a file, a `FileError` with all problems. */
export function readScenario(source: unknown, options: ReadOptions): ParsedScenario {
  const { files } = options
  if (typeof source !== 'string') return readValue(source, options)
  if (!files || !isScenarioPath(source)) return readNamed(source, bundledScenario)
  const converted = convert(source, options)
  if (converted) return converted
  const { value, locate } = files(source)
  try {
    return readValue(value, options)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    const problems = error.problems.map(({ path, message }) => ({ file: source, message, ...locate(path) }))
    throw new FileError(problems)
  }
}

function readValue(value: unknown, options: ReadOptions): ParsedScenario {
  const converted = convert(value, options)
  if (converted) return converted
  if (!isObject(value) || 'rules' in value) return checkScenario(value, options)
  try {
    return checkScenario({ name: 'rule', rules: [value] }, options)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    // The rule's own paths start below `rules.0`.
    throw new ScenarioError(error.problems.map(({ path, message }) => ({ path: path.slice(2), message })))
  }
}

function convert(source: unknown, { formats = [], ...options }: ReadOptions): ParsedScenario | undefined {
  for (const format of formats) {
    const input = format(source, options.operations)
    if (!input) continue
    const scenario = checkScenario(input, options)
    recordings.add(scenario)
    return scenario
  }
  return undefined
}

const named = new Map<string, ParsedScenario>()

/** Reads a named scenario once. The scenario may name operations that a gateway does not have. */
function readNamed(name: string, find: (name: string) => unknown): ParsedScenario {
  const scenario = named.get(name) ?? checkShape(find(name))
  named.set(name, scenario)
  return scenario
}

export function readModel(model: string): ParsedScenario {
  return readNamed(model, scenarioOfModel)
}
