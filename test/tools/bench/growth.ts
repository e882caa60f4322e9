/**
 * What a request costs in a large double against what it costs in a small one.
 */
import { aside } from './aside.ts'
import { Corridor, type CorridorCall } from './corridor.ts'
import { type Bench, compare, cpuPerCall, type Figure, microseconds, type Section } from './measure.ts'

export const growth: Section = {
  name: 'growth',
  title: 'Growth, processor time in the corridor against the same in a small double',
  run: (bench) => aside(new URL(import.meta.url), bench),
}

interface Case {
  name: string
  aim?: number
  small: Exercise
  large: Exercise
}

/** A double, made ready, and the call that is made again and again. */
interface Exercise {
  corridor: Corridor
  call: CorridorCall
  /** Whose keys are used in turn. Default: the default sandbox. */
  keys?: readonly string[]
  /** Done before each round. */
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
    small: { corridor: new Corridor({ recordCounts: { presets: 60 } }), call: getPreset },
    large: { corridor: new Corridor({ recordCounts: { presets: 10_000 } }), call: getPreset },
  }),
  () => ({
    // `@msw/data` looks for the record among all: no aim.
    name: 'Point write, 60 -> 10,000 rows',
    small: { corridor: new Corridor({ recordCounts: { workspaces: 60 } }), call: patchWorkspace },
    large: { corridor: new Corridor({ recordCounts: { workspaces: 10_000 } }), call: patchWorkspace },
  }),
  () => ({
    name: 'List of unchanged rows, 60 -> 10,000',
    small: { corridor: new Corridor({ recordCounts: { providers: 60 } }), call: getProviders },
    large: { corridor: new Corridor({ recordCounts: { providers: 10_000 } }), call: getProviders },
  }),
  () => ({
    name: 'Matching, 0 -> 1,000 rules for another operation',
    aim: flat,
    small: { corridor: new Corridor(), call: postResponse },
    large: { corridor: withRules('listProviders'), call: postResponse },
  }),
  () => ({
    // Each of these is asked, without an index of models: some 0.15 µs a rule.
    name: 'Matching, 0 -> 1,000 rules for the same operation',
    small: { corridor: new Corridor(), call: postResponse },
    large: { corridor: withRules('createResponse'), call: postResponse },
  }),
  () => ({
    name: 'Choice of a sandbox, 1 -> 10,000',
    aim: flat,
    small: withSandboxes(1),
    large: withSandboxes(10_000),
  }),
  () => {
    const emptied = new Corridor({ limits: { journalEntries: 1000 } })
    return {
      name: 'Journal, empty -> full',
      aim: flat,
      // With room for all calls of a round; the other one is full when the rounds that count begin.
      small: { corridor: emptied, call: getProviders, prepare: () => emptied.gateway.journal.clear() },
      large: { corridor: new Corridor({ limits: { journalEntries: 1000 } }), call: getProviders },
    }
  },
]

export async function measure(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const make of cases) {
    const { name, aim, small, large } = make()
    bench.progress(name)
    const result = await compare(bench.rounds, cost(small, bench), cost(large, bench))
    const detail = `${microseconds(result.ours.median)} against ${microseconds(result.floor.median)}`
    figures.push({ name, value: result.ratio, unit: 'x', ...(aim !== undefined && { aim }), detail })
    globalThis.gc?.()
  }
  return figures
}

function cost({ corridor, call, keys = ['bench'], prepare }: Exercise, bench: Bench) {
  let turn = 0
  return () => {
    prepare?.()
    return cpuPerCall(Math.round(700 * bench.scale), () => corridor.call(call, keys[turn++ % keys.length]))
  }
}

/** Rules that look at the request, and are all about another model. */
function withRules(on: 'listProviders' | 'createResponse'): Corridor {
  const rules = Array.from({ length: 1000 }, (_, index) => ({
    on,
    ...(on === 'createResponse' && { when: { model: `borealis/model-${index}` } }),
    reply: { status: 503, body: {} },
  }))
  return new Corridor({ scenarios: [{ name: 'many', rules }] })
}

function withSandboxes(count: number): Exercise {
  const corridor = new Corridor({ recordCounts: { providers: 60 } })
  const made = Array.from({ length: count }, () => corridor.gateway.createSandbox())
  return { corridor, call: getProviders, keys: made.slice(-1).map(({ apiKey }) => apiKey) }
}
