/**
 * What the server is started with: the options of `createGateway`, from a file, and the scenarios of both.
 */
import { dirname, extname, resolve } from 'node:path'
import { GatewayCore } from '../gateway/gateway.ts'
import { readDataFile } from '../lib/data-file.ts'
import { UsageError } from '../lib/usage-error.ts'
import type { AnyOperation } from '../operation.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import type { ScenarioPath } from '../scenarios/names.ts'
import { loadScenarioFile } from './scenario-file.ts'

type GivenScenario = NonNullable<GatewayOptionsInput['scenarios']>[number]

/** A fixture may be large. */
const limit = 64 * 1024 * 1024

/** Reads the options in a config file; the paths of scenarios in it are relative to it. */
export function readConfig(file: string): GatewayOptionsInput {
  const { value } = readDataFile(file, limit)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file}: write the options of createGateway, as a mapping`)
  const options: GatewayOptionsInput = value
  const { scenarios, openapi } = options
  if (typeof openapi === 'string') options.openapi = resolve(dirname(file), openapi)
  if (!Array.isArray(scenarios)) return options
  const here = (given: GivenScenario) =>
    isPath(given) ? (resolve(dirname(file), given) as ScenarioPath) : given
  return { ...options, scenarios: scenarios.map(here) }
}

/** Scenarios ready for `createGateway`, and which of them came from which file. */
export interface LoadedScenarios {
  readonly scenarios: GivenScenario[]
  readonly files: readonly ScenarioFile[]
}

export interface ScenarioFile {
  readonly file: string
  /** Its index among the scenarios. */
  readonly place: number
}

/** Loads the scenarios that are given by path; the names of bundled ones stay names. */
export function loadScenarios(
  given: readonly (GivenScenario | string)[],
  options: GatewayOptionsInput,
): LoadedScenarios {
  const files = given.flatMap((each, place) => (isPath(each) ? { file: each, place } : []))
  if (files.length === 0) return { scenarios: given as GivenScenario[], files }
  const { extensions, operations: own, openapi, dialect } = options
  const operations = knownOperations({ extensions, operations: own, openapi, dialect })
  // Names are checked by the gateway, and what comes from files has been.
  const scenarios = given.map((each) => (isPath(each) ? loadScenarioFile(each, operations) : each))
  return { scenarios: scenarios as GivenScenario[], files }
}

/** What a gateway with these options answers. Throws a `UsageError` for what is wrong with them. */
export function knownOperations(options: GatewayOptionsInput): readonly AnyOperation[] {
  try {
    return new GatewayCore(options).operations
  } catch (error) {
    throw new UsageError((error as Error).message.replace('createGateway: ', ''))
  }
}

/** A bundled scenario goes by its name: no slash, and no ending that files have. */
function isPath(given: unknown): given is string {
  if (typeof given !== 'string') return false
  return /[\\/]/.test(given) || ['.yaml', '.yml', '.json'].includes(extname(given).toLowerCase())
}
