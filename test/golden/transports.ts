/** Sends requests over four transports, and records exactly what a client receives. */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setupServer } from 'msw/node'
import type { Gateway } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { intercept } from '../../src/node.ts'
import { startServer } from '../../src/serve.ts'

export interface Sent {
  readonly method: string
  /** Path with query, relative to the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer<ArrayBuffer> | undefined
}

export interface Received {
  /** HTTP status; 0 without a reply. */
  status: number
  /** Headers in order, with names as the client sees them. */
  headers: [name: string, value: string][]
  body: Buffer
  /** `complete`, `disconnected` by the client, or the error that the client received. */
  end: string
}

/** Sends a request and reads the reply until it ends or `isEnough` returns true for its body. */
export type Send = (sent: Sent, isEnough: (body: string) => boolean) => Promise<Received>

interface Entrance {
  send: Send
  close(): void | Promise<void>
}

export const baseUrl = 'https://gateway.example/api/v1'

const strictOptions: object = { onUnhandledFrame: 'error' }

export const transports = {
  async socket(gateway: Gateway): Promise<Entrance> {
    const server = await startServer({ gateway })
    return { send: overSocket(server.baseUrl), close: () => server.close() }
  },
  fetch: (gateway: Gateway): Entrance => ({ send: overFetch(gateway.fetch), close() {} }),
  msw(gateway: Gateway): Entrance {
    const server = setupServer(...handlers(gateway))
    server.listen(strictOptions)
    return { send: overFetch(globalThis.fetch), close: () => server.close() }
  },
  intercept(gateway: Gateway): Entrance {
    const interception = intercept(gateway)
    return { send: overFetch(globalThis.fetch), close: () => interception.close() }
  },
}

export type TransportName = keyof typeof transports

/** Maximum duration of a reply, after which it counts as hanging. */
const maxMs = 5_000

function overFetch(fetch: typeof globalThis.fetch): Send {
  return async ({ path, ...init }, isEnough) => {
    const received: Received = { status: 0, headers: [], body: Buffer.alloc(0), end: 'complete' }
    const client = new AbortController()
    const timer = setTimeout(() => client.abort(new Error('The reply hangs')), maxMs)
    try {
      const response = await fetch(baseUrl + path, { ...init, signal: client.signal })
      received.status = response.status
      received.headers = [...response.headers]
      for await (const chunk of response.body ?? []) {
        received.body = Buffer.concat([received.body, chunk])
        if (!isEnough(received.body.toString())) continue
        received.end = 'disconnected'
        client.abort()
        break
      }
    } catch (error) {
      if (received.end !== 'disconnected') received.end = describeError(error)
    }
    clearTimeout(timer)
    return received
  }
}

/** @param ca An HTTPS server's certificate authority, as PEM. */
export function overSocket(baseUrl: string, ca?: string): Send {
  const open = ca === undefined ? httpRequest : httpsRequest
  return ({ path, method, headers, body }, isEnough) =>
    new Promise((resolve) => {
      const received: Received = { status: 0, headers: [], body: Buffer.alloc(0), end: 'complete' }
      // Opens a separate connection, but sends the headers of a pooled one.
      const options = {
        agent: false,
        ca,
        method,
        headers: { ...headers, connection: 'keep-alive' },
        timeout: maxMs,
      }
      const request = open(baseUrl + path, options)
      const end = (how: string) => {
        resolve({ ...received, end: how })
        request.destroy()
      }
      request.on('timeout', () => end('The reply hangs'))
      // Once a response has started, its own events report whether it is complete.
      let late: Error | undefined
      request.on('error', (error) => {
        late = error
        if (received.status === 0) end(describeError(error))
      })
      request.on('response', (response) => {
        received.status = response.statusCode ?? 0
        const { rawHeaders } = response
        for (let index = 0; index < rawHeaders.length; index += 2)
          received.headers.push([String(rawHeaders[index]), String(rawHeaders[index + 1])])
        response.on('data', (chunk: Buffer) => {
          received.body = Buffer.concat([received.body, chunk])
          if (isEnough(received.body.toString())) end('disconnected')
        })
        response.once('end', () => end('complete'))
        response.once('error', (error) => end(describeError(late ?? error)))
      })
      request.end(body)
    })
}

/** Formats an error and its causes, without ports. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message, cause } = error
  const code = 'code' in error ? ` ${error.code}` : ''
  const text = `${name}${code}: ${message.replace(/127\.0\.0\.1:\d+/g, 'host')}`
  return cause === undefined ? text : `${text}, caused by ${describeError(cause)}`
}
