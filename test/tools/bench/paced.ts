/**
 * Opens many concurrent paced streams, each on its own connection, and inspects every event on arrival.
 */
import { connect } from 'node:net'
import { stayAwake } from './load.ts'
import { at } from './measure.ts'
import type { Usage } from './subject.ts'

export interface Plan {
  streams: number
  perSecond: number
  /** Number of deltas per stream. */
  tokens: number
  /** Time over which the clients arrive, in milliseconds. All streams last longer. */
  arrivalMs: number
  request: Buffer
}

export interface Held {
  /** Number of streams that ended early or had missing or misplaced events. */
  lost: number
  events: number
  /**
   * Milliseconds between a delta's arrival and the time it was due, relative to its stream's first delta.
   */
  error: { p50: number; p99: number; worst: number }
  /** Milliseconds between consecutive deltas. */
  gap: { p99: number }
  /** Milliseconds from a request to the first event of its reply. */
  firstEvent: { p50: number; p99: number }
  /** The server's usage while all streams were open. */
  usage: Usage
}

/** @param look Called when all streams are open. */
export async function holdStreams(port: number, plan: Plan, look: () => Promise<Usage>): Promise<Held> {
  const streams: Stream[] = []
  const rest = stayAwake()
  // Clients arrive one after another, to measure pacing instead of a burst of connections.
  const begin = performance.now()
  while (streams.length < plan.streams) {
    const early = begin + (plan.arrivalMs * streams.length) / plan.streams - performance.now()
    if (early > 0) await sleep(early)
    streams.push(new Stream(port, plan))
  }
  const usage = await look()
  await Promise.all(streams.map((stream) => stream.over))
  rest()
  const errors = Float64Array.from(streams.flatMap((stream) => stream.errors)).sort()
  const firsts = Float64Array.from(streams.map((stream) => stream.firstEventMs)).sort()
  const gaps = Float64Array.from(streams.flatMap((stream) => stream.gaps)).sort()
  return {
    lost: streams.filter((stream) => !stream.isComplete).length,
    events: streams.reduce((sum, stream) => sum + stream.events, 0),
    error: { p50: at(errors, 0.5), p99: at(errors, 0.99), worst: at(errors, 1) },
    gap: { p99: at(gaps, 0.99) },
    firstEvent: { p50: at(firsts, 0.5), p99: at(firsts, 0.99) },
    usage,
  }
}

class Stream {
  readonly errors: number[] = []
  readonly gaps: number[] = []
  readonly over: Promise<void>
  events = 0
  firstEventMs = Number.NaN
  readonly #askedAt = performance.now()
  #ordered = true
  #done = false
  #deltas = 0
  #first = 0
  #last = 0
  readonly #plan: Plan

  constructor(port: number, plan: Plan) {
    this.#plan = plan
    const socket = connect(port, '127.0.0.1')
    socket.write(plan.request)
    this.over = new Promise((resolve) => socket.once('close', () => resolve()))
    let rest = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      const arrived = performance.now()
      const events = (rest + text).split('\n\n')
      rest = events.pop() as string
      for (const event of events) this.#read(event, arrived)
      if (rest.endsWith('\r\n0\r\n\r\n')) socket.destroy()
    })
    // A broken stream is counted as lost when it closes.
    socket.on('error', () => {})
  }

  get isComplete(): boolean {
    return this.#done && this.#ordered && this.#deltas === this.#plan.tokens
  }

  #read(event: string, arrived: number): void {
    if (this.events === 0) this.firstEventMs = arrived - this.#askedAt
    if (event.endsWith('data: [DONE]')) {
      this.#done = true
      return
    }
    const sequence = /"sequence_number":(\d+)/.exec(event)?.[1]
    if (sequence !== String(this.events++)) this.#ordered = false
    if (!event.includes('"response.output_text.delta"')) return
    const place = this.#deltas++
    if (place === 0) this.#first = arrived
    else {
      this.errors.push(Math.abs(arrived - this.#first - (place * 1000) / this.#plan.perSecond))
      this.gaps.push(arrived - this.#last)
    }
    this.#last = arrived
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
