/** Declares options once: types, documents, flags and error messages derive from the declarations. */
import type * as z from 'zod'
import { toViolations } from '../http/violations.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { isObject } from '../lib/json.ts'
import { oneLine } from '../lib/one-line.ts'
import { about, inWords, shown } from '../lib/schema-messages.ts'

export interface Option<Input = unknown, Output = unknown> {
  /** Describes the option's effect. Ends with `Default: ….` if the default value is not self-explanatory. */
  readonly description: string
  /** Builds the schema. Called only if the option is set, because building all schemas takes 5 ms. */
  readonly schema: () => z.ZodType<Output, Input>
  readonly default?: Output
  /** Flag of `serve` in Commander's syntax, such as `--seed <seed>`. */
  readonly flag?: string
  /** If true, a string is a file path, which is relative to the configuration file that contains it. */
  readonly isPath?: true
}

type Details = Pick<Option, 'flag' | 'isPath'>

export interface OptionGroup<
  Inner extends Options = Options,
  Main extends string | undefined = string | undefined,
> {
  readonly description: string
  readonly options: Inner
  /** Option to set if the value is not an object, as in `recordings: './recordings'`. */
  readonly main?: Main
}

export interface Options {
  readonly [name: string]: Option | OptionGroup
}

/** Options as users write them, before validation. */
export type OptionsInput<All extends Options> = {
  -readonly [Name in keyof All]?: All[Name] extends OptionGroup<infer Inner, infer Main>
    ? OptionsInput<Inner> | (Main extends string ? OptionsInput<Inner>[Main] : never)
    : All[Name] extends Option<infer Input, infer _>
      ? Input
      : never
}

/** Validated options with defaults. An option without a default is undefined unless it is set. */
export type OptionsOutput<All extends Options> = {
  -readonly [Name in keyof All]: All[Name] extends OptionGroup<infer Inner>
    ? OptionsOutput<Inner>
    : All[Name] extends Option<infer _, infer Output>
      ? Output
      : never
}

export function option<Schema extends z.ZodType>(
  description: string,
  schema: () => Schema,
  more: Details & { readonly default: z.output<Schema> },
): Option<z.input<Schema>, z.output<Schema>>
export function option<Schema extends z.ZodType>(
  description: string,
  schema: () => Schema,
  more?: Details,
): Option<z.input<Schema>, z.output<Schema> | undefined>
export function option(description: string, schema: () => z.ZodType, more: Details = {}): Option {
  return { description, schema, ...more }
}

export function group<
  const Inner extends Options,
  Main extends (keyof Inner & string) | undefined = undefined,
>(description: string, options: Inner, main?: Main): OptionGroup<Inner, Main> {
  return { description, options, ...(main && { main }) }
}

/** Returns an option's description, which ends with its default. */
export function describe({ description, default: value }: Option): string {
  if (description.includes(' Default: ')) return description
  if (value === undefined || typeof value === 'object') return `${description} Default: none.`
  const text = typeof value === 'string' ? `\`${value}\`` : Object(value).toLocaleString('en')
  return `${description} Default: ${text}.`
}

const optionsOfOthers = new Map([
  ['onUnhandledRequest', '; pass it to intercept(gateway, { onUnhandledRequest })'],
  ['maxRetries', '; it is a client option'],
  ['upstream', '; use recordings: { upstream: … }'],
  ['extensions', '; all operations are enabled by default; onlySpecified: true disables all but six'],
  ...['port', 'host', 'token', 'console', 'allowedHosts', 'allowedOrigins'].map(
    (name) => [name, '; it is a startServer option, and a flag on the command line'] as const,
  ),
])

/** Validates options and fills in the defaults. Throws a `TypeError` with a one-line message. */
export function readOptions<All extends Options>(
  all: All,
  input: unknown,
  caller: string,
  path = 'options',
): OptionsOutput<All> {
  const names = Object.keys(all)
  const fail = (problem: string): never => {
    throw new TypeError(oneLine(`${caller}: ${problem}`))
  }
  if (path === 'options') assertObject(input, caller, `{ ${names[0]}: … }`)
  else if (!isObject(input))
    return fail(
      `${path} must be an object, got ${shown(input)}; write { ${names.map((name) => `${name}: …`).join(', ')} }`,
    )
  const unknown = Object.keys(input).find((name) => !Object.hasOwn(all, name))
  if (unknown !== undefined) {
    const hint = (path === 'options' && optionsOfOthers.get(unknown)) || didYouMean(unknown, names)
    return fail(`unknown option '${`${path}.${unknown}`.replace('options.', '')}'${hint}`)
  }
  const entries = Object.entries(all).map(([name, declared]) => {
    const value: unknown = Reflect.get(input, name)
    const place = `${path}.${name}`
    if ('options' in declared) {
      const { main, options } = declared
      const given = main && value !== undefined && !isObject(value) ? { [main]: value } : (value ?? {})
      return [name, readOptions(options, given, caller, place)]
    }
    if (value === undefined) return [name, declared.default]
    const { data, error } = declared.schema().safeParse(value, { jitless: true, error: inWords })
    return error ? fail(problemOf(error, place, value)) : [name, data]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

export function assertObject(
  input: unknown,
  caller: string,
  example = '{ seed: 7 }',
): asserts input is object {
  if (isObject(input)) return
  throw new TypeError(`${caller} expects an options object such as ${example}, got ${shown(input)}`)
}

/** Returns the first problem and its fix, as in `options.apiKeys must be a list, got 'a'; write ['a']`. */
function problemOf(error: z.core.$ZodError, place: string, value: unknown): string {
  const [{ path, message } = { path: place, message: 'Invalid' }] = toViolations(error, place)
  const [issue] = error.issues
  const wantsList = issue?.code === 'invalid_type' && issue.expected === 'array' && issue.path.length === 0
  return (
    about(path, message) + (wantsList ? `; write [${typeof value === 'string' ? shown(value) : '…'}]` : '')
  )
}
