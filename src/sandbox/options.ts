/** Options of `createGateway`, also accepted by configuration files and, in part, by `createSandbox`. */
import * as z from 'zod'
import { Fixtures, Size } from '../database/seed-data.ts'
import { isObject } from '../lib/json.ts'
import { count, PositiveDuration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import type { ScenarioName } from '../scenarios/bundled.ts'
import type { ScenarioPath } from '../scenarios/names.ts'
import type { Rule, Scenario } from '../scenarios/scenario.ts'
import { LatencyOption } from './latency.ts'
import { group, type OptionsInput, type OptionsOutput, option } from './option.ts'

/** The members of a custom operation that this layer needs. The full type is in `src/operations`. */
export interface CustomOperation {
  /** Id starting with a verb, such as `listReports`. */
  readonly id: string
  readonly method: string
  readonly path: string
}
export const CustomOperation = z.lazy(() =>
  z.custom<CustomOperation>(isObject, 'Must be an operation from defineOperation'),
)

export type InitialScenario = ScenarioName | ScenarioPath | Scenario | Rule
export const InitialScenario: z.ZodType<InitialScenario, InitialScenario> = z.lazy(() =>
  z.custom<InitialScenario>((value) => typeof value === 'string' || isObject(value)),
)

const baseUrl = mustBe('an http or https URL without a query, such as https://gateway.example/api/v1')

export const gatewayOptions = {
  seed: option('Seed for all generated data.', () => z.union([z.int(), z.string().min(1)]), {
    default: 1,
    flag: '--seed <seed>',
  }),
  recordCounts: option(
    'Number of records per collection. Fixtures come first, followed by generated records. Default: the fixtures only.',
    () => Size,
    { default: {} },
  ),
  fixtures: option('Custom records by collection, replacing the canonical ones.', () => Fixtures, {
    default: {},
  }),
  baseUrl: option(
    "The gateway's base URL. Default: `/api/v1` on any host, and `/v1` on api.openai.com, api.anthropic.com and openrouter.ai.",
    () => z.url({ ...baseUrl, protocol: /^https?$/ }).regex(/^[^?#]*$/, baseUrl),
  ),
  apiKeys: option('Valid API keys. Default: any key, until a request creates or deletes one.', () =>
    z.array(z.string().min(1)).min(1, 'Must not be empty: omit it to accept any key'),
  ),
  strict: option(
    'If true, requests with unknown fields get a 400. Fields and input items sent by published clients are accepted.',
    () => z.boolean(),
    { default: false },
  ),
  clock: option(
    'Source of timestamps: `fixed` starts at a fixed time and advances 1 ms per request; `system` uses the system clock.',
    () => z.enum(['fixed', 'system']),
    { default: 'fixed' },
  ),
  timeScale: option(
    'Multiplier for delays and elapsed time. 0 removes delays.',
    () => z.number().min(0).max(1e6),
    { default: 1, flag: '--time-scale <factor>' },
  ),
  onlySpecified: option(
    'If true, only what the Model Gateway API specifies is accepted: its six operations, under `/api/v1`, with a bearer key and models named vendor/model.',
    () => z.boolean(),
    { default: false, flag: '--only-specified' },
  ),
  operations: option(
    'Custom operations, from `defineOperation`. They can replace operations outside the Model Gateway API.',
    () => z.array(CustomOperation),
    { default: [] },
  ),
  scenarios: option(
    'Scenarios active from the start: names, file paths, scenario objects or rules.',
    () => z.array(InitialScenario),
    { default: [] },
  ),
  storedResponses: option(
    'If true, responses are stored unless `store` is false, so that `previous_response_id` can continue them. If false, `store: true` and `previous_response_id` get a 400.',
    () => z.boolean(),
    { default: false },
  ),
  stream: group('Options for event streams.', {
    events: option(
      'Events to stream: `all` events known to published clients, or only `documented` events.',
      () => z.enum(['all', 'documented']),
      { default: 'all' },
    ),
    keepAlive: option(
      "Pause after which a stream sends a comment line, even while a fault stalls it: milliseconds or `'15s'`. Default: never.",
      () => PositiveDuration,
    ),
  }),
  latency: option(
    "Simulated latency: time to the first event (milliseconds or `'2s'`), an object that adds the time per token, or a name such as `'typical'`.",
    () => LatencyOption,
  ),
  search: group('Options for the simulated web search.', {
    limitedEngine: option(
      'Search engine that limits `max_results` to 20, or null for none.',
      () => z.enum(['engine_a', 'engine_b', 'engine_c']).nullable(),
      { default: 'engine_c' },
    ),
  }),
  models: option(
    'Known models, as globs. Requests for other models log a warning or, with `strict`, get a 400. Default: any model.',
    () => z.array(z.string().min(1)),
  ),
  limits: group('Limits on request bodies, the journal and sandboxes.', {
    requestBodyBytes: option(
      'Maximum request body size in bytes. Larger bodies get a 413. Default: 10 MiB.',
      () => count(1),
      { default: 10 * 1024 * 1024 },
    ),
    journalEntries: option(
      'Maximum number of calls in the journal, across all sandboxes. The oldest calls are evicted first.',
      () => count(1),
      { default: 3000 },
    ),
    journalBytes: option(
      "Maximum total size of the journal's calls, in bytes. The oldest calls are evicted first. Default: 128 MiB.",
      () => count(1),
      { default: 128 * 1024 * 1024 },
    ),
    journalBodyBytes: option(
      'Maximum size of one body in the journal, in bytes. Longer bodies are truncated. Default: 1 MiB.',
      () => count(),
      { default: 1024 * 1024 },
    ),
    sandboxes: option('Maximum number of sandboxes.', () => count(1), { default: 100_000 }),
    sandboxIdle: option(
      "Time after which an idle sandbox is disposed: milliseconds or `'30m'`. Default: 1 hour.",
      () => PositiveDuration,
      { default: 60 * 60 * 1000 },
    ),
    defaultSandbox: option(
      'If false, requests that do not name a sandbox get a 410 instead of using the default sandbox.',
      () => z.boolean(),
      { default: true, flag: '--no-default-sandbox' },
    ),
  }),
}

export interface GatewayOptionsInput extends OptionsInput<typeof gatewayOptions> {}

export interface GatewayOptions extends OptionsOutput<typeof gatewayOptions> {}

export const SandboxDataOptions = z.lazy(() =>
  z.strictObject({ seed: gatewayOptions.seed.schema(), fixtures: gatewayOptions.fixtures.schema() }),
)
