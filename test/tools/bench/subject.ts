/**
 * A server under measurement, in a process of its own: the double, the floor below it, or a peer.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { GatewayOptions } from '../../../src/index.ts'
import type { Captured } from './floor.ts'

/** What the process is asked to serve. */
export type Setup =
  | { kind: 'understudy'; entry: string; options: GatewayOptions }
  | { kind: 'floor'; replies: Captured[] }
  /** Another test double, `phantomllm`, that answers every POST /v1/responses with this text. */
  | { kind: 'peer'; text: string }

/** What a server process has used so far. */
export interface Usage {
  /** Microseconds of processor time, of all its threads. */
  cpu: number
  /** Bytes. */
  rss: number
  /** Bytes, after a garbage collection where one was asked for. */
  heap: number
}

export interface Subject extends AsyncDisposable {
  readonly port: number
  /** @param collect Collects garbage first. Default: false. */
  usage(collect?: boolean): Promise<Usage>
}

export async function startSubject(setup: Setup): Promise<Subject> {
  const child = fork(new URL('./server.ts', import.meta.url), [], { execArgv: ['--expose-gc'] })
  child.send(setup)
  const { port } = await answer<{ port: number }>(child)
  return {
    port,
    usage(collect = false) {
      child.send({ collect })
      return answer<Usage>(child)
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

async function answer<Message>(child: ChildProcess): Promise<Message> {
  const gone = new AbortController()
  const exit = once(child, 'exit', { signal: gone.signal }).then(([code]) => {
    throw new Error(`The server under measurement ended with ${code}`)
  })
  exit.catch(() => {})
  try {
    const [message] = await Promise.race([once(child, 'message'), exit])
    return message as Message
  } finally {
    gone.abort()
  }
}
