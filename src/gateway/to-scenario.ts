/**
 * Scenarios as people give them, checked: by name, as data, or in process as the path of a file.
 */

import { toRecordedScenario } from '../extras/recordings/index.ts'
import { extensions } from '../operations/extensions/index.ts'
import { everyOperation } from '../operations/index.ts'
import { bundledScenario } from '../scenarios/bundled.ts'
import { checkScenario, type KnownOperation } from '../scenarios/check-scenario.ts'
import type { Scenario, ScenarioInput } from '../scenarios/scenario.ts'

/** Reads a scenario file, and checks it. Throws one clear line with the place. Entries that run in Node bring it. */
export type ScenarioReader = (file: string, operations: readonly KnownOperation[]) => object

/** A scenario from the name of a bundled one, a scenario, a single rule, or a recording. */
export function toScenario(input: unknown, operations: readonly KnownOperation[]): Scenario {
  return typeof input === 'string' ? checkedBundled(input) : check(input, operations)
}

/**
 * Checks a scenario, or a single rule, that no compiler has checked: an imported JSON file for example, whose names
 * TypeScript takes for any `string`. Throws a `ScenarioError` that lists every problem.
 *
 * @example
 * import busy from './busy.json' with { type: 'json' }
 * gateway.use(parseScenario(busy))
 */
export function parseScenario(json: unknown): ScenarioInput {
  return check(json, everyOperation) as ScenarioInput
}

function check(json: unknown, operations: readonly KnownOperation[]): Scenario {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    const given = Array.isArray(json) ? 'a list' : String(json)
    throw new TypeError(`A scenario is { name, rules: […] } or a single rule, not ${given}`)
  }
  const recorded = toRecordedScenario(json, operations)
  if (recorded) return checkScenario(recorded, operations)
  return checkScenario('rules' in json ? json : { name: 'rule', rules: [json] }, operations, wayTo)
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
