/**
 * Provides the baseline: bare `node:http` that writes the same bytes as Understudy.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request and Understudy's reply to it. */
export interface Captured {
  method: string
  /** Path with query. */
  path: string
  status: number
  /** Reply headers, without those that `node:http` adds. */
  headers: Record<string, string>
  /** The body, one string per write: the whole body, or a stream's events. */
  writes: string[]
  /** Delay before each delta, in milliseconds. Default: no pacing. */
  everyMs?: number
}

/** Serves the captured replies by method and path. Returns the port. */
export async function startBaseline(replies: readonly Captured[]): Promise<number> {
  const known = new Map(replies.map((reply) => [reply.method + reply.path, reply]))
  const server = createServer((request, response) => {
    const reply = known.get((request.method ?? '') + request.url) as Captured
    response.writeHead(reply.status, reply.headers)
    if (reply.everyMs !== undefined) return writePaced(reply, reply.everyMs, response)
    const last = reply.writes.length - 1
    for (let index = 0; index < last; index++) response.write(reply.writes[index])
    response.end(reply.writes[last])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/**
 * Writes each delta when it is due. Due times are counted from the first delta, so that delays do not add up.
 */
function writePaced({ writes }: Captured, everyMs: number, response: ServerResponse): void {
  let due = performance.now()
  let place = 0
  const isDelta = () => writes[place]?.includes('.delta"') ?? false
  const go = () => {
    do response.write(writes[place++])
    while (place < writes.length && !isDelta())
    if (place === writes.length) return response.end()
    due += everyMs
    setTimeout(go, Math.max(1, due - performance.now()))
  }
  go()
}

export interface BenchRequest {
  method: string
  path: string
  body?: unknown
}

const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

/** Sends a request to Understudy and captures the reply. Each event of a stream becomes one write. */
export async function capture(port: number, { method, path, body }: BenchRequest): Promise<Captured> {
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
