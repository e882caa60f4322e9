/** Validates `startServer` options, and explains `listen` errors in one line. */
import * as z from 'zod'
import { type GatewayCore, isGateway } from '../gateway/gateway.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { between, type Duration, PositiveDuration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import { assertObject, readOptions, serverOptionNames } from '../sandbox/read-options.ts'
import type { RequestLine } from './request-line.ts'

/** Options of `startServer` in addition to the gateway's. */
export interface ServerSettings {
  /** Port to listen on. Default: any free port. */
  port?: number
  /** Address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  host?: string
  /** Accepted host names, in addition to loopback names and `host`. Default: none. */
  allowedHosts?: string[]
  /**
   * Origins allowed to call the API, such as `https://app.example`, in addition to loopback and the server's own
   * origin. `*` allows every origin. Default: none.
   */
  allowedOrigins?: string[]
  /** Bearer token that control requests require. Default: none on loopback, generated on other addresses. */
  token?: string
  /** PEM file with a certificate, with which the server serves HTTPS. Default: none; the server serves HTTP. */
  tlsCert?: string
  /** PEM file with the certificate's private key. Default: none. */
  tlsKey?: string
  /** If true, serves the console, a web page, at `/__understudy/`. Default: true. */
  console?: boolean
  /** Existing gateway to serve. Cannot be combined with gateway options. Default: a new gateway. */
  gateway?: GatewayCore
  /**
   * Maximum real time to receive a request body: milliseconds or `'1m'`. Headers must arrive within the same time, and
   * within 10 s. Default: 30 s.
   */
  requestTimeoutMs?: Duration
  /** Called after each request completes. Errors that the callback throws are printed. Default: none. */
  onRequest?: (line: RequestLine) => unknown
}

/** Schema of a host name. Rejects URLs and ports, because names are compared with the `Host` header without its port. */
const hostName = () =>
  z
    .string()
    .min(1)
    .regex(/^(?:[^\s/:*]+|[^\s/*]*:[^\s/*]*:[^\s/*]*)$/, mustBe('a host name without scheme and port'))

const origin = () =>
  z
    .string()
    .regex(
      /^(?:\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/]+\/?)$/i,
      mustBe("an origin such as https://app.example, or '*'"),
    )

const checks = {
  port: () => between(0, 65_535),
  host: hostName,
  allowedHosts: () => z.array(hostName()),
  allowedOrigins: () => z.array(origin()),
  token: () =>
    z
      .string()
      .min(1, 'Must not be empty: omit it for the default, which is none on loopback')
      .regex(/^\S+$/, 'Must have no spaces'),
  tlsCert: () => z.string().min(1),
  tlsKey: () => z.string().min(1),
  console: () => z.boolean(),
  gateway: () => z.custom<GatewayCore>(isGateway, mustBe('a gateway, from createGateway()')),
  requestTimeoutMs: () => PositiveDuration,
  onRequest: () =>
    z.custom<(line: never) => void>((value) => typeof value === 'function', mustBe('a function')),
} satisfies Record<(typeof serverOptionNames)[number], () => z.ZodType>

/**
 * Separates server options from gateway options. Throws a `TypeError` for an unknown option or an invalid server
 * option.
 *
 * @param optionNames Names of gateway options.
 */
export function readServerOptions<Input extends object>(input: Input, optionNames: readonly string[]) {
  assertObject(input, 'startServer')
  const server: Record<string, unknown> = {}
  const gateway: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    const serverNames: readonly string[] = serverOptionNames
    const target = serverNames.includes(name) ? server : gateway
    target[name] = value
    if (target === gateway && !optionNames.includes(name))
      throw new TypeError(
        `startServer: unknown option '${name}'${didYouMean(name, [...serverNames, ...optionNames])}`,
      )
  }
  readOptions(checks, server, 'startServer')
  const [misplaced] = server['gateway'] === undefined ? [] : Object.keys(gateway)
  if (misplaced !== undefined)
    throw new TypeError(
      `startServer: options.${misplaced} cannot be combined with options.gateway: pass it to createGateway()`,
    )
  return {
    server: server as Pick<Input, keyof Input & (typeof serverOptionNames)[number]>,
    gateway: gateway as GatewayOptionsInput,
  }
}

/** Adds a fix to the message of a `listen` error. The `code` is unchanged. */
export function toListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const message = reasons[error.code ?? '']?.(port, host)
  return message === undefined
    ? error
    : Object.assign(new Error(message, { cause: error }), { code: error.code })
}

const noAddress = (_: number, host: string) => `This machine has no address '${host}': choose another host`
const reasons: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port) => `Port ${port} is in use: choose another port, or 0 for any free port`,
  EACCES: (port) => `No permission to listen on port ${port}: choose one above 1023`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
}
