/**
 * Compares the cost of a request in a large gateway with the cost in a small one.
 */

import { type DirectCall, DirectCalls } from './direct-calls.ts'
import { type Bench, compare, cpuPerCall, type Figure, microseconds, type Section } from './measure.ts'
import { inSeparateProcess } from './separate-process.ts'

export const growth: Section = {
  name: 'growth',
  title: 'Growth, CPU time of direct calls compared with a small gateway',
  run: (bench) => inSeparateProcess(new URL(import.meta.url), bench),
}

interface Case {
  name: string
  aim?: number
  small: Exercise
  large: Exercise
}

/** A prepared gateway and the call to repeat. */
interface Exercise {
  direct: DirectCalls
  call: DirectCall
  /** API keys to use in turn. Default: a key for the default sandbox. */
  keys?: readonly string[]
  /** Called before each round. */
  prepare?: () => void
}

const flat = 1.2
const getPreset = { method: 'GET', path: '/presets/email-copywriter' }
const getProviders = { method: 'GET', path: '/providers' }
const patchWorkspace = {
  method: 'PATCH',
  path: '/workspaces/11111111-1111-4111-8111-111111111111',
  body: { description: 'Moved' },
}
const postResponse = {
  method: 'POST',
  path: '/responses',
  body: { model: 'aurora/large', input: 'What follows from this?' },
}

const cases: ReadonlyArray<() => Case> = [
  () => ({
    name: 'Point read, 60 -> 10,000 rows',
    aim: flat,
    small: { direct: new DirectCalls({ recordCounts: { presets: 60 } }), call: getPreset },
    large: { direct: new DirectCalls({ recordCounts: { presets: 10_000 } }), call: getPreset },
  }),
  () => ({
    // `@msw/data` searches all records, so there is no target.
    name: 'Point write, 60 -> 10,000 rows',
    small: { direct: new DirectCalls({ recordCounts: { workspaces: 60 } }), call: patchWorkspace },
    large: { direct: new DirectCalls({ recordCounts: { workspaces: 10_000 } }), call: patchWorkspace },
  }),
  () => ({
    name: 'List of unchanged rows, 60 -> 10,000',
    small: { direct: new DirectCalls({ recordCounts: { providers: 60 } }), call: getProviders },
    large: { direct: new DirectCalls({ recordCounts: { providers: 10_000 } }), call: getProviders },
  }),
  () => ({
    name: 'Matching, 0 -> 1,000 rules for another operation',
    aim: flat,
    small: { direct: new DirectCalls(), call: postResponse },
    large: { direct: withRules('listProviders'), call: postResponse },
  }),
  () => ({
    // Every rule is evaluated: about 0.15 µs per rule.
    name: 'Matching, 0 -> 1,000 rules for the same operation',
    small: { direct: new DirectCalls(), call: postResponse },
    large: { direct: withRules('createResponse'), call: postResponse },
  }),
  () => ({
    name: 'Sandbox lookup, 1 -> 10,000',
    aim: flat,
    small: withSandboxes(1),
    large: withSandboxes(10_000),
  }),
  () => {
    const emptied = new DirectCalls({ limits: { journalEntries: 1000 } })
    return {
      name: 'Journal, empty -> full',
      aim: flat,
      // This journal has room for all calls in a round. The large gateway's journal is full before the measured
      // rounds begin.
      small: { direct: emptied, call: getProviders, prepare: () => emptied.gateway.journal.clear() },
      large: { direct: new DirectCalls({ limits: { journalEntries: 1000 } }), call: getProviders },
    }
  },
]

export async function measure(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const make of cases) {
    const { name, aim, small, large } = make()
    bench.progress(name)
    const result = await compare(bench.rounds, cost(small, bench), cost(large, bench))
    const detail = `${microseconds(result.ours.median)} vs. ${microseconds(result.baseline.median)}`
    figures.push({ name, value: result.ratio, unit: 'x', ...(aim !== undefined && { aim }), detail })
    globalThis.gc?.()
  }
  return figures
}

function cost({ direct, call, keys = ['bench'], prepare }: Exercise, bench: Bench) {
  let turn = 0
  return () => {
    prepare?.()
    return cpuPerCall(Math.round(700 * bench.scale), () => direct.call(call, keys[turn++ % keys.length]))
  }
}

/** Creates a gateway with 1,000 rules for an operation. Those for `createResponse` are for other models. */
function withRules(on: 'listProviders' | 'createResponse'): DirectCalls {
  const rules = Array.from({ length: 1000 }, (_, index) => ({
    on,
    ...(on === 'createResponse' && { when: { model: `borealis/model-${index}` } }),
    reply: { status: 503, body: {} },
  }))
  return new DirectCalls({ scenarios: [{ name: 'many', rules }] })
}

function withSandboxes(count: number): Exercise {
  const direct = new DirectCalls({ recordCounts: { providers: 60 } })
  const made = Array.from({ length: count }, () => direct.gateway.createSandbox())
  return { direct, call: getProviders, keys: made.slice(-1).map(({ apiKey }) => apiKey) }
}
