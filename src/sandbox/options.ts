/**
 * Validates gateway options, which `createGateway`, configuration files and (in part) `createSandbox` accept.
 * `options-input.ts` documents them.
 */
import * as z from 'zod'
import { Fixtures, Size } from '../database/seed-data.ts'
import { count, PositiveDuration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import type { RuleInput, ScenarioInput } from '../scenarios/scenario.ts'
import { type Latency, LatencyOption } from './latency.ts'
import { type CustomOperation, extensionNames, type GatewayOptionsInput } from './options-input.ts'
import { readOptions, type ValidatedOptions } from './read-options.ts'

const isObject = (value: unknown) => typeof value === 'object' && value !== null

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
  journalBytes: 128 * 1024 * 1024,
  journalBodyBytes: 1024 * 1024,
  sandboxes: 100_000,
  sandboxIdleMs: 60 * 60 * 1000,
})
const defaultSandboxes = () => ({ default: true })

const baseUrl = mustBe('a URL that ends in /api/v1, such as https://gateway.example/api/v1')

/** Schemas by option. A schema is built when its option is used, because building all of them takes 5 ms. */
const checks = {
  seed: () => z.union([z.int(), z.string().min(1)]),
  recordCounts: () => Size,
  fixtures: () => Fixtures,
  baseUrl: () => z.url(baseUrl).regex(/\/api\/v1\/?$/, baseUrl),
  apiKeys: () => z.array(z.string().min(1)).min(1, 'Must not be empty: omit it to accept any key'),
  strict: () => z.boolean(),
  clock: () => z.enum(['fixed', 'system']),
  timeScale: () => z.number().min(0).max(1e6),
  extensions: () => z.array(z.enum(extensionNames)),
  operations: () => z.array(z.custom<CustomOperation>(isObject, 'Must be an operation from defineOperation')),
  // Annotated because the declaration file would otherwise expand the inferred type.
  scenarios: (): z.ZodType<(string | ScenarioInput | RuleInput)[]> =>
    z.array(z.union([z.string(), z.custom<ScenarioInput | RuleInput>(isObject)])),
  promptCache: () => z.boolean(),
  storedResponses: () => z.boolean(),
  stream: () => z.strictObject({ events: z.enum(['all', 'documented']).default(defaultStream().events) }),
  latency: () => LatencyOption,
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
      sandboxIdleMs: PositiveDuration.default(limits.sandboxIdleMs),
    })
  },
  sandboxes: () =>
    z.strictObject({
      default: z.boolean().default(defaultSandboxes().default),
    }),
}

type SameShape<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : never) : never

// Does not compile unless every option has both an entry in `checks` and a field in `GatewayOptionsInput`.
true satisfies SameShape<keyof GatewayOptionsInput, keyof typeof checks>

/** Validated options, including defaults. */
export type GatewayOptions = ResolvedOptions

interface ResolvedOptions extends Omit<GatewayOptionsInput, Defaulted | Transformed>, Required<Defaults> {
  latency?: Latency
  stream: Complete<'stream'>
  search: Complete<'search'>
  limits: Record<keyof Complete<'limits'>, number>
  sandboxes: Required<SandboxOptions>
}

type Complete<Name extends keyof GatewayOptionsInput> = Required<NonNullable<GatewayOptionsInput[Name]>>
type SandboxOptions = NonNullable<GatewayOptionsInput['sandboxes']>
type Defaults = Omit<Pick<GatewayOptionsInput, Defaulted>, Transformed>
type Defaulted = keyof ReturnType<typeof defaultOptions>
/** Options whose validated type differs from the input type. */
type Transformed = 'latency' | 'stream' | 'search' | 'limits' | 'sandboxes'

export const optionNames = Object.keys(checks)

/**
 * Validates options and fills in the defaults. Throws a one-line error.
 *
 * @param extras Extras, each with the schemas of its options.
 */
export function readGatewayOptions(
  input: object,
  extras: readonly { readonly options?: object }[],
): GatewayOptions {
  const all: typeof checks = Object.assign({}, checks, ...extras.map(({ options }) => options))
  const checked: ValidatedOptions<typeof checks> = readOptions(all, input, 'createGateway')
  return { ...defaultOptions(), ...checked } as GatewayOptions
}

/** Options that a sandbox can override. */
export const SandboxDataOptions = z.lazy(() =>
  z.strictObject({ seed: checks.seed(), fixtures: checks.fixtures() }),
)
