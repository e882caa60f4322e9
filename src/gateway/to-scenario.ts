/**
 * Scenarios as people give them, checked: by name, as data, or in process as the path of a file.
 */

import { extensions } from '../operations/extensions/index.ts'
import { everyOperation } from '../operations/index.ts'
import { bundledScenario } from '../scenarios/bundled.ts'
import { checkScenario, type KnownOperation } from '../scenarios/check-scenario.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { AnyExtra } from './extra.ts'

/** Reads a scenario file, and checks it. Throws one clear line with the place. Entries that run in Node bring it. */
export type ScenarioReader = (file: string, operations: readonly KnownOperation[]) => object

/** A scenario from the name of a bundled one, a scenario, a single rule, or what an extra reads as one. */
export function toScenario(
  input: unknown,
  operations: readonly KnownOperation[],
  extras: readonly AnyExtra[],
): Scenario {
  return typeof input === 'string' ? checkedBundled(input) : parseScenario(input, operations, extras)
}

/** Reads a scenario in a form that an extra knows; undefined for any other value. */
export function readWithExtras(
  given: unknown,
  operations: readonly KnownOperation[],
  extras: readonly AnyExtra[],
): Scenario | undefined {
  for (const { readScenario } of extras) {
    const input = readScenario?.(given, operations)
    if (input) return checkScenario(input, operations)
  }
  return undefined
}

/** Checks a scenario, a single rule, or what an extra reads as a scenario. Throws a `ScenarioError` with every problem. */
export function parseScenario(
  json: unknown,
  operations: readonly KnownOperation[],
  extras: readonly AnyExtra[],
): Scenario {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    const given = Array.isArray(json) ? 'a list' : String(json)
    throw new TypeError(`A scenario is { name, rules: […] } or a single rule, not ${given}`)
  }
  return (
    readWithExtras(json, operations, extras) ??
    checkScenario('rules' in json ? json : { name: 'rule', rules: [json] }, operations, wayTo)
  )
}

/** How an operation is had that a gateway does not answer. */
function wayTo(id: string): string | undefined {
  const [group] =
    Object.entries(extensions).find(([, operations]) => operations.some((each) => each.id === id)) ?? []
  return group && `it is in the extension '${group}': createGateway({ extensions: ['${group}'] })`
}

/** Checked once: a scenario that requests name again and again stays the same one, and its counters go on. */
function checkedBundled(name: string): Scenario {
  const known = bundled.get(name) ?? checkScenario(bundledScenario(name), everyOperation)
  bundled.set(name, known)
  return known
}

const bundled = new Map<string, Scenario>()
