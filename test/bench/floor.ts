/**
 * The least that could do it: bare `node:http` that writes the bytes which the double was seen to write.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request, and the reply that it got from the double. */
export interface Captured {
  method: string
  /** With its query. */
  path: string
  status: number
  /** Without those that `node:http` adds by itself. */
  headers: Record<string, string>
  /** What is written, one string a write: the whole body, or the events of a stream. */
  writes: string[]
}

/** Serves the captured replies by method and path, and does nothing else. Returns the port. */
export async function startFloor(replies: readonly Captured[]): Promise<number> {
  const known = new Map(replies.map((reply) => [reply.method + reply.path, reply]))
  const server = createServer((request, response) => {
    const reply = known.get((request.method ?? '') + request.url) as Captured
    response.writeHead(reply.status, reply.headers)
    const last = reply.writes.length - 1
    for (let index = 0; index < last; index++) response.write(reply.writes[index])
    response.end(reply.writes[last])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

export interface Wanted {
  method: string
  path: string
  body?: unknown
}

const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

/** Sends a request to the double and keeps what comes back. The events of a stream become one write each. */
export async function capture(port: number, { method, path, body }: Wanted): Promise<Captured> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream')
  return {
    method,
    path,
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name))),
    writes: streamed ? text.split(/(?<=\n\n)/) : [text],
  }
}
