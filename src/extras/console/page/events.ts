/**
 * One event stream for all tabs of a browser: it opens six connections to a host, and the seventh request would wait.
 * One tab holds a lock and reads; it tells the others on a channel. When it goes, or nobody sees it any more, another
 * takes up where it was. Where nobody sees any of them, nothing is read, and the server writes nothing.
 */
import { signal } from '@preact/signals'
import type { CallSummary } from '../../../journal/entry.ts'
import { open } from './api.ts'

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

type Message =
  | { kind: 'calls'; id: string; calls: CallSummary[] }
  | { kind: 'resync'; id: string }
  | { kind: 'state'; state: 'live' | 'lost' }
  /** A tab that has just been opened asks how it stands. */
  | { kind: 'hello' }

interface Listener {
  calls(calls: CallSummary[]): void
  resync(): void
}

/** Milliseconds before the next try. */
const retryMs = 1000

/** Follows the events, in this tab or through another one. */
export function follow(listener: Listener): void {
  const channel = new BroadcastChannel('understudy-events')
  let last = ''
  let reads = false

  const take = (message: Message) => {
    if (message.kind === 'hello') {
      if (reads && connection.value !== 'connecting')
        channel.postMessage({ kind: 'state', state: connection.value })
      return
    }
    if (message.kind === 'state') {
      const wasLost = connection.value === 'lost'
      connection.value = message.state
      if (wasLost && message.state === 'live') listener.resync()
      return
    }
    last = message.id
    connection.value = 'live'
    if (message.kind === 'calls') listener.calls(message.calls)
    else listener.resync()
  }
  const tell = (message: Message) => {
    take(message)
    channel.postMessage(message)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => take(data)
  channel.postMessage({ kind: 'hello' } satisfies Message)

  let leaving = new AbortController()
  document.addEventListener('visibilitychange', () => document.hidden && leaving.abort())
  const read = async () => {
    reads = true
    while (!document.hidden) {
      leaving = new AbortController()
      try {
        await readEvents(last, tell, leaving.signal)
      } catch {
        // Told below, whatever it was.
      }
      if (document.hidden) break
      tell({ kind: 'state', state: 'lost' })
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
    reads = false
  }
  // Without locks (a page by plain HTTP of another machine has none) each tab reads for itself.
  const takeTurn = () => (navigator.locks ? navigator.locks.request('understudy-events', read) : read())
  const keepOn = async () => {
    for (;;) {
      await untilSeen()
      await takeTurn()
    }
  }
  void keepOn()
}

/** Resolves when somebody sees the page: at once, or when they come back to it. */
async function untilSeen(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

async function readEvents(
  after: string,
  tell: (message: Message) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await open('followEvents', {}, { query: { after: after || undefined }, signal })
  // Taking over from another tab before the first event: there is no id to continue from, and calls may have come.
  if (!after && connection.value === 'live') tell({ kind: 'resync', id: '' })
  tell({ kind: 'state', state: 'live' })
  const body = response.body as ReadableStream<Uint8Array<ArrayBuffer>>
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += value
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      // No regular expression: its lines end at U+2028 too, which texts of clients may have.
      const lines = frame.split('\n')
      const field = (name: string) => {
        const line = lines.find((each) => each.startsWith(`${name}:`)) ?? ''
        return line.slice(name.length + 1).trimStart()
      }
      const id = field('id')
      if (field('event') === 'calls') tell({ kind: 'calls', id, calls: JSON.parse(field('data')).calls })
      else if (field('event') === 'resync') tell({ kind: 'resync', id })
    }
  }
}
