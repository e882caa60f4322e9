/**
 * The `latency` option: response-time quantiles by model, from which each reply's delays are drawn. The same seed
 * draws the same delays.
 */
import * as z from 'zod'
import fixtures from '../../fixtures/latency-profiles.json' with { type: 'json' }
import type { Reply } from '../http/reply.ts'
import { readCheckedFile } from '../lib/data-file.ts'
import { meantBy } from '../lib/did-you-mean.ts'
import { compileGlob } from '../lib/glob.ts'
import { amount, Duration, PositiveDuration } from '../lib/numbers.ts'
import { random } from '../lib/seed.ts'

/** Values by quantile. `p50` is the median. */
export const Quantiles = z.lazy(() => quantilesOf(Duration))
export type Quantiles = Readonly<Record<string, number>>

/** Upper bound for the length of a reply in tokens. */
const maxTokens = 100_000

const quantilesOf = <Value>(
  value: z.ZodType<number, Value>,
): z.ZodType<Quantiles, Record<string, Value> | Value> =>
  z.union([value.transform((median) => ({ p50: median })), quantileRecord(value)])

const quantileRecord = <Value>(value: z.ZodType<number, Value>) =>
  z
    .record(
      z.string().regex(/^p(?:100|\d{1,2}(?:\.\d+)?)$/, "must be a quantile such as 'p50' or 'p99.9'"),
      value,
    )
    .refine(
      (quantiles) =>
        pointsOf(quantiles).every(([, value], index, all) => value >= (all[index - 1]?.[1] ?? 0)),
      {
        error: 'values must not decrease from one quantile to the next',
      },
    )
    .refine((quantiles) => Object.keys(quantiles).length > 0, { error: 'must have at least one quantile' })
    .refine(
      (quantiles) =>
        new Set(pointsOf(quantiles).map(([share]) => share)).size === Object.keys(quantiles).length,
      {
        error: "must have each quantile once: 'p50' and 'p50.0' are the same",
      },
    )

const times = () => ({
  firstByteMs: Quantiles.optional().describe('Time to the first event of a stream. Default: 0.'),
  gapMs: Quantiles.optional().describe('Delay before each streamed token. Default: none.'),
  totalMs: Quantiles.optional().describe(
    'Time to a non-streamed reply. Default: the sum of firstByteMs and all gaps.',
  ),
  tokens: quantilesOf(amount().max(maxTokens))
    .optional()
    .describe('Length of a plain text reply in tokens. Default: the usual length.'),
  keepAliveMs: PositiveDuration.optional().describe(
    'Time without an event after which a stream sends a comment line. Default: never.',
  ),
})

/** Schema of latencies that apply to all models. */
export const ModelLatency = z.lazy(() => z.strictObject(times()))
export type LatencyInput = z.input<typeof ModelLatency>

export const LatencyProfile = z.lazy(() =>
  z.looseObject({
    profile: z.literal(1).describe('Format version.'),
    source: z.string().optional().describe('Source of the figures.'),
    models: z
      .record(z.string(), z.looseObject(times()))
      .describe('Latency by model name or glob. `*` matches all other models.'),
  }),
)
/** Latency and text length, by model or glob. */
export interface LatencyProfile {
  profile: 1
  source?: string | undefined
  models: Record<string, ModelLatency>
  [field: string]: unknown
}
/** Latency and text length, by model or glob. */
export type LatencyProfileInput = z.input<typeof LatencyProfile>
export interface ModelLatency {
  firstByteMs?: Quantiles | undefined
  gapMs?: Quantiles | undefined
  totalMs?: Quantiles | undefined
  tokens?: Quantiles | undefined
  keepAliveMs?: number | undefined
  [field: string]: unknown
}

/** The `latency` option. Every form is converted to a profile. */
export const Latency = z.lazy(() =>
  z.union([
    amount().transform((ms) => forAllModels({ firstByteMs: { p50: ms } })),
    LatencyProfile,
    // Without this check, zod would report an invalid profile's fields as unknown.
    z
      .custom<LatencyInput>((value) => !Object.hasOwn(Object(value), 'profile'))
      .pipe(ModelLatency)
      .transform(forAllModels),
    z.string().transform((name, { addIssue }): LatencyProfile => {
      const { data: ms } = Duration.safeParse(name)
      if (ms !== undefined) return forAllModels({ firstByteMs: { p50: ms } })
      try {
        return name.includes('.') || name.includes('/')
          ? readCheckedFile(name, LatencyProfile)
          : findProfile(name)
      } catch (error) {
        addIssue({ code: 'custom', message: (error as Error).message, input: name })
        return z.NEVER
      }
    }),
  ]),
)

function forAllModels(latency: ModelLatency): LatencyProfile {
  return { profile: 1, models: { '*': latency } }
}

/** Returns a model's latency, or undefined if the profile does not cover the model. */
export function latencyOf(
  { latency }: { readonly latency?: LatencyProfile | undefined },
  model: string,
): ModelLatency | undefined {
  if (!latency) return undefined
  const { models } = latency
  const exact = Object.hasOwn(models, model) ? models[model] : undefined
  if (exact) return exact
  const glob = Object.keys(models).find((each) => each !== '*' && compileGlob(each)(model.toLowerCase()))
  return models[glob ?? '*']
}

export interface LatencyOptions {
  readonly seed: string | number
  readonly latency?: LatencyProfile | undefined
}

/** Delays drawn for one reply. */
export interface DrawnLatency {
  /** Milliseconds before the first event. */
  readonly firstMs: number
  /** Draws the delay before the next token in milliseconds. Undefined if tokens are not delayed. */
  readonly gapMs: (() => number) | undefined
  /** Milliseconds without an event after which a keep-alive comment is sent. */
  readonly keepAliveMs: number
}

const noLatency: DrawnLatency = { firstMs: 0, gapMs: undefined, keepAliveMs: Infinity }

/** @param id Id of the reply, which seeds its delays. */
export function drawLatency(id: string, model: string, options: LatencyOptions): DrawnLatency {
  const latency = latencyOf(options, model)
  if (!latency) return noLatency
  const draw = random(options.seed, 'latency', id)
  const { firstByteMs, gapMs, keepAliveMs = Infinity } = latency
  const firstMs = firstByteMs ? valueAt(firstByteMs, draw()) : 0
  return { firstMs, gapMs: gapMs && (() => valueAt(gapMs, draw())), keepAliveMs }
}

/** Delays a non-streamed reply by its total latency. */
export function withLatency<Value>(
  reply: Reply<Value>,
  { id, model, outputTokens }: { readonly id: string; readonly model: string; readonly outputTokens: number },
  options: LatencyOptions,
): Reply<Value> {
  const latency = latencyOf(options, model)
  if (!latency) return reply
  const { totalMs } = latency
  let delayMs: number
  if (totalMs) delayMs = valueAt(totalMs, random(options.seed, 'latency total', id)())
  else {
    const { firstMs, gapMs } = drawLatency(id, model, options)
    delayMs = firstMs
    for (let token = 0; gapMs && token < Math.min(outputTokens, maxTokens); token++) delayMs += gapMs()
  }
  return { ...reply, transport: { ...reply.transport, delayMs } }
}

/** Draws the length of a plain text reply in tokens. */
export function drawLength(lengths: Quantiles, key: string): number {
  const drawn = Math.round(valueAt(lengths, random(key, 'length')()))
  return Math.min(Math.max(1, drawn), maxTokens)
}

/** Converts quantiles to pairs of share (0 to 1) and value, in ascending order. */
export function pointsOf(quantiles: Quantiles): [share: number, value: number][] {
  return Object.entries(quantiles)
    .map(([name, value]): [number, number] => [Number(name.slice(1)) / 100, value])
    .sort(([left], [right]) => left - right)
}

/**
 * Interpolates the value at a share (0 to 1). Beyond the outermost quantiles, extrapolates from the nearest two, but
 * never below zero.
 */
export function valueAt(quantiles: Quantiles, share: number): number {
  const points = pointsOf(quantiles)
  // mutation: equivalent (the lines on both sides of a quantile meet there)
  const next = points.findIndex(([at]) => share < at)
  const end = Math.max(1, next < 0 ? points.length - 1 : next)
  const [from, to] = [points[end - 1], points[end]]
  if (!from) return 0
  if (!to) return from[1]
  const slope = (to[1] - from[1]) / (to[0] - from[0])
  return Math.max(0, from[1] + slope * (share - from[0]))
}

function findProfile(name: string): LatencyProfile {
  if (Object.hasOwn(bundledProfiles, name)) return bundledProfiles[name as LatencyProfileName]
  const names = Object.keys(bundledProfiles)
  throw new Error(
    `unknown profile '${name}'${meantBy(name, names) || `; choose ${names.join(', ')}, or a .json file`}`,
  )
}

/** Names of the bundled profiles. */
export type LatencyProfileName = 'fast' | 'typical' | 'reasoning'

export const bundledProfiles = fixtures as Readonly<Record<LatencyProfileName, LatencyProfile>>
