/** Reads configuration files, which contain `createGateway` options. */
import { dirname, resolve } from 'node:path'
import { GatewayCore } from '../gateway/gateway.ts'
import { FileError, readDataFile } from '../lib/data-file.ts'
import { UsageError } from '../lib/usage-error.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import { isScenarioPath, type ScenarioPath } from '../scenarios/names.ts'
import { gatewaySetup } from '../setup.ts'

type ScenarioOption = NonNullable<GatewayOptionsInput['scenarios']>[number]

/** Maximum size in bytes of a file with fixtures: 64 MB. */
export const fixtureLimit = 67_108_864

/** Reads options from a configuration file. Paths in the file are relative to it. */
export function readConfig(file: string): GatewayOptionsInput {
  const { value } = readDataFile(file, fixtureLimit)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file}: must be a mapping of createGateway options`)
  const options: GatewayOptionsInput = value
  const { scenarios } = options
  for (const name of gatewaySetup.extras.flatMap(({ paths = [] }) => paths)) {
    const path: unknown = Reflect.get(options, name)
    if (typeof path === 'string') Object.assign(options, { [name]: resolve(dirname(file), path) })
  }
  if (scenarios === undefined) return options
  if (!Array.isArray(scenarios)) throw new UsageError(`${file}: scenarios must be a list, as in [flaky]`)
  const resolved = (scenario: ScenarioOption) =>
    isPath(scenario) ? (resolve(dirname(file), scenario) as ScenarioPath) : scenario
  return { ...options, scenarios: scenarios.map(resolved) }
}

export interface ScenarioFile {
  readonly file: string
  /** Index in the list of scenarios. */
  readonly index: number
}

/** Returns the scenarios given as file paths. */
export function scenarioFiles(scenarios: readonly ScenarioOption[]): ScenarioFile[] {
  return scenarios.flatMap((scenario, index) => (isPath(scenario) ? { file: scenario, index } : []))
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && isScenarioPath(value)
}

interface OptionsFile {
  readonly file: string
  /** Number of scenarios in the file. Scenarios from flags follow them. */
  readonly scenarios: number
}

/**
 * Creates a gateway with all extras. Throws a `UsageError` for invalid options.
 *
 * @param config Configuration file that contains the options, for messages. Undefined if all options come from flags.
 */
export function toGateway(options: GatewayOptionsInput, config?: OptionsFile): GatewayCore {
  try {
    return new GatewayCore(options, gatewaySetup)
  } catch (error) {
    const { message, scenario } = error as Error & { scenario?: number }
    const plain = message.replace('createGateway: ', '')
    if (error instanceof FileError) throw new UsageError(plain)
    if (config === undefined) throw new UsageError(plain.replace(/^options(\.\w+)+/, flagOf))
    const prefix = `${config.file}: `
    if (scenario === undefined)
      throw new UsageError(`${prefix}${plain.replace(/^(options\.\w+) is a startServer option.*/, useFlag)}`)
    throw new UsageError(
      scenario < config.scenarios ? `${prefix}scenarios[${scenario}]: ${message}` : message,
    )
  }
}

function useFlag(_: string, option: string): string {
  return `${option} belongs on the command line: ${flagOf(option)}`
}

/** Returns the flag that sets an option: `--upstream` for `options.replay.upstream`. */
export function flagOf(option: string): string {
  const name = option.slice(option.lastIndexOf('.') + 1)
  const single = ['allowedHosts', 'allowedOrigins', 'extensions', 'scenarios'].includes(name)
    ? name.slice(0, -1)
    : name
  return `--${single.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
