/** Options of `startServer`, and one-line messages for `listen` errors. */
import * as z from 'zod'
import { type GatewayCore, isGateway } from '../gateway/gateway.ts'
import { between, PositiveDuration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import { type OptionsInput, type OptionsOutput, option } from '../sandbox/option.ts'
import type { RequestLine } from './request-line.ts'

/** A host name, which is compared with the `Host` header without its port. */
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

const token = () =>
  z
    .string()
    .min(1, 'Must not be empty: omit it for the default, which is none on loopback')
    .regex(/^[\x21-\x7e]+$/, 'Must be visible ASCII characters without spaces')

export const ServedGateway = z.lazy(() =>
  z.custom<GatewayCore>(isGateway, mustBe('a gateway, from createGateway()')),
)

export type RequestLog = (line: RequestLine) => unknown
export const RequestLog = z.lazy(() =>
  z.custom<RequestLog>((value) => typeof value === 'function', mustBe('a function')),
)

export const serverOptions = {
  port: option('Port to listen on. Default: any free port.', () => between(0, 65_535), { default: 0 }),
  host: option('Address to listen on. Default: 127.0.0.1, which only this machine can reach.', hostName, {
    default: '127.0.0.1',
    flag: '--host <address>',
  }),
  allowedHosts: option(
    'Accepted host names, in addition to loopback names and `host`.',
    () => z.array(hostName()),
    { default: [], flag: '--allowed-host <names>' },
  ),
  allowedOrigins: option(
    "Origins allowed to call the API, such as `https://app.example`, in addition to loopback and the server's own origin. `*` allows every origin.",
    () => z.array(origin()),
    { default: [], flag: '--allowed-origin <origins>' },
  ),
  token: option(
    'Bearer token required for control requests. Default: none on loopback, generated on other addresses.',
    token,
    { flag: '--token <token>' },
  ),
  tlsCert: option(
    'PEM file with a certificate for HTTPS. Default: none; the server serves HTTP.',
    () => z.string().min(1),
    { flag: '--tls-cert <file>' },
  ),
  tlsKey: option("PEM file with the certificate's private key.", () => z.string().min(1), {
    flag: '--tls-key <file>',
  }),
  console: option('If false, the console at `/__understudy/` is not served.', z.boolean, {
    default: true,
    flag: '--no-console',
  }),
  gateway: option(
    'Existing gateway to serve. Cannot be combined with gateway options. Default: a new gateway.',
    () => ServedGateway,
  ),
  requestTimeoutMs: option(
    "Maximum real time to receive a request body: milliseconds or `'1m'`. Headers must arrive within the same time, and within 10 s. Default: 30 s.",
    () => PositiveDuration,
    { default: 30_000 },
  ),
  onRequest: option(
    'Called after each request completes. Errors thrown by the callback are printed.',
    () => RequestLog,
  ),
}

export interface ListenOptions extends OptionsInput<typeof serverOptions> {}
export interface ServerSettings extends OptionsOutput<typeof serverOptions> {}

/** Adds a reason to a `listen` error, and keeps its `code`. */
export function toListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const noAddress = `This machine has no address '${host}': choose another host`
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is in use: choose another port, or 0 for any free port`,
    EACCES: `No permission to listen on port ${port}: choose one above 1023`,
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
  }
  const { code = '', message } = error
  return Object.assign(new Error(reasons[code] ?? message, { cause: error }), { code })
}
