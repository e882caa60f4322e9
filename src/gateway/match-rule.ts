/** Step 7: matches rules, and determines the delay and the replacement reply before the operation runs. */
import type { FaultInputs } from '../faults/fault.ts'
import { FaultRun } from '../faults/fault-run.ts'
import { encodeEvent } from '../http/encode.ts'
import { GatewayError } from '../http/errors.ts'
import { lowerCase } from '../http/header-record.ts'
import { eventStream, type Frame, json, type Reply, type StreamEvent } from '../http/reply.ts'
import { fromLatin1 } from '../lib/bytes.ts'
import { shown } from '../lib/schema-messages.ts'
import { random } from '../lib/seed.ts'
import { responsesPlaces } from '../operations/responses/stream.ts'
import type { StreamPlaces } from '../resources/protocol.ts'
import { checkShape } from '../scenarios/check-scenario.ts'
import type { Match } from '../scenarios/compose.ts'
import type { Gate } from '../scenarios/gate.ts'
import type { ChargeRateLimits } from '../scenarios/rate-limit.ts'
import type { ParsedScriptedReply, ReplyContext, ScriptedFrame } from '../scenarios/scripted-reply.ts'
import { type FillTemplates, templateFiller } from '../scenarios/template.ts'
import type { ReceivedCall } from './call.ts'
import type { FoundAnswer } from './extra.ts'

export interface Effect {
  readonly waitMs?: number
  readonly script?: ParsedScriptedReply | undefined
  readonly found?: FoundAnswer | undefined
  readonly scripted?: Reply | undefined
  readonly replaced?: Reply | undefined
  /** If set, overrides the request's choice between a stream and a single reply. */
  readonly stream?: boolean | undefined
  readonly faults?: FaultRun
  /** Undoes the use of a rule whose reply the operation would complete. Returns the other rules' effect. */
  readonly release?: (() => Effect) | undefined
  readonly gates?: readonly Gate[]
  /** Charges the reply's tokens to the call's rate limits, and returns rate limit headers. */
  readonly charge?: ChargeRateLimits | undefined
}

export const noEffect: Effect = Object.freeze({})

/** Scenarios named by the request take precedence over the sandbox's own. */
export async function matchRule(received: ReceivedCall): Promise<Effect> {
  const { gateway, call, record, operation, rejection, conversation } = received
  const ofModel = rejection ? [] : gateway.scenarioOfModel(record.model)
  const header = call.headers['x-understudy-scenario']
  const named = header === undefined ? ofModel : [...ofModel, ...gateway.scenariosNamed(header)]
  const fillTemplates = templateFiller(record, conversation)
  let found: FoundAnswer | undefined
  const outcome = record.state.rules.match(record, named, conversation, fillTemplates, () => {
    found = gateway.extras.find(({ answer }) => answer)?.answer?.(record, rejection)
    return found?.recorded
  })
  record.matched(outcome)
  const { charge } = outcome
  if (outcome.matches.length === 0) return charge || found ? { charge, found } : noEffect

  const gates = outcome.matches.flatMap(({ activation: { gate } }) => gate ?? [])
  if (gates.length > 0) await Promise.all(gates.map((gate) => gate.hold(record, call.sink.disconnected)))
  const [first, ...others] = outcome.matches as [Match, ...Match[]]
  const rendered = await renderScriptedReply(first, received, fillTemplates)
  const matches = [rendered, ...others]
  if (rendered !== first) record.matched({ ...outcome, matches })
  const { reply } = rendered.effect
  const applyFaults = (acting: readonly Match[]) => {
    const faulty = acting.filter(({ effect }) => effect.faults.length > 0)
    const rules = faulty.map((match) => ({
      faults: match.effect.faults,
      inputs: faultInputs(match, received),
      noEffect: () => match.effect.reply ?? match.noEffect(),
    }))
    const faults = new FaultRun(rules, (message) => record.warn(message))
    return { faults, ...faults.applyBeforeOperation() }
  }
  const { waitMs, instead, stream, faults } = applyFaults(matches)
  const release =
    reply &&
    (() => {
      record.matched({ matches: others, skipped: [first.release(), ...outcome.skipped] })
      return { faults: applyFaults(others).faults, gates, charge }
    })
  const scripted = instead || !reply ? undefined : scriptedReply(reply, operation?.protocol?.places.encode)
  return { waitMs, found, replaced: instead, script: reply, scripted, stream, faults, release, gates, charge }
}

/** All faults in a rule draw from one sequence of random numbers. */
function faultInputs(match: Match, { gateway, record, call, operation }: ReceivedCall): FaultInputs {
  const { seed } = record.state
  let next: (() => number) | undefined
  return {
    random() {
      next ??= random(seed, 'fault', match.scenario, match.rule, record.contentKey, record.occurrence)
      return next()
    },
    now: record.at,
    rateLimit: match.rateLimit,
    hasConnection: call.sink.hasConnection,
    canStream: Boolean(operation?.protocol ?? operation?.streams),
    protocol: operation?.protocol?.places ?? responsesPlaces,
    protocols: operation?.protocol ? [] : gateway.operations.flatMap((each) => each.protocol?.places ?? []),
  }
}

async function renderScriptedReply(
  match: Match,
  received: ReceivedCall,
  fillTemplates: FillTemplates,
): Promise<Match> {
  const { effect, activation } = match
  const { replyFunction } = activation
  // A turn's templates are filled in when it is taken, because its text identifies the conversation.
  if (!effect.reply || match.turn) return match
  const filled = replyFunction
    ? await callReplyFunction(replyFunction, effect.reply, received)
    : fillTemplates(effect.reply, match.call)
  if (filled === effect.reply) return match
  const headers = filled.headers && oneLine(filled.headers)
  return { ...match, effect: { ...effect, reply: { ...filled, ...(headers && { headers }) } } }
}

async function callReplyFunction(
  replyFunction: NonNullable<Match['activation']['replyFunction']>,
  defaults: ParsedScriptedReply,
  received: ReceivedCall,
): Promise<ParsedScriptedReply> {
  const { params, query, headers, body, method, path } = received.record
  const conversation = received.conversation() ?? { items: [], tools: [] }
  const request: ReplyContext['request'] = { method, path, params, query, headers, body }
  let returned: unknown
  try {
    returned = await replyFunction({ request, conversation })
  } catch (error) {
    const { name = 'Error', message = String(error) } = Object(error)
    const text = `The function passed to reply() threw ${name}: ${message}`
    throw Object.assign(new GatewayError(500, text), { cause: error })
  }
  if (typeof returned === 'string') return { ...defaults, text: returned }
  let problem = `it must return text or a reply object, got ${shown(returned)}`
  if (Object.prototype.toString.call(returned) === '[object Object]')
    try {
      const { rules } = checkShape({ name: 'reply', rules: [{ on: '*', reply: returned }] })
      return rules[0]?.reply as ParsedScriptedReply
    } catch (error) {
      problem = (error as Error).message
    }
  throw new GatewayError(500, `The function passed to reply() returned an invalid reply: ${problem}`)
}

/** Replaces characters that headers cannot contain: control characters, and any outside Latin-1. */
function oneLine(headers: Record<string, string>): Record<string, string> {
  const replaced = (value: string) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, replaced(value)]))
}

/** Returns undefined for a reply without a body or frames, because the operation composes it. */
function scriptedReply(
  { status = 200, headers = {}, body, frames }: ParsedScriptedReply,
  encode: StreamPlaces['encode'] = encodeEvent,
): Reply | undefined {
  const named = lowerCase(headers)
  if (frames) {
    const stream = eventStream(frames.map((frame) => toFrame(frame, encode)))
    return { ...stream, status, headers: { ...stream.headers, ...named } }
  }
  if (body === undefined) return undefined
  // A string body is sent as a JSON string, unless the content type is not JSON.
  if (typeof body === 'string' && !(named['content-type'] ?? 'json').includes('json')) {
    return { status, headers: named, body: { kind: 'frames', frames: [{ kind: 'bytes', bytes: body }] } }
  }
  return json(status, body, named)
}

function toFrame(frame: ScriptedFrame, encode: (event: StreamEvent) => string): Frame {
  if ('base64' in frame) return { kind: 'bytes', bytes: fromLatin1(atob(frame.base64)) }
  if ('event' in frame) return { kind: 'event', event: frame.event, wire: encode(frame.event) }
  if ('data' in frame) return { kind: 'bytes', bytes: `data: ${frame.data}\n\n` }
  if ('bytes' in frame) return { kind: 'bytes', bytes: frame.bytes }
  if ('wait' in frame) return { kind: 'wait', ms: frame.wait }
  if ('hangUp' in frame) return { kind: 'hang-up', how: frame.hangUp }
  return { kind: 'done' }
}
