/**
 * The life of one request, from its arrival to its reply. Each step is a function with a file of its own, and throws
 * to refuse the request. A refusal is a reply like any other, and journalled.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { CallRecord } from '../journal/call-record.ts'
import { type Soon, whenThere } from '../lib/when-there.ts'
import type { Operation } from '../operation.ts'
import { expressionsLoading } from '../rules/expression.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { askModels } from './ask-models.ts'
import { askOperation } from './ask-operation.ts'
import { authenticate } from './authenticate.ts'
import type { Call } from './call.ts'
import { checkContract } from './check-contract.ts'
import { checkRequest } from './check-request.ts'
import { distort } from './distort.ts'
import { assertSandbox, findCaller } from './find-sandbox.ts'
import type { GatewayCore } from './gateway.ts'
import { type CallEffect, meetRule } from './meet-rule.ts'
import { meetTape } from './meet-tape.ts'
import { inOwnEnvelope } from './own-envelope.ts'
import { assertMediaType, readBody } from './read-body.ts'
import { refuse } from './refuse.ts'
import { routeCall } from './route-call.ts'
import { speakDialect } from './speak-dialect.ts'

/** A call that was read, or refused before. */
interface ReadCall {
  readonly gateway: GatewayCore
  readonly call: Call
  readonly record: CallRecord<SandboxState>
  readonly operation: Operation | undefined
  /** What a step has thrown; undefined where none has. */
  readonly refusal: unknown
}

/** Answers a call: the record has the reply, and the journal has the record. */
export async function handle(gateway: GatewayCore, call: Call): Promise<CallRecord<SandboxState>> {
  const { options, router, sandboxes } = gateway
  const caller = findCaller(sandboxes, call, gateway.takesKeyHeader)
  const record = new CallRecord((caller.sandbox ?? sandboxes.default).state, call, caller.route)
  let operation: Operation | undefined
  let refusal: unknown
  try {
    operation = routeCall(router, record)
    authenticate(caller, options.apiKeys)
    assertSandbox(sandboxes, caller)
  } catch (error) {
    refusal = error
  }
  // Of a refused call too: the journal shows its body, and a rule for every call may look at it.
  try {
    const text = readBody(call, options.maxBodyBytes, operation)
    record.received(typeof text === 'string' ? text : await text)
    assertMediaType(record, operation)
  } catch (error) {
    refusal ??= error
  }
  let reply: Reply
  try {
    if (!caller.sandbox) throw refusal
    const loading = expressionsLoading()
    if (loading) await loading
    const answered = answer({ gateway, call, record, operation, refusal })
    reply = answered instanceof Promise ? await answered : answered
  } catch (error) {
    if (record.id === '') record.received('')
    reply = inOwnEnvelope(refuse(record, error), gateway, record)
  }
  record.replied(reply)
  return record
}

function answer(read: ReadCall): Soon<Reply> {
  const { record, operation, refusal } = read
  if (refusal) record.refused()
  const models = refusal ? undefined : operation?.modelsOf?.(record.body)
  return models ? askModels(models, record, () => askOnce(read)) : askOnce(read)
}

/** A promise only where there is something to wait for: a GET without one takes 9 % less. */
function askOnce(read: ReadCall): Soon<Reply> {
  const { gateway, call, record, operation } = read
  const header = call.headers['x-understudy-scenario']
  const named = header === undefined ? [] : gateway.scenariosNamed(header)
  const met = meetRule(record, call, operation, named)
  const reply = met || gateway.recordings ? askInstead(read, met) : ownReply(read)
  return whenThere(reply, (made) => {
    const { delayMs = 0 } = made.transport ?? {}
    const wait = delayMs > 0 ? record.state.clock.wait(delayMs, call.signal) : undefined
    return wait ? wait.then(() => made) : made
  })
}

/** Where a rule or a tape may answer in the place of the operation, or change what it answers. */
async function askInstead(read: ReadCall, met: Soon<CallEffect | undefined>): Promise<Reply> {
  const { gateway, call, record, refusal } = read
  const effect = await met
  if (effect && effect.waitMs > 0) await record.state.clock.wait(effect.waitMs, call.signal)
  let other = effect?.instead
  if (!other && gateway.recordings) other = await meetTape(gateway, record, refusal, call.signal)
  let reply: Reply
  try {
    reply = other ? inOwnEnvelope(other, gateway, record) : await ownReply(read, effect?.stream)
  } catch (error) {
    // A connection that breaks does not ask whether the reply was a refusal.
    if (!effect?.faults) throw error
    reply = inOwnEnvelope(refuse(record, error), gateway, record)
  }
  return effect ? distort(reply, effect, record.tokens) : reply
}

/**
 * What the operation answers, in the words of the gateway's dialect.
 *
 * @param stream Whether a fault asks for a stream, or for none, whatever the request says.
 */
function ownReply({ gateway, record, operation, refusal }: ReadCall, stream?: boolean): Soon<Reply> {
  if (!operation || refusal) throw refusal ?? new GatewayError(404)
  const { dialect } = gateway
  const context = checkRequest(operation, record, { stream, dialect })
  const checked = whenThere(askOperation(operation, context), (reply) => checkContract(operation, reply))
  const spoken = dialect ? whenThere(checked, (reply) => speakDialect(dialect, reply, record)) : checked
  return whenThere(spoken, (reply) => inOwnEnvelope(reply, gateway, record))
}
