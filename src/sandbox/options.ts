/**
 * What can be set on a gateway, checked once: by `createGateway`, by the config file of the command line,
 * and, for their part, by `createSandbox`.
 */
import * as z from 'zod'
import { Fixtures, Size } from '../database/seed-options.ts'
import type { RuleInput, ScenarioInput } from '../rules/scenario.ts'
import { LatencyProfileOption } from './latency-profile.ts'
import { nodeNameForm } from './sandbox-id.ts'

/** Groups of operations that the specification names and does not describe. */
export const extensionNames = ['chat', 'messages', 'models', 'embeddings', 'account'] as const
export type ExtensionName = (typeof extensionNames)[number]

/** An operation of a person's own; what it is exactly is known above. */
export interface OwnOperation {
  readonly id: string
  readonly method: string
  readonly path: string
}

const milliseconds = z.number().min(0)
const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** A parsed tape, as `parseTape` gives it. */
export interface GivenTape {
  readonly head: object
  readonly chunks: readonly unknown[]
}

export const GatewayOptions = z.strictObject({
  seed: z
    .union([z.int(), z.string().min(1)])
    .default(1)
    .describe('Fixes everything random.'),
  size: Size.default({}),
  fixtures: Fixtures.default({}),
  baseUrl: z.url().optional().describe('Where the gateway lives, ending in /api/v1. Default: any origin.'),
  apiKeys: z.array(z.string().min(1)).optional().describe('The valid keys. Default: any key.'),
  strict: z.boolean().default(false).describe('Unknown request fields are refused with 400.'),
  clock: z.enum(['fixed', 'system']).default('fixed'),
  timeScale: z
    .number()
    .min(0)
    .default(1)
    .describe('Factor on waits and elapsed time; 0 makes waits instant.'),
  extensions: z
    .array(z.enum(extensionNames))
    .default([])
    .describe('Operations outside the specification, by group. Default: none.'),
  dialect: z
    .union([z.string(), z.custom<object>(isObject)])
    .optional()
    .describe(
      'The names and extra fields of one vendor, by name or as data. Default: those of the specification.',
    ),
  operations: z
    .array(z.custom<OwnOperation>(isObject, 'Must be an operation, from defineOperation'))
    .default([])
    .describe('Operations of your own, from `defineOperation`.'),
  openapi: z
    .union([z.string().min(1), z.custom<object>(isObject, 'Must be a file, or a parsed OpenAPI document')])
    .optional()
    .describe(
      'An OpenAPI 3 document, parsed, or in Node the path of one: what it describes and nothing else answers is answered from it.',
    ),
  scenarios: z
    .array(z.union([z.string(), z.custom<ScenarioInput | RuleInput>(isObject)]))
    .default([])
    .describe('In force from the start.'),
  recordings: z
    .union([z.string().min(1), z.array(z.custom<GivenTape>(isObject))])
    .optional()
    .describe('A folder of tapes, or parsed tapes: they answer where no rule does, before the operations.'),
  onMiss: z
    .enum(['fail', 'double', 'forward'])
    .default('fail')
    .describe('A call that no tape answers: 404 with the nearest tape, the double, or the real gateway.'),
  speed: z.number().min(0).default(1).describe('Of tapes: 2 is twice as fast, 0 waits for nothing.'),
  volatileFields: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'Paths of a body that do not count when a tape is looked for. Default: a list of the usual ones.',
    ),
  upstream: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('The base address of the real gateway, for onMiss: forward.'),
  allowCi: z.boolean().default(false).describe('Forward also where CI is set.'),
  promptCache: z
    .boolean()
    .default(false)
    .describe('Input that an earlier prompt of the sandbox began with counts as cached tokens.'),
  storedResponses: z
    .boolean()
    .default(false)
    .describe(
      'Responses are stored unless `store` is false, and `previous_response_id` goes on from one. Otherwise both are refused.',
    ),
  streamEvents: z.enum(['all', 'documented']).default('all'),
  firstEventMs: milliseconds.default(0).describe('Wait before the first event of a stream.'),
  tokensPerSecond: z.number().positive().optional().describe('Pace of a stream. Default: no pacing.'),
  jitter: z.number().min(0).max(1).default(0).describe('Share by which each pause varies, from the seed.'),
  keepAliveMs: z
    .number()
    .positive()
    .optional()
    .describe('A comment line after so long a silence in a stream. Default: none.'),
  latencyProfile: LatencyProfileOption.optional().describe(
    'Times and lengths by model, in place of firstEventMs and tokensPerSecond: fast, typical, reasoning, a JSON file as `profile` prints it, or the profile itself. Default: none.',
  ),
  limitedEngine: z
    .enum(['engine_a', 'engine_b', 'engine_c'])
    .optional()
    .describe('The engine whose max_results ends at 20.'),
  models: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'Globs of the models there are: another one is warned of, or refused with `strict`. Default: any.',
    ),
  modelsWithoutNativeSearch: z.array(z.string().min(1)).default([]).describe('Globs of model names.'),
  xSearchVendor: z.string().min(1).default('x-ai').describe('The vendor whose models search posts.'),
  maxBodyBytes: z
    .int()
    .positive()
    .default(10 * 1024 * 1024)
    .describe('Larger request bodies are a 413.'),
  maxHeldBytes: z
    .int()
    .positive()
    .default(512 * 1024 * 1024)
    .describe(
      'Estimated bytes that journals, rows, rules, remembered requests and the snapshots of remote callers of all sandboxes may take; the oldest calls go, then more is a 503.',
    ),
  journal: z
    .strictObject({
      entries: z.int().positive().default(1000).describe('How many calls are kept; the oldest go.'),
      bytes: z
        .int()
        .positive()
        .default(32 * 1024 * 1024)
        .describe('Estimated bytes of memory that all calls together may take; the oldest go.'),
      bodyBytes: z
        .int()
        .min(0)
        .default(64 * 1024)
        .describe('Bytes of one body; the rest of it is cut, and marked.'),
    })
    .prefault({}),
  sandboxes: z
    .strictObject({
      limit: z.int().positive().default(100_000).describe('How many may live at once.'),
      idleMs: z
        .number()
        .positive()
        .default(60 * 60 * 1000)
        .describe('Idle for so long, a sandbox goes.'),
      node: z
        .string()
        .regex(nodeNameForm, 'A node is named by letters and a number, as in n3')
        .optional()
        .describe('The name of this server among several: ids of sandboxes begin with it. Default: none.'),
      default: z
        .boolean()
        .default(true)
        .describe('Whether requests that name no sandbox see the default one; otherwise they are refused.'),
    })
    .prefault({}),
})

/** Options as a person gives them: everything optional. */
export type GatewayOptionsInput = z.input<typeof GatewayOptions>
/** Options with every default in place. */
export type GatewayOptions = z.output<typeof GatewayOptions>
