/** Applies a rule's faults to a request, layer by layer, and records which of them took effect. */
import { announcesEvents, changeFrames, type Frame, type Reply } from '../http/reply.ts'
import type { StreamPlaces } from '../resources/protocol.ts'
import {
  type FaultContext,
  type FaultDefinition,
  type FaultInputs,
  type Layer,
  needsStream,
} from './fault.ts'
import { compareFaults, type FaultSetting, faultOf, layerOf } from './index.ts'
import { readEvents, withoutLength } from './raw-events.ts'

export interface RuleFaults {
  readonly faults: readonly FaultSetting[]
  readonly inputs: FaultInputs
  /** Called if none of the faults took effect. */
  noEffect(): void
}

interface Application {
  readonly rule: RuleFaults
  readonly setting: FaultSetting
  readonly fault: FaultDefinition
  acted: boolean
  why: string | undefined
}

export class FaultRun {
  readonly #applications: readonly Application[]
  readonly #rules: readonly RuleFaults[]
  readonly #warn: (message: string) => void
  /** Protocol of the stream's events if the operation has no protocol. */
  #protocol: StreamPlaces | undefined

  constructor(rules: readonly RuleFaults[], warn: (message: string) => void) {
    this.#applications = rules
      .flatMap((rule) => rule.faults.map((setting) => ({ rule, setting })))
      .map(
        (each): Application => ({ ...each, fault: faultOf(each.setting.name), acted: false, why: undefined }),
      )
      .sort((left, right) => compareFaults(left.setting, right.setting))
    this.#rules = rules
    this.#warn = warn
  }

  applyBeforeOperation() {
    let waitMs = 0
    /** Reply to send instead of running the operation. The request is not validated, and nothing is written. */
    let instead: Reply | undefined
    /** If true, forces a stream; if false, forces JSON. Default: the format requested. */
    let stream: boolean | undefined
    for (const application of this.#applications) {
      const { fault, setting } = application
      if (fault.layer === 'delay') waitMs += fault.apply(setting, this.#contextOf(application))
      else if (fault.layer === 'replacement') instead = fault.apply(setting, this.#contextOf(application))
      else if (fault.layer === 'form' && application.rule.inputs.canStream)
        stream = fault.requested === 'json'
      else continue
      application.acted = true
    }
    return { waitMs, instead, stream }
  }

  /** @param isFixed If true, the reply is scripted or recorded in one format. */
  applyToReply(reply: Reply, isFixed = false): Reply {
    const isStream = announcesEvents(reply.headers)
    let faulty = reply
    for (const application of this.#applications) {
      const { fault, setting } = application
      if (isFixed && fault.layer === 'form') application.acted = false
      if (needsStream(fault) && !isStream) application.why = 'the reply is not an event stream'
      else if (fault.layer === 'form' && !application.acted)
        application.why = isFixed ? "the reply's format is fixed" : 'the operation has no event stream'
      else if (faulty.body.kind === 'hang-up') application.why = 'there is no reply'
      else {
        if (isStream && actsOnEvents.has(layerOf(setting)))
          faulty = changeFrames(withoutLength(faulty), (frames) => this.#readEvents(frames))
        faulty = this.#apply(application, faulty)
      }
    }
    if (this.#applications.every(({ acted }) => acted)) return faulty
    if (faulty.body.kind !== 'frames') this.#settle()
    return changeFrames(faulty, (frames) => this.#watched(frames))
  }

  /** Parses raw bytes as events, and stores the first protocol that an event identifies. */
  *#readEvents(frames: Iterable<Frame>): Generator<Frame> {
    const { protocols = [] } = this.#rules[0]?.inputs ?? {}
    let isEmpty = true
    for (const frame of readEvents(frames)) {
      if (frame.kind === 'event') {
        this.#protocol ??= protocols.find(({ owns }) => owns(frame.event))
        isEmpty = false
      }
      yield frame
    }
    if (isEmpty) for (const each of this.#applications) each.why ??= 'the stream has no JSON events'
  }

  #apply(application: Application, reply: Reply): Reply {
    const { fault, setting } = application
    const context = this.#contextOf(application)
    if (fault.layer === 'delay' || fault.layer === 'replacement' || fault.layer === 'form') return reply
    if (fault.layer === 'events' || fault.layer === 'text') {
      const faulty = changeFrames(reply, (frames) => fault.apply(setting, context, frames))
      return encodeEvents(faulty, context)
    }
    return encodeEvents(fault.apply(setting, context, reply), context)
  }

  /** Passes frames through. After the last frame, reports faults that had no effect. */
  *#watched(frames: Iterable<Frame>): Generator<Frame> {
    for (const frame of frames) {
      // After a hang-up, the consumer reads no further frames.
      if (frame.kind === 'hang-up') this.#settle()
      yield frame
    }
    this.#settle()
  }

  #settle(): void {
    for (const { setting, acted, why } of this.#applications) {
      if (!acted)
        this.#warn(`'${setting.name}' found nothing to act on: ${why ?? 'its position was never reached'}`)
    }
    for (const rule of this.#rules)
      if (!this.#applications.some((each) => each.rule === rule && each.acted)) rule.noEffect()
  }

  #contextOf(application: Application): FaultContext {
    const earlier = this.#applications.slice(0, this.#applications.indexOf(application))
    const others = earlier.filter(({ fault }) => !/^(delay|replacement|form)$/.test(fault.layer))
    const run = this
    const { inputs } = application.rule
    return {
      ...inputs,
      get protocol() {
        return run.#protocol ?? inputs.protocol
      },
      acted: () => {
        application.acted = true
      },
      missed: (why) => {
        application.why = why
      },
      othersActed: () => others.every(({ acted }) => acted),
      isFirst: others.length === 0,
    }
  }
}

/** Layers whose faults act on events, not on bytes. */
const actsOnEvents: ReadonlySet<Layer> = new Set(['fields', 'answer', 'events', 'text'])

function encodeEvents(reply: Reply, context: FaultContext): Reply {
  return changeFrames(reply, function* (frames) {
    for (const frame of frames) {
      const { encode } = context.protocol
      const isEncoded = frame.kind !== 'event' || frame.wire !== undefined || !encode
      yield isEncoded ? frame : { ...frame, wire: encode(frame.event) }
    }
  })
}
