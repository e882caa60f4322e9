/**
 * How long answers take, by model, as quantiles: the option `latency`, and the times drawn from it for one answer, the
 * same for the same seed.
 */
import * as z from 'zod'
import type { Reply } from '../http/reply.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { compileGlob } from '../lib/glob.ts'
import { amount } from '../lib/numbers.ts'
import { random } from '../lib/seed.ts'

/** Values at shares of all samples: `p50` is the median. */
export const Quantiles = z.lazy(() => quantilesOf(amount()))
export type Quantiles = Readonly<Record<string, number>>

/** Longest answer that is drawn. */
const maxTokens = 100_000

const quantilesOf = (value: z.ZodNumber): z.ZodType<Quantiles, Quantiles | number> =>
  z.union([value.transform((median) => ({ p50: median })), quantileRecord(value)])

const quantileRecord = (value: z.ZodNumber) =>
  z
    .record(z.string().regex(/^p(?:100|\d{1,2}(?:\.\d+)?)$/, "name quantiles 'p50' or 'p99.9'"), value)
    .refine(
      (quantiles) =>
        pointsOf(quantiles).every(([, value], index, all) => value >= (all[index - 1]?.[1] ?? 0)),
      {
        error: 'values must not fall from one quantile to the next',
      },
    )
    .refine((quantiles) => Object.keys(quantiles).length > 0, { error: 'give at least one quantile' })
    .refine(
      (quantiles) =>
        new Set(pointsOf(quantiles).map(([share]) => share)).size === Object.keys(quantiles).length,
      {
        error: "give each quantile once: 'p50' and 'p50.0' are the same",
      },
    )

const times = () => ({
  firstByteMs: Quantiles.optional().describe('Milliseconds until the first event of a stream. Default: 0.'),
  gapMs: Quantiles.optional().describe('Milliseconds before each token of a stream. Default: none.'),
  totalMs: Quantiles.optional().describe(
    'Milliseconds until an answer that is no stream. Default: the first event and all gaps.',
  ),
  tokens: quantilesOf(amount().max(maxTokens))
    .optional()
    .describe('Tokens of a plain text answer. Default: as long as it is without a profile.'),
  keepAliveMs: amount(1)
    .optional()
    .describe('Milliseconds of silence after which a stream gets a comment line. Default: never.'),
})

/** Times of all models. */
export const ModelLatency = z.lazy(() => z.strictObject(times()))
export type LatencyInput = z.input<typeof ModelLatency>

export const LatencyProfile = z.lazy(() =>
  z.looseObject({
    profile: z.literal(1).describe('The version of the form.'),
    source: z.string().optional().describe('Where the figures are from.'),
    models: z
      .record(z.string(), z.looseObject(times()))
      .describe('By model, or a glob of models; `*` is for all others.'),
  }),
)
/** Times and lengths of answers, by model or glob. */
export interface LatencyProfile {
  profile: 1
  source?: string | undefined
  models: Record<string, ModelLatency>
  [field: string]: unknown
}
/** Times and lengths of answers, by model. */
export type LatencyProfileInput = z.input<typeof LatencyProfile>
export interface ModelLatency {
  firstByteMs?: Quantiles | undefined
  gapMs?: Quantiles | undefined
  totalMs?: Quantiles | undefined
  tokens?: Quantiles | undefined
  keepAliveMs?: number | undefined
  [field: string]: unknown
}

/** The option: every form becomes a profile. */
export const Latency = z.lazy(() =>
  z.union([
    amount().transform((ms) => ofAll({ firstByteMs: { p50: ms } })),
    LatencyProfile,
    ModelLatency.transform(ofAll),
    z.string().transform((given, { addIssue }): LatencyProfile => {
      try {
        return given.includes('.') || given.includes('/') ? readProfile(given) : findProfile(given)
      } catch (error) {
        addIssue({ code: 'custom', message: (error as Error).message, input: given })
        return z.NEVER
      }
    }),
  ]),
)

function ofAll(latency: ModelLatency): LatencyProfile {
  return { profile: 1, models: { '*': latency } }
}

/** Returns the times of a model; undefined if the profile has none. */
export function latencyOf(
  { latency }: { readonly latency?: LatencyProfile | undefined },
  model: string,
): ModelLatency | undefined {
  if (!latency) return undefined
  const { models } = latency
  const exact = Object.hasOwn(models, model) ? models[model] : undefined
  if (exact) return exact
  const covers = Object.keys(models).find((glob) => glob !== '*' && compileGlob(glob)(model.toLowerCase()))
  return models[covers ?? '*']
}

export interface LatencyOptions {
  readonly seed: string | number
  readonly latency?: LatencyProfile | undefined
}

/** The times of one answer. */
export interface DrawnLatency {
  /** Milliseconds before the first event. */
  readonly firstMs: number
  /** Returns the milliseconds before the next token; undefined for none. */
  readonly gapMs: (() => number) | undefined
  /** Milliseconds of silence before a sign of life. */
  readonly keepAliveMs: number
}

const noLatency: DrawnLatency = { firstMs: 0, gapMs: undefined, keepAliveMs: Infinity }

/** @param id Of the answer, for which the times are drawn. */
export function drawLatency(id: string, model: string, options: LatencyOptions): DrawnLatency {
  const latency = latencyOf(options, model)
  if (!latency) return noLatency
  const draw = random(options.seed, 'latency', id)
  const { firstByteMs, gapMs, keepAliveMs = Infinity } = latency
  const firstMs = firstByteMs ? valueAt(firstByteMs, draw()) : 0
  return { firstMs, gapMs: gapMs && (() => valueAt(gapMs, draw())), keepAliveMs }
}

/** Delays a reply that is no stream by the time that the whole answer takes. */
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

/** Draws how many tokens a plain text has. */
export function drawLength(lengths: Quantiles, key: string): number {
  const drawn = Math.round(valueAt(lengths, random(key, 'length')()))
  return Math.min(Math.max(1, drawn), maxTokens)
}

/** Shares from 0 to 1 and their values, in order. */
export function pointsOf(quantiles: Quantiles): [share: number, value: number][] {
  return Object.entries(quantiles)
    .map(([name, value]): [number, number] => [Number(name.slice(1)) / 100, value])
    .sort(([left], [right]) => left - right)
}

/**
 * The value at a share of all samples: between two quantiles on a straight line, outside of them on the line of the two
 * nearest, and never below zero.
 */
export function valueAt(quantiles: Quantiles, share: number): number {
  const points = pointsOf(quantiles)
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
  const near = nearest(name, names)
  const meant = near === undefined ? '' : `: did you mean '${near}'?`
  throw new Error(`there is no profile '${name}'${meant} (${names.join(', ')}, or a file)`)
}

/** Throws one clear line for a file that is none, or holds no profile. */
function readProfile(file: string): LatencyProfile {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs) throw new Error(`the file '${file}' can only be read in Node: give the profile itself`)
  let value: unknown
  try {
    value = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`cannot read the profile '${file}': ${(error as Error).message}`)
  }
  const { data, error } = LatencyProfile.safeParse(value)
  if (data) return data
  const [issue] = error.issues
  throw new Error(`the profile '${file}' is wrong at '${issue?.path.join('.')}': ${issue?.message}`)
}

const plausible =
  'No published measurement has all of these quantiles: plausible figures, in the range that public comparisons of hosted models show.'

/** Names of the bundled profiles. */
export type LatencyProfileName = 'fast' | 'typical' | 'reasoning'

/** Profiles by name. */
export const bundledProfiles: Readonly<Record<LatencyProfileName, LatencyProfile>> = {
  fast: {
    profile: 1,
    source: `A small model close by. ${plausible}`,
    models: {
      '*': {
        firstByteMs: { p10: 120, p50: 220, p90: 450, p99: 1100 },
        gapMs: { p10: 2, p50: 5, p90: 12, p99: 45 },
        tokens: { p10: 25, p50: 120, p90: 420, p99: 1100 },
      },
    },
  },
  typical: {
    profile: 1,
    source: `A large model at a usual time of day. ${plausible}`,
    models: {
      '*': {
        firstByteMs: { p10: 350, p50: 700, p90: 1800, p99: 5200 },
        gapMs: { p10: 8, p50: 16, p90: 38, p99: 150 },
        tokens: { p10: 40, p50: 220, p90: 800, p99: 2000 },
      },
    },
  },
  reasoning: {
    profile: 1,
    source: `A model that thinks before it answers. ${plausible}`,
    models: {
      '*': {
        firstByteMs: { p10: 2500, p50: 9000, p90: 32_000, p99: 95_000 },
        gapMs: { p10: 7, p50: 14, p90: 34, p99: 120 },
        tokens: { p10: 80, p50: 380, p90: 1200, p99: 3000 },
      },
    },
  },
}
