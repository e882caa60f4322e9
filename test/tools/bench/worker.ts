/**
 * A process under measurement. The first message says what to run; each further message asks for CPU time, in
 * microseconds: of the server since its start, or of `count` calls.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A reply that the floor repeats: the whole body, or a stream's events with a pause before each. */
export interface Captured {
  status: number
  headers: Record<string, string>
  writes: string[]
  pauseMs?: number
}

export type Task =
  | { kind: 'floor'; reply: Captured }
  | { kind: 'peer'; text: string }
  | { kind: 'server'; entries: string; options: object }
  /** Code that returns a function to call repeatedly. */
  | { kind: 'calls'; code: string }

const [task] = (await once(process, 'message')) as [Task]
const call = task.kind === 'calls' ? await toCall(task.code) : undefined
process.on('message', async (count: number) => {
  const before = process.cpuUsage()
  for (let index = 0; call && index < count; index++) await call()
  const { user, system } = process.cpuUsage(call && before)
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit())
process.send?.(task.kind === 'calls' ? 0 : await startServer(task))

function toCall(code: string): Promise<() => unknown> {
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor
  return AsyncFunction('load', code)((name: string) => import(name))
}

async function startServer(task: Exclude<Task, { kind: 'calls' }>): Promise<number> {
  if (task.kind === 'floor') return startFloor(task.reply)
  if (task.kind === 'server') {
    const { startServer } = await import(`${task.entries}serve.js`)
    return (await startServer({ port: 0, ...task.options })).port
  }
  const { MockLLM } = await import('phantomllm')
  const peer = new MockLLM()
  await peer.start()
  peer.given.response.willReturn(task.text)
  return Number(new URL(peer.baseUrl).port)
}

async function startFloor(reply: Captured): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(reply.status, reply.headers)
    if (reply.pauseMs !== undefined) return writePaced(reply.writes, reply.pauseMs, response)
    for (const text of reply.writes.slice(0, -1)) response.write(text)
    response.end(reply.writes.at(-1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Counts due times from the first event, so that delays do not add up. */
function writePaced(writes: readonly string[], pauseMs: number, response: ServerResponse): void {
  const begin = performance.now()
  let place = 0
  const go = () => {
    response.write(writes[place++])
    if (place === writes.length) return response.end()
    setTimeout(go, Math.max(1, begin + place * pauseMs - performance.now()))
  }
  go()
}
