/**
 * The faults of one rule at work on one call: in the order of their layers, and with an account of which of them had
 * an effect.
 */
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { actsOnStream, type FaultContext, type FaultFacts, needsStream } from './fault.ts'
import { type FaultSetting, faultOf } from './index.ts'
import type { StreamProtocol } from './protocol.ts'

/** Who is told how the faults of a call went. */
export interface FaultListener {
  /** None of them had an effect. */
  nothingHappened(): void
  /** Says in the journal what a caller should know. */
  warn(message: string): void
}

/** What faults do before an operation is asked. */
export interface BeforeAnswer {
  /** Milliseconds of sandbox time to wait first. */
  readonly waitMs: number
  /** Sent in place of the operation's answer: the request is not checked, and nothing is written. */
  readonly instead: Reply | undefined
  /** The operation is asked for a stream, or for none, whatever the request says. */
  readonly stream: boolean | undefined
}

interface Application {
  readonly setting: FaultSetting
  acted: boolean
  why: string | undefined
}

export class FaultRun {
  readonly #applications: readonly Application[]
  readonly #facts: FaultFacts
  readonly #listener: FaultListener

  /** @param settings In the order of their layers: see `inOrder`. */
  constructor(settings: readonly FaultSetting[], facts: FaultFacts, listener: FaultListener) {
    this.#applications = settings.map((setting) => ({ setting, acted: false, why: undefined }))
    this.#facts = facts
    this.#listener = listener
  }

  before(): BeforeAnswer {
    let waitMs = 0
    let instead: Reply | undefined
    let stream: boolean | undefined
    for (const application of this.#applications) {
      const fault = faultOf(application.setting.name)
      if (fault.layer !== 'request') continue
      const outcome = fault.apply(application.setting, this.#contextOf(application))
      if (typeof outcome === 'number') waitMs += outcome
      else if ('body' in outcome) instead = outcome
      else stream = outcome.stream
      application.acted = true
    }
    return { waitMs, instead, stream }
  }

  /** The reply as the faults want it. */
  distort(reply: Reply): Reply {
    let distorted = reply
    let isStream = isEventStream(reply)
    for (const application of this.#applications) {
      const fault = faultOf(application.setting.name)
      if (fault.layer === 'request') continue
      if (needsStream(fault) && !isStream) application.why = 'the answer is no event stream'
      else if (actsOnStream(fault)) {
        if (distorted.body.kind === 'frames') {
          const changed = fault.apply(
            application.setting,
            this.#contextOf(application),
            distorted.body.frames,
          )
          const frames = fault.layer === 'events' ? encoded(changed, this.#facts.protocol) : changed
          distorted = { ...distorted, body: { kind: 'frames', frames } }
        }
      } else if (distorted.body.kind === 'hang-up') application.why = 'there is no answer'
      else {
        distorted = fault.apply(application.setting, this.#contextOf(application), distorted)
        const { body } = distorted
        if (fault.layer === 'answer' && body.kind === 'frames')
          distorted = {
            ...distorted,
            body: { kind: 'frames', frames: encoded(body.frames, this.#facts.protocol) },
          }
      }
      if (fault.layer === 'answer') isStream = isEventStream(distorted)
    }
    const { body } = distorted
    if (this.#applications.every(({ acted }) => acted)) return distorted
    if (body.kind === 'frames') return { ...distorted, body: { ...body, frames: this.#watched(body.frames) } }
    this.#settle()
    return distorted
  }

  /** The frames as they are; when the last of them has come, it is known which faults found nothing to act on. */
  *#watched(frames: Iterable<Frame>): Generator<Frame> {
    for (const frame of frames) {
      // Nobody asks for the frame after this one.
      if (frame.kind === 'hang-up') this.#settle()
      yield frame
    }
    this.#settle()
  }

  #settle(): void {
    for (const { setting, acted, why } of this.#applications) {
      if (!acted)
        this.#listener.warn(`'${setting.name}' found nothing to act on: ${why ?? 'its place never came'}`)
    }
    if (this.#applications.every(({ acted }) => !acted)) this.#listener.nothingHappened()
  }

  #contextOf(application: Application): FaultContext {
    const before = this.#applications
      .slice(0, this.#applications.indexOf(application))
      .filter(({ setting }) => faultOf(setting.name).layer !== 'request')
    return Object.assign(Object.create(this.#facts) as FaultFacts, {
      acted: () => {
        application.acted = true
      },
      missed: (why: string) => {
        application.why = why
      },
      othersActed: () => before.every(({ acted }) => acted),
      isFirst: before.length === 0,
    }) as FaultContext
  }
}

/** Events that a fault made or changed are written as their protocol wants it. */
function encoded(frames: Iterable<Frame>, { encode }: StreamProtocol): Iterable<Frame> {
  return encode ? mapEvents(frames, encode) : frames
}

function* mapEvents(frames: Iterable<Frame>, encode: (event: StreamEvent) => string): Generator<Frame> {
  for (const frame of frames)
    yield frame.kind === 'event' && frame.wire === undefined ? { ...frame, wire: encode(frame.event) } : frame
}

function isEventStream({ headers }: Reply): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false
}
