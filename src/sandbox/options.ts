/**
 * What can be set on a gateway (`options-input.ts` says what each option does), checked once: by `createGateway`, by the config file of the command line,
 * and, for their part, by `createSandbox`.
 */
import * as z from 'zod'
import { Fixtures, Size } from '../database/seed-options.ts'
import type { RuleInput, ScenarioInput } from '../rules/scenario-input.ts'
import { LatencyProfileOption } from './latency-profile.ts'
import type { GatewayOptionsInput } from './options-input.ts'
import { nodeNameForm } from './sandbox-id.ts'

/** Groups of operations that the specification names and does not describe. */
export const extensionNames = ['chat', 'messages', 'models', 'embeddings', 'account'] as const
export type ExtensionName = (typeof extensionNames)[number]

/** An operation of a person's own; what it is exactly is known above. */
export interface OwnOperation {
  /** Verb first: `listReports`. */
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
  seed: z.union([z.int(), z.string().min(1)]).default(1),
  size: Size.default({}),
  fixtures: Fixtures.default({}),
  baseUrl: z
    .url()
    .regex(/\/api\/v1\/?$/, 'Must end in /api/v1, as https://gateway.example/api/v1')
    .optional(),
  apiKeys: z.array(z.string().min(1)).optional(),
  strict: z.boolean().default(false),
  clock: z.enum(['fixed', 'system']).default('fixed'),
  timeScale: z.number().min(0).default(1),
  extensions: z.array(z.enum(extensionNames)).default([]),
  dialect: z.union([z.string(), z.custom<object>(isObject)]).optional(),
  operations: z
    .array(z.custom<OwnOperation>(isObject, 'Must be an operation, from defineOperation'))
    .default([]),
  openapi: z
    .union([z.string().min(1), z.custom<object>(isObject, 'Must be a file, or a parsed OpenAPI document')])
    .optional(),
  scenarios: z.array(z.union([z.string(), z.custom<ScenarioInput | RuleInput>(isObject)])).default([]),
  recordings: z.union([z.string().min(1), z.array(z.custom<GivenTape>(isObject))]).optional(),
  onMiss: z.enum(['fail', 'double', 'forward']).default('fail'),
  speed: z.number().min(0).default(1),
  volatileFields: z.array(z.string().min(1)).optional(),
  upstream: z.url({ protocol: /^https?$/ }).optional(),
  allowCi: z.boolean().default(false),
  promptCache: z.boolean().default(false),
  storedResponses: z.boolean().default(false),
  streamEvents: z.enum(['all', 'documented']).default('all'),
  firstEventMs: milliseconds.default(0),
  tokensPerSecond: z.number().positive().optional(),
  jitter: z.number().min(0).max(1).default(0),
  keepAliveMs: z.number().positive().optional(),
  latencyProfile: LatencyProfileOption.optional(),
  limitedEngine: z.enum(['engine_a', 'engine_b', 'engine_c']).optional(),
  models: z.array(z.string().min(1)).optional(),
  modelsWithoutNativeSearch: z.array(z.string().min(1)).default([]),
  xSearchVendor: z.string().min(1).default('x-ai'),
  maxBodyBytes: z
    .int()
    .positive()
    .default(10 * 1024 * 1024),
  maxHeldBytes: z
    .int()
    .positive()
    .default(512 * 1024 * 1024),
  journal: z
    .strictObject({
      entries: z.int().positive().default(1000),
      bytes: z
        .int()
        .positive()
        .default(32 * 1024 * 1024),
      bodyBytes: z
        .int()
        .min(0)
        .default(64 * 1024),
    })
    .prefault({}),
  sandboxes: z
    .strictObject({
      limit: z.int().positive().default(100_000),
      idleMs: z
        .number()
        .positive()
        .default(60 * 60 * 1000),
      node: z.string().regex(nodeNameForm, 'A node is named by letters and a number, as in n3').optional(),
      default: z.boolean().default(true),
    })
    .prefault({}),
})

type SameShape<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : never) : never

// An option stands in the schema, which checks it, and in the interface, which describes it.
true satisfies SameShape<keyof GatewayOptionsInput, keyof z.input<typeof GatewayOptions>>

/** Options with every default in place. */
export type GatewayOptions = z.output<typeof GatewayOptions>
