/** Gates: hold requests, or streams before their events, until a test lets them through. */
import * as z from 'zod'
import { GatewayError } from '../http/errors.ts'
import type { Frame, StreamEvent } from '../http/reply.ts'
import { readLimits, type WaitLimits, waitAtMost } from '../http/wait.ts'
import { nameCalls } from '../lib/call-names.ts'
import { count } from '../lib/numbers.ts'
import { field } from './field.ts'

export const holdFields = () => ({
  at: field(
    z.enum(['request', 'event']),
    '`request` holds a request before it is answered, `event` a stream before each event. Default: `request`.',
  ),
  after: field(
    count(),
    'With `event`, number of deltas of text or arguments that pass first; without a protocol, of events. Default: 0.',
  ),
  together: field(count(1), 'Number of held requests or events that go on together. Default: none do.'),
})

export const HoldOptions = z.lazy(() =>
  z.strictObject(holdFields()).refine(({ at, after }) => at === 'event' || after === undefined, {
    error: "Needs at: 'event', because it counts a stream's deltas",
    path: ['after'],
  }),
)
/** Options of `hold()`. */
export type HoldOptions = z.input<typeof HoldOptions>

/** A call's record. `holds` is the number of gates that hold the call. */
type HeldCall = { holds: number }

/** Holds requests or streams. Ends with its sandbox, and when the sandbox is reset or restored. */
export class Gate implements Disposable {
  /** Id of this activation, such as `hold~3`. */
  readonly id: string
  /** @internal */
  readonly options: HoldOptions
  /** Lets everything through, and ends the gate. */
  readonly release: () => void
  readonly #describeCalls: () => string
  readonly #held = new Set<() => void>()
  /** Requests that have arrived. An attempt with a fallback model is the same request. */
  readonly #requests = new WeakSet<HeldCall>()
  readonly #waits = new Set<() => void>()
  #arrivals = 0
  #passes = 0
  #isOpen = false

  static {
    nameCalls(Gate, ['arrived'], () => 'gate.')
  }

  /** @param release Deactivates the gate, which calls `open`. @internal */
  constructor(id: string, options: HoldOptions, release: () => void, describeCalls: () => string) {
    this.id = id
    this.options = options
    this.release = release
    this.#describeCalls = describeCalls
  }

  /**
   * Resolves once this many requests or events have arrived, including those that are through. Rejects after the
   * timeout, and if the gate ends first. Default: 1.
   */
  async arrived(count = 1, limits: WaitLimits = {}): Promise<void> {
    const limit = readLimits(limits, ['timeout', 'signal'], `arrived(${count}, { timeout: 5000 })`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const soFar = () => `${this.#arrivals} of ${count} arrivals`
    const check = () => {
      if (this.#arrivals >= count) resolve()
      else if (this.#isOpen) reject(new GatewayError(410, `the gate ended after ${soFar()}`))
    }
    this.#waits.add(check)
    check()
    const late = () => `waited ${limit.timeout} ms: ${soFar()}. ${this.#describeCalls()}`
    await waitAtMost(promise, limit, late).finally(() => this.#waits.delete(check))
  }

  /** Lets one request or event through: the first that is held or, if there is none, the next to arrive. */
  next(): void {
    const [pass = () => this.#passes++] = this.#held
    pass()
  }

  [Symbol.dispose](): void {
    this.release()
  }

  /** @internal */
  open(): void {
    this.#isOpen = true
    for (const callback of [...this.#held, ...this.#waits]) callback()
  }

  /** Returns undefined if the call is not held. @param gone Aborts when the client disconnects. @internal */
  hold(call: HeldCall, gone: AbortSignal): Promise<void> | undefined {
    const { at, together } = this.options
    const isCounted = at !== 'event' && this.#requests.has(call)
    if (this.#isOpen || isCounted || gone.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    const pass = () => {
      gone.removeEventListener('abort', pass)
      this.#held.delete(pass)
      call.holds--
      resolve()
    }
    gone.addEventListener('abort', pass)
    this.#held.add(pass)
    call.holds++
    this.#requests.add(call)
    this.#arrivals++
    if (this.#passes > 0) {
      this.#passes--
      pass()
    } else if (this.#held.size === together) for (const each of this.#held) each()
    for (const check of this.#waits) check()
    return promise
  }
}

/** Adds waits before each event. If there are no events, such as in a recording, every chunk of bytes counts as one. */
export function* holdEvents(
  frames: Iterable<Frame>,
  gates: readonly Gate[],
  isDelta: (event: StreamEvent) => boolean,
  ...call: Parameters<Gate['hold']>
): Generator<Frame> {
  let deltas = 0
  for (const frame of frames) {
    const isComment = frame.kind === 'bytes' && [':', 58].includes(frame.bytes[0] ?? '')
    if (frame.kind !== 'wait' && frame.kind !== 'hang-up' && !isComment) {
      const holding = gates.filter(({ options: { after = 0 } }) => deltas >= after)
      for (const until of holding.map((gate) => gate.hold(...call)))
        if (until) yield { kind: 'wait', ms: 0, until }
      if (frame.kind !== 'event' || isDelta(frame.event)) deltas++
    }
    yield frame
  }
}
