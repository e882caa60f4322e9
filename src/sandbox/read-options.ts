/**
 * Validates options passed in code. Error messages fit on one line and name the option, the problem and, if known, the
 * fix.
 */
import * as z from 'zod'
import { toViolations } from '../http/violations.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { oneLine } from '../lib/one-line.ts'
import { about, inWords, shown } from '../lib/schema-messages.ts'

/** Options of `startServer` in addition to the gateway's. `serve.ts` documents them. */
export const serverOptionNames = [
  'port',
  'host',
  'allowedHosts',
  'allowedOrigins',
  'token',
  'tlsCert',
  'tlsKey',
  'console',
  'gateway',
  'requestTimeoutMs',
  'onRequest',
] as const

/** Options that belong to other functions, each with a hint. */
const optionsOfOthers = new Map([
  ['onUnhandledRequest', '; pass it to intercept(gateway, { onUnhandledRequest })'],
  ['maxRetries', '; it is a client option'],
])

/** Schemas by option. Each is built on demand. */
type Checks = Readonly<Record<string, () => z.ZodType>>

/** Validated options, without omitted ones. */
export type ValidatedOptions<Options extends Checks> = {
  [Name in keyof Options]?: z.output<ReturnType<Options[Name]>>
}

/**
 * Validates options. An undefined option counts as omitted. Throws a `TypeError`.
 *
 * @param caller The called function's name, for the message.
 */
export function readOptions<const Options extends Checks>(
  checks: Options,
  input: unknown,
  caller: string,
): ValidatedOptions<Options> {
  assertObject(input, caller, 'seed' in checks ? undefined : `{ ${Object.keys(checks)[0]}: … }`)
  for (const name in input) if (!Object.hasOwn(checks, name)) return throwProblem(checks, input, caller)
  const validated: Record<string, unknown> = {}
  for (const [name, check] of Object.entries(checks)) {
    const value = Reflect.get(input, name)
    if (value === undefined) continue
    const result = check().safeParse(value, { jitless: true, error: inWords })
    if (!result.success) return throwProblem(checks, input, caller)
    validated[name] = result.data
  }
  return validated as ValidatedOptions<Options>
}

function throwProblem(checks: Checks, input: object, caller: string): never {
  const entries = Object.entries(checks).map(([name, check]) => [name, check().optional()] as const)
  const schema = z.strictObject(Object.fromEntries(entries))
  const { error } = schema.safeParse(input, { jitless: true, error: inWords })
  throw new TypeError(oneLine(`${caller}: ${error ? problemOf(error, schema, input) : 'options: Invalid'}`))
}

/** Throws if the options are not an object, as in `createGateway('flaky')`. */
export function assertObject(
  input: unknown,
  caller: string,
  example = '{ seed: 7 }',
): asserts input is object {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return
  throw new TypeError(`${caller} expects an options object such as ${example}, got ${shown(input)}`)
}

/** Returns the first problem and its fix, as in `unknown option 'seeed'; did you mean 'seed'?`. */
function problemOf(error: z.ZodError, schema: z.ZodType, input: unknown): string {
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys
    const path = ['options', ...issue.path, name].join('.')
    if (issue.path.length === 0 && (serverOptionNames as readonly string[]).includes(name))
      return `${path} is a startServer option, not a gateway option`
    const names = namesAt(schema, issue.path)
    const place = issue.path.length === 0 ? optionsOfOthers.get(name) : undefined
    return `unknown option '${path.replace('options.', '')}'${place ?? didYouMean(name, names)}`
  }
  const [{ path, message } = { path: 'options', message: 'Invalid' }] = toViolations(error, 'options')
  const value = issue?.path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), input)
  const expected = issue?.code === 'invalid_type' ? issue.expected : undefined
  const fields = expected === 'object' ? namesAt(schema, issue?.path ?? []).slice(0, 5) : []
  const fix =
    expected === 'array' && ['string', 'object'].includes(typeof value)
      ? `; write [${typeof value === 'string' ? shown(value) : '…'}]`
      : fields.length > 0
        ? `; write { ${fields.map((field) => `${field}: …`).join(', ')} }`
        : ''
  return about(path, message) + fix
}

/** Returns the option names at a path, such as `default` for `sandboxes`. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const shape = shapeOf(schema)
  const [first, ...rest] = path
  if (first === undefined) return Object.keys(shape)
  const inner = shape[String(first)]
  return inner ? namesAt(inner, rest) : []
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  if (schema instanceof z.ZodObject) return schema.shape
  const parts =
    schema instanceof z.ZodUnion ? schema.options : schema instanceof z.ZodPipe ? [schema.in, schema.out] : []
  if (parts.length > 0) return Object.assign({}, ...parts.map((part) => shapeOf(part as z.ZodType)))
  const inner = 'unwrap' in schema && typeof schema.unwrap === 'function' ? schema.unwrap() : undefined
  return inner ? shapeOf(inner) : {}
}
