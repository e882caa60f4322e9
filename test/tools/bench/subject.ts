/**
 * Starts a server under measurement in a separate process: Understudy, the baseline, or a peer.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { GatewayOptions } from '../../../src/index.ts'
import type { Captured } from './baseline.ts'

/** Server to start in the process. */
export type Setup =
  | { kind: 'understudy'; entry: string; options: GatewayOptions }
  | { kind: 'baseline'; replies: Captured[] }
  /** Another mock server, `phantomllm`, which replies to every POST /v1/responses with this text. */
  | { kind: 'peer'; text: string }

/** Resources used by a server process so far. */
export interface Usage {
  /** CPU time of all threads in microseconds. */
  cpu: number
  /** Bytes. */
  rss: number
  /** Memory in bytes, after garbage collection if requested. */
  heap: number
}

export interface Subject extends AsyncDisposable {
  readonly port: number
  /** @param collect If true, collects garbage first. Default: false. */
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
