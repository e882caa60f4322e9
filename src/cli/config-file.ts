/**
 * Configuration files: the options of `createGateway`.
 */
import { dirname, resolve } from 'node:path'
import { GatewayCore } from '../gateway/gateway.ts'
import { FileError, readDataFile } from '../lib/data-file.ts'
import { UsageError } from '../lib/usage-error.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import { isScenarioPath, type ScenarioPath } from '../scenarios/names.ts'
import { gatewaySetup } from './scenario-file.ts'

type GivenScenario = NonNullable<GatewayOptionsInput['scenarios']>[number]

/** A fixture may be large. */
const limit = 64 * 1024 * 1024

/** Reads the options in a config file; the paths of scenarios in it are relative to it. */
export function readConfig(file: string): GatewayOptionsInput {
  const { value } = readDataFile(file, limit)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file}: write the options of createGateway, as a mapping`)
  const options: GatewayOptionsInput = value
  const { scenarios } = options
  for (const name of gatewaySetup.extras.flatMap(({ paths = [] }) => paths)) {
    const path: unknown = Reflect.get(options, name)
    if (typeof path === 'string') Object.assign(options, { [name]: resolve(dirname(file), path) })
  }
  if (scenarios === undefined) return options
  if (!Array.isArray(scenarios)) throw new UsageError(`${file}: scenarios must be a list, as in [flaky]`)
  const here = (given: GivenScenario) =>
    isPath(given) ? (resolve(dirname(file), given) as ScenarioPath) : given
  return { ...options, scenarios: scenarios.map(here) }
}

export interface ScenarioFile {
  readonly file: string
  /** Its index among the scenarios. */
  readonly place: number
}

/** The scenarios that are given by path. */
export function scenarioFiles(scenarios: readonly GivenScenario[]): ScenarioFile[] {
  return scenarios.flatMap((each, place) => (isPath(each) ? { file: each, place } : []))
}

function isPath(given: unknown): given is string {
  return typeof given === 'string' && isScenarioPath(given)
}

interface OptionsFile {
  readonly file: string
  /** Scenarios that it lists, before those of flags. */
  readonly scenarios: number
}

/**
 * Creates a gateway with all extras. Throws a `UsageError`.
 *
 * @param config The file that the options are from.
 */
export function toGateway(options: GatewayOptionsInput, config?: OptionsFile): GatewayCore {
  try {
    return new GatewayCore(options, gatewaySetup)
  } catch (error) {
    const { message, scenario } = error as Error & { scenario?: number }
    if (error instanceof FileError || config === undefined)
      throw new UsageError(message.replace('createGateway: ', ''))
    const place = `${config.file}: `
    if (scenario === undefined)
      throw new UsageError(message.replace(/^createGateway: |^(?=Bad fixture)/, place))
    throw new UsageError(scenario < config.scenarios ? `${place}scenarios[${scenario}]: ${message}` : message)
  }
}
