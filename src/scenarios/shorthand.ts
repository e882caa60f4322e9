/** Creates the scenarios that `reply()`, `fail()` and `script()` activate. */
import { type Fault, faultNames } from '../faults/index.ts'
import { GatewayError, invalidRequest } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import { isPlain } from '../lib/copy.ts'
import { isObject } from '../lib/json.ts'
import { check, shown } from '../lib/schema-messages.ts'
import { HoldOptions } from './gate.ts'
import { textOperations } from './names.ts'
import type { ParsedScenario, Rule, Scenario } from './scenario.ts'
import type { ScriptedReply } from './scripted-reply.ts'

type Frequency = Pick<Rule, 'when' | 'times' | 'after' | 'probability'>

/** Options of `reply()`: requests to match, and additional reply fields. */
export interface ReplyOptions extends Frequency, Pick<ScriptedReply, 'status' | 'headers' | 'citations'> {
  /** Operations to match. Default: `text`, which matches all operations that generate text. */
  on?: Rule['on']
}

export function replyScenario(reply: string | ScriptedReply, options: ReplyOptions = {}): Scenario {
  if (typeof reply === 'function')
    throw new TypeError(
      "reply(): a function works only in the gateway's process; pass text or a reply object",
    )
  if (typeof reply !== 'string' && (!isObject(reply) || !isPlain(reply)))
    throw new TypeError(
      `reply(): the first argument must be text, a reply or a function, as in reply('Hello', { times: 2 }), got ${shown(reply)}`,
    )
  assertOptions('reply', reply, options)
  const { on = textOperations, status, headers, citations, ...frequency } = options
  const full = { status, headers, citations, ...(typeof reply === 'string' ? { text: reply } : reply) }
  return { name: 'reply', rules: [{ on, ...frequency, reply: full }] }
}

type StatusFault = Extract<Fault, { name: 'status' }>

/** Options for `fail()`: requests to match and error reply fields. */
export interface FailOptions extends Frequency, Omit<StatusFault, 'name' | 'status'> {
  /** Operation id, `*`, or `POST /path` for a path without an operation. Default: `*`, or `text` with `when.turn`. */
  on?: Rule['on']
}

export function failScenario(status: number, options: FailOptions = {}): Scenario {
  if (typeof status !== 'number') {
    const number = [status, options].find((each) => /^\d{3}$/.test(String(each))) ?? 503
    const on = typeof options === 'number' ? `, { on: ${shown(status)} }` : ''
    const fix = faultNames.includes(status) ? `use('${status}')` : `fail(${number}${on})`
    throw new TypeError(`fail(): status must be a number, got ${shown(status)}; write ${fix}`)
  }
  assertOptions('fail', status, options)
  const anyOperation = options.when?.turn === undefined ? '*' : textOperations
  const { on = anyOperation, message, metadata, gateway_metadata, user_id, headers, ...frequency } = options
  const envelope = { message, metadata, gateway_metadata, user_id, headers }
  return { name: 'fail', rules: [{ on, ...frequency, fault: { name: 'status', status, ...envelope } }] }
}

/** Options of `script()`: requests to match, and behaviour after the last turn. */
export interface ScriptOptions extends Pick<Rule, 'onEnd' | 'when'> {
  /** Operations to match. Default: `text`, which matches all operations that generate text. */
  on?: Rule['on']
}

export function scriptScenario(turns: NonNullable<Rule['script']>, options: ScriptOptions = {}): Scenario {
  assertOptions('script', turns, options)
  const { on = textOperations, ...others } = options
  return { name: 'script', rules: [{ on, ...others, script: turns }] }
}

/** The requests to hold, as a rule without an effect. */
export type HeldRequests = Frequency & Pick<Rule, 'on'>

/** A rule without an effect applies alongside others. @param checkRule Checks a rule, which must have an effect. */
export function gateScenario(
  on: Rule['on'] | HeldRequests,
  options: HoldOptions,
  checkRule: (scenario: Scenario) => ParsedScenario,
): ParsedScenario {
  const rule = isObject(on) && 'on' in on ? (on as HeldRequests) : { on: on as Rule['on'] }
  const other = Object.keys(rule).find((name) => !/^(on|when|times|after|probability)$/.test(name))
  const fix = 'activate it with use() next to the gate'
  if (other !== undefined) throw new GatewayError(400, `a gate's rule has no '${other}': ${fix}`)
  const { name, rules } = checkRule({ name: 'hold', rules: [{ ...rule, fault: 'latency' }] })
  const { success, error } = check(HoldOptions, options)
  if (!success) throw invalidRequest(toViolations(error, 'options'))
  const stream = options.at === 'event' ? { stream: true } : {}
  return { name, rules: rules.map(({ fault, ...each }) => ({ ...each, when: { ...stream, ...each.when } })) }
}

/** Catches options after a name, as in `use('stream-cut', { times: 1 })`, because each argument is a scenario. */
export function assertScenarios([name, options]: readonly unknown[]): void {
  if (name === undefined) throw new TypeError('use() expects at least one scenario or rule')
  if (isObject(name) && 'resolver' in name)
    throw new TypeError('use() expects rules: pass handlers of MSW to setupServer() or setupWorker()')
  const isRule = !isObject(options) || 'on' in options || 'rules' in options
  if (typeof name !== 'string' || isRule) return
  const [field] = Object.keys(options)
  const isOfRule = 'times' in options || 'when' in options
  const rule = isOfRule ? `fault: '${name}', ${field}: …` : `fault: { name: '${name}', ${field}: … }`
  const example = `use({ on: 'text', ${rule} })`
  throw new TypeError(
    `use(): each argument must be a scenario or a rule; write options into a rule: ${example}`,
  )
}

/** Catches mistakes in plain JavaScript, such as `fail(503, 2)` for `fail(503, { times: 2 })`. */
function assertOptions(verb: string, first: unknown, options: unknown): void {
  if (typeof options === 'object' && options !== null) return
  const call = (second: unknown) => `${verb}(${JSON.stringify(first)}, ${second})`
  const example = call(`{ times: ${typeof options === 'number' ? options : 2} }`)
  throw new TypeError(`${call(options)}: the second argument must be an object, as in ${example}`)
}
