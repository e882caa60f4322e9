/** Reports changed calls to open console pages. Listens only while a page is open. */
import type { CallListener, CallRecord } from '../../journal/call-record.ts'
import { wallClock } from '../../lib/clock.ts'

const { setTimeout, clearTimeout } = globalThis

/** Maximum number of changed calls to remember. A page that has missed more changes reloads all calls. */
const maxCalls = 5000
/** Time for which changes are recorded after the last page has disconnected, in real milliseconds. */
const lingerMs = 30_000
/** Maximum time to wait for a change, in real milliseconds. Kept short, so that a server can stop quickly. */
const maxWaitMs = 2000
/** Time between a change and its report, in real milliseconds: several changes are reported together. */
const batchMs = 100

export class Changes implements CallListener {
  readonly #listeners: Set<CallListener>
  /** Identifies this run of the server, so that positions from other runs are ignored. */
  readonly #run = wallClock().getTime().toString(36)
  /** Changed calls in the order of their replies, as in the journal, each with the number of its latest change. */
  readonly #numbers = new Map<CallRecord, number>()
  #number = 0
  /** Number of the newest change that is not remembered. */
  #forgotten = 0
  #change = Promise.withResolvers<void>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(listeners: Set<CallListener>) {
    this.#listeners = listeners
  }

  replied(record: CallRecord): void {
    this.#numbers.set(record, ++this.#number)
    const [oldest] = this.#numbers
    if (oldest && this.#numbers.size > maxCalls) {
      this.#numbers.delete(oldest[0])
      this.#forgotten = Math.max(this.#forgotten, oldest[1])
    }
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  settled(record: CallRecord): void {
    this.replied(record)
  }

  /** Waits for changes after a position. `records` is undefined if some changes were missed. */
  async after(after: string | undefined): Promise<{ position: string; records: CallRecord[] | undefined }> {
    const isListening = this.#listeners.has(this)
    this.#listen()
    const [run, text] = after?.split('.') ?? []
    const number = Number(text)
    if (run === this.#run && number === this.#number && isListening) {
      await Promise.race([this.#change.promise, wait(maxWaitMs)])
      if (this.#number > number) await wait(batchMs)
    }
    const isKnown = run === this.#run && isListening && number >= this.#forgotten
    const records = isKnown ? [...this.#numbers].filter(([, each]) => each > number) : undefined
    return { position: `${this.#run}.${this.#number}`, records: records?.map(([record]) => record) }
  }

  #listen(): void {
    this.#listeners.add(this)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#listeners.delete(this)
      this.#numbers.clear()
      this.#forgotten = ++this.#number
    }, lingerMs).unref()
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
