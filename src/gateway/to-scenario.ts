/** Converts the values that `use()` accepts, except file paths, to validated scenarios. */
import { shown } from '../lib/schema-messages.ts'
import { extensions } from '../operations/extensions/index.ts'
import { everyOperation } from '../operations/index.ts'
import { bundledScenario } from '../scenarios/bundled.ts'
import { checkScenario, type KnownOperation } from '../scenarios/check-scenario.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { AnyExtra } from './extra.ts'

/** Reads and validates a scenario file. Throws a one-line error with the location. Works only in Node. */
export type ScenarioReader = (file: string, operations: readonly KnownOperation[]) => object

/** Converts a bundled scenario's name, a scenario, a rule, or a value in an extra's format to a scenario. */
export function toScenario(
  input: unknown,
  operations: readonly KnownOperation[],
  extras: readonly AnyExtra[],
): Scenario {
  return typeof input === 'string' ? bundledByName(input) : parseScenario(input, operations, extras)
}

/** Reads a scenario in an extra's format. Returns undefined for any other value. */
export function readWithExtras(
  value: unknown,
  operations: readonly KnownOperation[],
  extras: readonly AnyExtra[],
): Scenario | undefined {
  for (const { readScenario } of extras) {
    const input = readScenario?.(value, operations)
    if (input) return checkScenario(input, operations)
  }
  return undefined
}

/**
 * Validates a scenario, a rule, or a value in an extra's format, and returns it as a scenario. Throws a
 * `ScenarioError` that lists every problem, or a `TypeError` if the value is not an object.
 */
export function parseScenario(
  json: unknown,
  operations: readonly KnownOperation[],
  extras: readonly AnyExtra[],
): Scenario {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    const hint = Array.isArray(json)
      ? ': wrap the rules in { name, rules: […] }, or pass them one at a time'
      : typeof json === 'string'
        ? ': parse the text first, as in parseScenario(JSON.parse(text))'
        : ''
    throw new TypeError(`a scenario must be { name, rules: […] } or a single rule, got ${shown(json)}${hint}`)
  }
  return (
    readWithExtras(json, operations, extras) ??
    checkScenario('rules' in json ? json : { name: 'rule', rules: [json] }, operations, extensionHint)
  )
}

/** Explains how to enable an extension's operation. Returns undefined for any other id. */
export function extensionHint(id: string): string | undefined {
  const [group] =
    Object.entries(extensions).find(([, operations]) => operations.some((each) => each.id === id)) ?? []
  return (
    group &&
    `it belongs to the '${group}' extension: enable it with createGateway({ extensions: ['${group}'] })`
  )
}

/** Returns the same object each time, so that counters continue across requests that name the scenario. */
function bundledByName(name: string): Scenario {
  const scenario = bundled.get(name) ?? checkScenario(bundledScenario(name), everyOperation)
  bundled.set(name, scenario)
  return scenario
}

const bundled = new Map<string, Scenario>()
