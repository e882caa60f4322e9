/** The bundled scenarios, one JSON file each, and a scenario for each fault. */
import badCitations from '../../scenarios/bad-citations.json' with { type: 'json' }
import brownout from '../../scenarios/brownout.json' with { type: 'json' }
import bufferingProxy from '../../scenarios/buffering-proxy.json' with { type: 'json' }
import chaos from '../../scenarios/chaos.json' with { type: 'json' }
import contractBreak from '../../scenarios/contract-break.json' with { type: 'json' }
import flaky from '../../scenarios/flaky.json' with { type: 'json' }
import overloaded from '../../scenarios/overloaded.json' with { type: 'json' }
import parserTorture from '../../scenarios/parser-torture.json' with { type: 'json' }
import providerOutage from '../../scenarios/provider-outage.json' with { type: 'json' }
import rateLimited from '../../scenarios/rate-limited.json' with { type: 'json' }
import webSearchEmpty from '../../scenarios/web-search-empty.json' with { type: 'json' }
import { needsGeneratedAnswer } from '../faults/fault.ts'
import {
  type BareFaultName,
  type Fault,
  FaultSetting,
  faultNames,
  faultOf,
  requiredParameters,
} from '../faults/index.ts'
import { didYouMean, meantBy } from '../lib/did-you-mean.ts'
import { isScenarioPath, textOperations } from './names.ts'
import type { Scenario } from './scenario.ts'
import { ScenarioError } from './scenario-error.ts'

const files = {
  'provider-outage': providerOutage,
  flaky,
  'rate-limited': rateLimited,
  overloaded,
  'buffering-proxy': bufferingProxy,
  'parser-torture': parserTorture,
  brownout,
  'contract-break': contractBreak,
  'bad-citations': badCitations,
  'web-search-empty': webSearchEmpty,
  chaos,
}

export type BundledScenarioName = keyof typeof files

/** Name of a bundled scenario, a fault whose parameters all have defaults, or an error reply such as `status-503`. */
export type ScenarioName = BundledScenarioName | BareFaultName | `status-${number}`

/** Bundled scenarios by name, in README order. */
export const bundledScenarios: ReadonlyMap<string, { name: string; description: string; rules: unknown[] }> =
  new Map(Object.entries(files))

/** Returns a scenario's content, unchecked. Throws a `ScenarioError` for an unknown name. */
export function bundledScenario(name: string): unknown {
  const scenario = bundledScenarios.get(name) ?? faultScenario(name)
  if (scenario) return scenario
  const names = [...bundledScenarios.keys()]
  const hint = meantBy(name, [...names, ...faultNames]) || didYouMean(name, names)
  let message = `Unknown scenario '${name}'${hint}`
  if (/^\d{3}$/.test(name)) message = `Unknown scenario '${name}'; write 'status-${name}', or fail(${name})`
  else if (isScenarioPath(name))
    message = `'${name}' is a path, but a name is expected here: send the file's content instead`
  else if (name.includes('/'))
    message = `'${name}' is not a scenario file: its name must end in .yaml, .yml or .json`
  throw new ScenarioError([{ path: [], message }])
}

function faultScenario(name: string): Scenario | undefined {
  const [, status] = /^status-(\d{3})$/.exec(name) ?? []
  if (status === undefined && !faultNames.includes(name)) return undefined
  const on = status === undefined && needsGeneratedAnswer(faultOf(name)) ? textOperations : '*'
  const { data: fault, error } = FaultSetting.safeParse(
    status ? { name: 'status', status: Number(status) } : name,
  )
  if (fault) return { name, rules: [{ on, fault: fault as Fault }] }
  const [required] = status ? [] : requiredParameters(name)
  const message = required
    ? `the fault '${name}' requires ${required}: use({ on: '${on}', fault: { name: '${name}', ${required}: … } })`
    : `'${name}': ${error.issues[0]?.message}`
  throw new ScenarioError([{ path: [], message }])
}

/** Prefix of model names that select a fault, such as `fault/stream-cut` and `fault/429`. */
const faultModel = 'fault/'

export function isFaultModel(model: string | undefined): model is string {
  return model?.startsWith(faultModel) === true
}

export function scenarioOfModel(model: string): unknown {
  const name = model.slice(faultModel.length).replace(/^(?=\d+$)/, 'status-')
  const scenario = faultScenario(name)
  if (scenario) return scenario
  const hint = meantBy(name, faultNames) || '; write a fault or a status, as in fault/stream-cut or fault/429'
  throw new ScenarioError([{ path: [], message: `'${model}' does not name a fault${hint}` }])
}
