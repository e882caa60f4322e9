/**
 * Shares one event stream between all tabs, because browsers open at most six connections to a host. The tab
 * that holds a lock reads the stream and broadcasts its events. When that tab is closed or hidden, another
 * one continues from the last event. If all tabs are hidden, none of them reads the stream.
 */
import { signal } from '@preact/signals'
import type { CallSummary } from '../../../journal/summary.ts'
import { open } from './api.ts'

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')
/** If true, the server was restarted since the page was opened. */
export const wasRestarted = signal(false)

type Message =
  | { kind: 'calls'; id: string; calls: CallSummary[] }
  | { kind: 'resync'; id: string }
  | { kind: 'state'; state: 'live' | 'lost' }
  /** Sent by a new tab to ask for the connection state. */
  | { kind: 'hello' }

interface Listener {
  calls(calls: CallSummary[]): void
  resync(): void
}

/** Delay before reconnecting, in milliseconds. */
const retryMs = 1000

/** Follows events, in this tab or through another one. */
export function follow(listener: Listener): void {
  const channel = new BroadcastChannel('understudy-events')
  let last = ''
  let isReading = false

  const take = (message: Message) => {
    if (message.kind === 'hello') {
      if (isReading && connection.value !== 'connecting')
        channel.postMessage({ kind: 'state', state: connection.value })
      return
    }
    if (message.kind === 'state') {
      const wasLost = connection.value === 'lost'
      connection.value = message.state
      if (wasLost && message.state === 'live') listener.resync()
      return
    }
    // Event ids start with the server's run id.
    if (last && message.id && last.split('.')[0] !== message.id.split('.')[0]) wasRestarted.value = true
    last = message.id || last
    connection.value = 'live'
    if (message.kind === 'calls') listener.calls(message.calls)
    else listener.resync()
  }
  const broadcast = (message: Message) => {
    take(message)
    channel.postMessage(message)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => take(data)
  channel.postMessage({ kind: 'hello' } satisfies Message)

  let leaving = new AbortController()
  document.addEventListener('visibilitychange', () => document.hidden && leaving.abort())
  const read = async () => {
    isReading = true
    while (!document.hidden) {
      leaving = new AbortController()
      try {
        await readEvents(last, broadcast, leaving.signal)
      } catch {
        // The code below broadcasts any error as a lost connection.
      }
      if (document.hidden) break
      broadcast({ kind: 'state', state: 'lost' })
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
    isReading = false
  }
  // Pages from another machine over plain HTTP have no locks, so each tab reads for itself.
  const takeTurn = () => (navigator.locks ? navigator.locks.request('understudy-events', read) : read())
  const run = async () => {
    for (;;) {
      await untilVisible()
      await takeTurn()
    }
  }
  void run()
}

/** Resolves when the page is visible. */
async function untilVisible(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

async function readEvents(
  after: string,
  broadcast: (message: Message) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await open('followEvents', {}, { query: { after: after || undefined }, signal })
  // Before the first event there is no id to resume from, and calls may have been missed since the other tab stopped.
  if (!after && connection.value === 'live') broadcast({ kind: 'resync', id: '' })
  broadcast({ kind: 'state', state: 'live' })
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
      // Not split by a regular expression with `$`, which would also match at U+2028 in a client's text.
      const lines = frame.split('\n')
      const field = (name: string) => {
        const line = lines.find((each) => each.startsWith(`${name}:`)) ?? ''
        return line.slice(name.length + 1).trimStart()
      }
      const id = field('id')
      if (field('event') === 'calls') broadcast({ kind: 'calls', id, calls: JSON.parse(field('data')).calls })
      else if (field('event') === 'resync') broadcast({ kind: 'resync', id })
    }
  }
}
