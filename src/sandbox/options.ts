/**
 * What can be set on a gateway (`options-input.ts` says what each option does), checked once: by `createGateway`, by the config file of the command line,
 * and, for their part, by `createSandbox`.
 */
import * as z from 'zod'
import { Fixtures, Size } from '../database/seed-data.ts'
import { amount, count } from '../lib/numbers.ts'
import type { RuleInput, ScenarioInput } from '../scenarios/scenario.ts'
import { Latency, type LatencyProfile } from './latency.ts'
import { type CustomOperation, extensionNames, type GatewayOptionsInput } from './options-input.ts'
import { type Given, readOptions } from './read-options.ts'
import { nodeNameForm } from './sandbox-id.ts'

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** What is in place of an option that is left out. */
export const defaultOptions = () => ({
  seed: 1,
  recordCounts: {},
  fixtures: {},
  strict: false,
  clock: 'fixed',
  timeScale: 1,
  extensions: [],
  operations: [],
  scenarios: [],
  promptCache: false,
  storedResponses: false,
  stream: defaultStream(),
  search: defaultSearch(),
  limits: defaultLimits(),
  sandboxes: defaultSandboxes(),
})

const defaultStream = () => ({ events: 'all' as const })
const defaultSearch = () => ({ limitedEngine: 'engine_c' as const })
const defaultLimits = () => ({
  requestBodyBytes: 10 * 1024 * 1024,
  journalEntries: 3000,
  journalBytes: 32 * 1024 * 1024,
  journalBodyBytes: 64 * 1024,
  sandboxes: 100_000,
  sandboxIdleMs: 60 * 60 * 1000,
})
const defaultSandboxes = () => ({ default: true })

/** What each option must be. A gateway makes the checks of those that it is given: all of them take 5 ms. */
const checks = {
  seed: () => z.union([z.int(), z.string().min(1)]),
  recordCounts: () => Size,
  fixtures: () => Fixtures,
  baseUrl: () => z.url().regex(/\/api\/v1\/?$/, 'Must end in /api/v1, as https://gateway.example/api/v1'),
  apiKeys: () => z.array(z.string().min(1)),
  strict: () => z.boolean(),
  clock: () => z.enum(['fixed', 'system']),
  timeScale: () => z.number().min(0).max(1e6),
  extensions: () => z.array(z.enum(extensionNames)),
  operations: () =>
    z.array(z.custom<CustomOperation>(isObject, 'Must be an operation, from defineOperation')),
  // Annotated: published declarations would spell the inferred type out.
  scenarios: (): z.ZodType<(string | ScenarioInput | RuleInput)[]> =>
    z.array(z.union([z.string(), z.custom<ScenarioInput | RuleInput>(isObject)])),
  promptCache: () => z.boolean(),
  storedResponses: () => z.boolean(),
  stream: () => z.strictObject({ events: z.enum(['all', 'documented']).default(defaultStream().events) }),
  latency: () => Latency,
  search: () => {
    const engine = z.enum(['engine_a', 'engine_b', 'engine_c']).nullable()
    return z.strictObject({ limitedEngine: engine.default(defaultSearch().limitedEngine) })
  },
  models: () => z.array(z.string().min(1)),
  limits: () => {
    const limits = defaultLimits()
    return z.strictObject({
      requestBodyBytes: count(1).default(limits.requestBodyBytes),
      journalEntries: count(1).default(limits.journalEntries),
      journalBytes: count(1).default(limits.journalBytes),
      journalBodyBytes: count().default(limits.journalBodyBytes),
      sandboxes: count(1).default(limits.sandboxes),
      sandboxIdleMs: amount().positive().default(limits.sandboxIdleMs),
    })
  },
  sandboxes: () =>
    z.strictObject({
      node: z.string().regex(nodeNameForm, 'A node is named by letters and a number, as in n3').optional(),
      default: z.boolean().default(defaultSandboxes().default),
    }),
}

type SameShape<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : never) : never

// An option stands here, where it is checked, and in the interface, which describes it.
true satisfies SameShape<keyof GatewayOptionsInput, keyof typeof checks>

/** Options with every default in place. */
export interface GatewayOptions extends Omit<GatewayOptionsInput, Defaulted | Read>, Required<Defaults> {
  latency?: LatencyProfile
  stream: Whole<'stream'>
  search: Whole<'search'>
  limits: Whole<'limits'>
  sandboxes: SandboxOptions & Required<Omit<SandboxOptions, 'node'>>
}

type Whole<Name extends keyof GatewayOptionsInput> = Required<NonNullable<GatewayOptionsInput[Name]>>
type SandboxOptions = NonNullable<GatewayOptionsInput['sandboxes']>
type Defaults = Omit<Pick<GatewayOptionsInput, Defaulted>, Read>
type Defaulted = keyof ReturnType<typeof defaultOptions>
/** Options that have another type when they are checked. */
type Read = 'latency' | 'stream' | 'search' | 'limits' | 'sandboxes'

export const optionNames = Object.keys(checks)

/**
 * The given options, checked, and the defaults of all others. Throws one clear line.
 *
 * @param extras Checks of further options.
 */
export function readGatewayOptions(
  given: object,
  extras: readonly { readonly options?: object }[],
): GatewayOptions {
  const all: typeof checks = Object.assign({}, checks, ...extras.map(({ options }) => options))
  const checked: Given<typeof checks> = readOptions(all, given, 'createGateway')
  return { ...defaultOptions(), ...checked } as GatewayOptions
}

/** What of the options a sandbox may have of its own. */
export const OwnOptions = z.lazy(() => z.strictObject({ seed: checks.seed(), fixtures: checks.fixtures() }))
