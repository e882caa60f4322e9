/** The bundled scenarios, one JSON file each. */
import badCitations from '../../scenarios/bad-citations.json' with { type: 'json' }
import brownout from '../../scenarios/brownout.json' with { type: 'json' }
import bufferingProxy from '../../scenarios/buffering-proxy.json' with { type: 'json' }
import chaos from '../../scenarios/chaos.json' with { type: 'json' }
import contractBreak from '../../scenarios/contract-break.json' with { type: 'json' }
import flaky from '../../scenarios/flaky.json' with { type: 'json' }
import malformedEvents from '../../scenarios/malformed-events.json' with { type: 'json' }
import outOfCredits from '../../scenarios/out-of-credits.json' with { type: 'json' }
import overloaded from '../../scenarios/overloaded.json' with { type: 'json' }
import parserTorture from '../../scenarios/parser-torture.json' with { type: 'json' }
import providerOutage from '../../scenarios/provider-outage.json' with { type: 'json' }
import proxyErrorPage from '../../scenarios/proxy-error-page.json' with { type: 'json' }
import rateLimited from '../../scenarios/rate-limited.json' with { type: 'json' }
import slowFirstEvent from '../../scenarios/slow-first-event.json' with { type: 'json' }
import slowStream from '../../scenarios/slow-stream.json' with { type: 'json' }
import splitStream from '../../scenarios/split-stream.json' with { type: 'json' }
import streamCut from '../../scenarios/stream-cut.json' with { type: 'json' }
import streamError from '../../scenarios/stream-error.json' with { type: 'json' }
import streamReset from '../../scenarios/stream-reset.json' with { type: 'json' }
import streamStall from '../../scenarios/stream-stall.json' with { type: 'json' }
import unauthorized from '../../scenarios/unauthorized.json' with { type: 'json' }
import unreachable from '../../scenarios/unreachable.json' with { type: 'json' }
import webSearchEmpty from '../../scenarios/web-search-empty.json' with { type: 'json' }
import { needsStream } from '../faults/fault.ts'
import { faultNames, faultOf } from '../faults/index.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { isScenarioPath, textOperations } from './names.ts'
import { ScenarioError } from './scenario-error.ts'

const files = {
  'provider-outage': providerOutage,
  flaky,
  'rate-limited': rateLimited,
  overloaded,
  'out-of-credits': outOfCredits,
  unauthorized,
  unreachable,
  'proxy-error-page': proxyErrorPage,
  'slow-first-event': slowFirstEvent,
  'slow-stream': slowStream,
  'stream-cut': streamCut,
  'stream-stall': streamStall,
  'stream-reset': streamReset,
  'stream-error': streamError,
  'malformed-events': malformedEvents,
  'split-stream': splitStream,
  'buffering-proxy': bufferingProxy,
  'parser-torture': parserTorture,
  brownout,
  'contract-break': contractBreak,
  'bad-citations': badCitations,
  'web-search-empty': webSearchEmpty,
  chaos,
}

export type BundledScenarioName = keyof typeof files

/** Bundled scenarios by name, in README order. */
export const bundledScenarios: ReadonlyMap<string, { name: string; description: string; rules: unknown[] }> =
  new Map(Object.entries(files))

/** Returns the unchecked content of a bundled scenario. Throws a `ScenarioError` for an unknown name. */
export function bundledScenario(name: string): unknown {
  const scenario = bundledScenarios.get(name)
  if (scenario) return scenario
  let message = `Unknown scenario '${name}'${didYouMean(name, [...bundledScenarios.keys()])}`
  if (faultNames.includes(name)) {
    const on = needsStream(faultOf(name)) ? textOperations : '*'
    message = `'${name}' is a fault, not a scenario: use({ on: '${on}', fault: '${name}' })`
  } else if (isScenarioPath(name))
    message = `'${name}' is a path, but a name is expected here: send the file's content instead`
  else if (name.includes('/'))
    message = `'${name}' is not a scenario file: its name must end in .yaml, .yml or .json`
  throw new ScenarioError([{ path: [], message }])
}
