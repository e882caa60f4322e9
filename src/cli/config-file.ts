/** Reads configuration files, which contain `createGateway` options. */
import { dirname, resolve } from 'node:path'
import { optionsOf } from '../gateway/extra.ts'
import { GatewayCore } from '../gateway/gateway.ts'
import { FileError, readDataFile } from '../lib/data-file.ts'
import { isObject } from '../lib/json.ts'
import { UsageError } from '../lib/usage-error.ts'
import type { Option, OptionGroup, Options } from '../sandbox/option.ts'
import type { GatewayOptionsInput, InitialScenario } from '../sandbox/options.ts'
import { isScenarioPath } from '../scenarios/names.ts'
import { gatewaySetup } from '../setup.ts'
import { withFlags } from './flags.ts'

/** Maximum size in bytes of files that can contain fixtures: 64 MB. */
export const fixtureLimit = 67_108_864

/** Reads options from a configuration file. Paths in the file are relative to it. */
export function readConfig(file: string): GatewayOptionsInput {
  const { value } = readDataFile(file, fixtureLimit)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file}: must be a mapping of createGateway options`)
  const options: GatewayOptionsInput = value
  const { scenarios } = options
  if (scenarios !== undefined && !Array.isArray(scenarios))
    throw new UsageError(`${file}: scenarios must be a list, as in [flaky]`)
  const inFolder = (path: string) => resolve(dirname(file), path)
  resolvePaths(value, optionsOf(gatewaySetup.extras), inFolder)
  const resolved = scenarios?.map((each) => (isPath(each) ? inFolder(each) : each))
  if (resolved) options.scenarios = resolved as InitialScenario[]
  return options
}

/** Resolves path options in place, because copying a large file's contents takes seconds. */
function resolvePaths(value: object, options: Options, resolved: (path: string) => string): void {
  for (const [name, declared] of Object.entries(options)) {
    const { isPath, main, options: inner = {} } = declared as Partial<Option & OptionGroup>
    const text: unknown = Reflect.get(value, name)
    if (main && typeof text === 'string') Reflect.set(value, name, { [main]: text })
    const given: unknown = Reflect.get(value, name)
    if (main && isObject(given)) resolvePaths(given, inner, resolved)
    else if (isPath && typeof given === 'string') Reflect.set(value, name, resolved(given))
  }
}

export function isPath(value: unknown): value is string {
  return typeof value === 'string' && isScenarioPath(value)
}

/**
 * Creates a gateway with all extras. Throws a `UsageError` for invalid options.
 *
 * @param config Undefined if all options come from flags. Scenarios from flags follow the file's scenarios.
 */
export function toGateway(
  options: GatewayOptionsInput,
  config?: { file: string; scenarios: number },
): GatewayCore {
  try {
    return new GatewayCore(options, gatewaySetup)
  } catch (error) {
    const { message, scenario } = error as Error & { scenario?: number }
    const plain = message.replace('createGateway: ', '')
    if (error instanceof FileError) throw new UsageError(plain)
    if (config === undefined) throw new UsageError(withFlags(plain, optionsOf(gatewaySetup.extras)))
    if (scenario === undefined) throw new UsageError(`${config.file}: ${plain}`)
    throw new UsageError(
      scenario < config.scenarios ? `${config.file}: scenarios[${scenario}]: ${message}` : message,
    )
  }
}
