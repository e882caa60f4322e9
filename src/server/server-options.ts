/**
 * What is wrong with the options of `startServer`, or with the address that it shall listen on: one line.
 */
import * as z from 'zod'
import { type GatewayCore, isGateway } from '../gateway/gateway.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { amount } from '../lib/numbers.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import { assertObject, readOptions, serverOptionNames } from '../sandbox/read-options.ts'

const names = () => z.array(z.string().min(1))
const milliseconds = () => amount().positive()

const checks = {
  port: () => z.int().min(0).max(65_535),
  host: () => z.string().min(1),
  allowedHosts: names,
  allowedOrigins: names,
  token: () => z.string().regex(/^\S+$/, 'A token has no spaces and at least one character'),
  advertise: () => z.url({ protocol: /^https?$/ }),
  console: () => z.boolean(),
  gateway: () => z.custom<GatewayCore>(isGateway, 'Must be a gateway, from createGateway()'),
  requestTimeoutMs: milliseconds,
  onRequest: () =>
    z.custom<(line: never) => void>((value) => typeof value === 'function', 'Must be a function'),
} satisfies Record<(typeof serverOptionNames)[number], () => z.ZodType>

/**
 * The options of the server, and those of its gateway. Throws a `TypeError`.
 *
 * @param optionNames The options of a gateway.
 */
export function readServerOptions<Given extends object>(given: Given, optionNames: readonly string[]) {
  assertObject(given, 'startServer')
  const own: Record<string, unknown> = {}
  const options: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const known: readonly string[] = serverOptionNames
    const target = known.includes(name) ? own : options
    target[name] = value
    if (target === options && !optionNames.includes(name))
      throw new TypeError(
        `startServer: options.${name}: Unknown field${didYouMean(name, [...known, ...optionNames])}`,
      )
  }
  readOptions(checks, own, 'startServer')
  const [extra] = own['gateway'] === undefined ? [] : Object.keys(options)
  if (extra !== undefined)
    throw new TypeError(
      `startServer: options.${extra} is for a new gateway: give it to the createGateway() that made options.gateway`,
    )
  return {
    own: own as Pick<Given, keyof Given & (typeof serverOptionNames)[number]>,
    options: options as GatewayOptionsInput,
  }
}

/** An error of `listen` in words that name the way out; its `code` stays. */
export function whyNot(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const message = reasons[error.code ?? '']?.(port, host)
  return message === undefined
    ? error
    : Object.assign(new Error(message, { cause: error }), { code: error.code })
}

const noAddress = (_: number, host: string) => `This machine has no address '${host}': choose another host`
const reasons: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port) => `Port ${port} is in use: choose another port, or 0 for any free one`,
  EACCES: (port) => `Port ${port} may not be used by you: choose one above 1023`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
}
