/** Gates, which hold requests or stream events until a test lets them through. */
import * as z from 'zod'
import { GatewayError } from '../http/errors.ts'
import { readLimits, type WaitLimits, waitAtMost } from '../http/wait.ts'
import { nameCalls } from '../lib/call-names.ts'
import { count } from '../lib/numbers.ts'
import { field } from './field.ts'

export const HoldOptions = z.lazy(() =>
  z
    .strictObject({
      at: field(
        z.enum(['request', 'event']),
        '`request` holds a request before it is answered; `event` holds a stream before each event. Default: `request`.',
      ),
      after: field(
        count(),
        'With `event`, number of text or argument deltas (events, if the operation has no protocol) to let through first. Default: 0.',
      ),
      together: field(count(1), 'Releases all once this many requests or events are held. Default: none.'),
    })
    .refine(({ at, after }) => at === 'event' || after === undefined, {
      error: "Needs at: 'event', because it counts a stream's deltas",
      path: ['after'],
    }),
)
export type HoldOptions = z.input<typeof HoldOptions>

/** Holds requests or streams. A gate ends when its sandbox is disposed, reset or restored. */
export class Gate implements Disposable {
  /** Id of this activation, such as `hold~3`. */
  readonly id: string
  /** @internal */
  readonly options: HoldOptions
  /** Lets everything through, and ends the gate. */
  readonly release: () => void
  readonly #describeCalls: () => string
  readonly #held = new Set<() => void>()
  /** Requests that have arrived. An attempt with a fallback model counts as the same request. */
  readonly #requests = new WeakSet<object>()
  #change = Promise.withResolvers<void>()
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
   * Resolves once this many requests or events have arrived, including those let through. Rejects after the
   * timeout, and if the gate ends first. Default: 1.
   */
  async arrived(count = 1, limits: WaitLimits = {}): Promise<void> {
    const limit = readLimits(limits, ['timeout', 'signal'], `arrived(${count}, { timeout: 5000 })`)
    const soFar = () => `${this.#arrivals} of ${count} arrivals`
    const wait = async () => {
      while (this.#arrivals < count) {
        if (this.#isOpen) throw new GatewayError(410, `the gate ended after ${soFar()}`)
        await this.#change.promise
      }
    }
    await waitAtMost(wait(), limit, () => `waited ${limit.timeout} ms: ${soFar()}. ${this.#describeCalls()}`)
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
    for (const pass of this.#held) pass()
    this.#change.resolve()
  }

  /**
   * Returns undefined if the call is not held.
   *
   * @param call A call, whose `holds` is the number of gates that hold it.
   * @param gone Aborts when the client disconnects.
   * @param deltas Number of deltas before the event. Omitted for the request itself.
   * @internal
   */
  hold(call: { holds: number }, gone: AbortSignal, deltas = -1): Promise<void> | undefined {
    const { at, after = 0, together } = this.options
    const isDue = at === 'event' ? deltas >= after : !this.#requests.has(call)
    if (this.#isOpen || !isDue || gone.aborted) return undefined
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
    this.#change.resolve()
    this.#change = Promise.withResolvers()
    return promise
  }
}
