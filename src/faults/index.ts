/** The fault catalogue. */
import * as z from 'zod'
import { meantBy } from '../lib/did-you-mean.ts'
import { lookUp } from '../lib/json.ts'
import { mustBe, shown } from '../lib/schema-messages.ts'
import { list } from '../resources/list.ts'
import { answerFaults } from './answer.ts'
import { callFaults } from './calls.ts'
import { streamFaults } from './events.ts'
import { type FaultDefinition, type Layer, layers } from './fault.ts'
import { replacingFaults } from './replacing.ts'
import { transportFaults } from './transport.ts'
import { usageFault } from './usage.ts'

const table = [
  ...replacingFaults,
  ...answerFaults,
  usageFault,
  ...callFaults,
  ...streamFaults,
  ...transportFaults,
] as const

/** All faults in the order in which they apply: by layer, then in catalogue order. */
export const faults: readonly FaultDefinition[] = table

type Declared = (typeof table)[number]

/** A fault with its parameters, including defaults. */
export type FaultSetting = { [F in Declared as F['name']]: { name: F['name'] } & Output<F> }[FaultName]

export type FaultName = Declared['name']

/** Name of a fault whose parameters all have defaults. */
export type BareFaultName = {
  [F in Declared as F['name']]: object extends Input<F> ? F['name'] : never
}[FaultName]

/** A fault: its name, or an object with parameters, such as `{ name: 'stream-cut', afterEvents: 5 }`. */
export type Fault =
  | BareFaultName
  | { [F in Declared as F['name']]: { name: F['name'] } & Input<F> }[FaultName]

// A strict object without fields has an output type that would forbid `name`.
type Output<F extends Declared> = keyof Params<F>['shape'] extends never ? unknown : z.output<Params<F>>
type Input<F extends Declared> = keyof Params<F>['shape'] extends never ? unknown : z.input<Params<F>>
type Params<F extends Declared> = ReturnType<F['params']>

const byName = new Map(faults.map((fault) => [fault.name, fault]))

export function faultOf(name: string): FaultDefinition {
  return byName.get(name) as FaultDefinition
}

export function compareFaults(left: FaultSetting, right: FaultSetting): number {
  const layerOrder = layerNames.indexOf(layerOf(left)) - layerNames.indexOf(layerOf(right))
  return layerOrder || faultNames.indexOf(left.name) - faultNames.indexOf(right.name)
}

const layerNames = Object.keys(layers) as Layer[]

/** Returns the layer in which a fault acts, which can depend on its parameters. */
export function layerOf(setting: FaultSetting): Layer {
  const fault = faultOf(setting.name)
  return ('layerOf' in fault && fault.layerOf?.(setting)) || fault.layer
}

export const faultNames: readonly string[] = faults.map(({ name }) => name)

// Cast to the types above, because a union of a mapped list loses each fault's type.
export const FaultSetting = z.lazy(() => {
  const bare = new Map<string, object>()
  const settings = faults.map(({ name, summary, params }) => {
    const schema = params()
    // Each schema parses only once here. Compiling it first, as zod does by default, would take longer.
    const { data } = schema.safeParse({}, { jitless: true })
    if (data) bare.set(name, data)
    return schema.safeExtend({ name: z.literal(name) }).describe(summary)
  })
  const union: z.ZodType = z.union(
    [
      z.enum([...bare.keys()]).transform((name) => ({ ...bare.get(name), name })),
      z.discriminatedUnion('name', settings as never, {
        error: ({ input }) => problemWith(Object(input).name),
      }),
    ],
    { error: ({ input }) => problemWith(input) },
  )
  return union as z.ZodType<FaultSetting, Fault>
})

/** A fault, or a list of faults that act together. */
export const FaultList = z.lazy(() =>
  z.union([FaultSetting, list(FaultSetting).min(1).max(100)], { error: ({ input }) => problemWith(input) }),
)

/** Names that users are likely to guess, and the faults that they mean. */
const guessed: Readonly<Record<string, FaultName>> = {
  delay: 'latency',
  disconnect: 'connection-reset',
  'network-error': 'connection-reset',
  error: 'status',
  'stream-error': 'stream-error-event',
}

/** Returns the problem with a value that is not a fault's name, or with the name of a fault that needs parameters. */
function problemWith(value: unknown): string | undefined {
  const [, status] = /^(?:status-)?([45]\d\d)$/.exec(typeof value === 'object' ? '' : String(value)) ?? []
  if (status) return `${shown(value)} is unknown; write { name: 'status', status: ${status} }`
  if (typeof value !== 'string')
    return mustBe("a fault, such as 'latency' or { name: 'latency', ms: 500 }").error({ input: value })
  const fault = byName.get(value)
  if (!fault) {
    const guess = lookUp(guessed, value)
    const hint = guess ? `; did you mean '${guess}'?` : meantBy(value, faultNames)
    return `${shown(value)} is unknown${hint || '; see docs/faults.md for all faults'}`
  }
  const required = requiredParameters(value)
  return `'${value}' requires ${required.join(' and ')}; write { name: '${value}', ${required[0]}: … }`
}

export function requiredParameters(name: string): string[] {
  const { shape } = faultOf(name).params()
  return Object.keys(shape).filter((each) => !shape[each]?.safeParse(undefined).success)
}
