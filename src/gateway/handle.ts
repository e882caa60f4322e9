/**
 * Handles a request from arrival to reply: steps 3 to 11 of 12. Handling continues after a step rejects a request: the
 * body is still recorded, and a rule may reply instead.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { CallRecord } from '../journal/call-record.ts'
import { noTokens } from '../resources/answer.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { admit } from './admit.ts'
import type { Call, ReceivedCall } from './call.ts'
import { checkRequest } from './check.ts'
import { checkContract, errorReply, finish, inEnvelope } from './finish.ts'
import type { GatewayCore } from './gateway.ts'
import { type Caller, locate } from './locate.ts'
import { type Effect, matchRule, noEffect } from './match-rule.ts'
import { conversationReader, readBody } from './read.ts'
import { pathNotFound } from './router.ts'

export async function handle(
  gateway: GatewayCore,
  call: Call,
  deliver: (record: CallRecord) => Promise<void>,
): Promise<CallRecord> {
  const caller = locate(gateway, call)
  const record = new CallRecord(caller.sandbox.state, call, call.rejection ? undefined : caller.route)
  try {
    record.replied(await replyTo(gateway, call, caller, record))
    await deliver(record)
  } catch (error) {
    record.failed(error)
    throw error
  }
  return record
}

async function replyTo(
  gateway: GatewayCore,
  call: Call,
  caller: Caller,
  record: CallRecord<SandboxState>,
): Promise<Reply> {
  if (call.warning !== undefined) record.warn(call.warning)
  const admissionError = call.rejection ?? admit(gateway, caller, record)
  const operation = gateway.router.operation(record.operation)
  const otherBody = operation || admissionError ? operation?.input?.otherBody : anyBody
  const bodyError = await readBody(call, record, otherBody, gateway.options.limits.requestBodyBytes)
  const rejection = admissionError ?? bodyError
  if (rejection) record.note({ isRejected: true })
  const conversation = conversationReader(record, operation)
  const received: ReceivedCall = { gateway, call, record, operation, rejection, conversation }
  return caller.gone
    ? finish(received, errorReply(received, rejection), noEffect)
    : replyWithFallbacks(received)
}

const anyBody = { types: ['*/*'], isJsonToo: true }

/** Returns the first reply that is not an error. An invalid request is rejected before any model is tried. */
async function replyWithFallbacks(received: ReceivedCall): Promise<Reply> {
  const { gateway, record, operation, rejection } = received
  const protocol = rejection ? undefined : operation?.protocol
  const models = (protocol && (protocol.models ?? gateway.dialect?.models))?.(record.body)
  for (const [place, model] of models?.entries() ?? []) {
    record.tryModel(model)
    const { reply, isFinal } = await replyOnce(received)
    const next = models?.[place + 1]
    if (reply.status < 400 || next === undefined || record.schemaViolation || isFinal) return reply
    record.warn(`'${model}' returned ${reply.status}, so '${next}' was tried instead`)
  }
  return (await replyOnce(received)).reply
}

/** Returns the reply. If `isFinal`, every other model would also reject the request. */
async function replyOnce(received: ReceivedCall): Promise<{ reply: Reply; isFinal: boolean }> {
  const { call, record } = received
  const { clock } = record.state
  let effect = noEffect
  let reply: Reply
  let isFinal = false
  try {
    effect = await matchRule(received)
    if (effect.waitMs) await clock.wait(effect.waitMs, call.sink.disconnected)
    // A scripted or recorded reply is sent as written.
    const found = effect.scripted ?? (await effect.found?.reply(call.sink.disconnected))
    reply = finish(received, found ?? (await makeReply(received, effect)), effect, found !== undefined)
    if (found && record.generatesText && reply.status < 400)
      record.state.ledger.add({ model: record.model ?? '', ...noTokens, cost: null })
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) effect = effect.release?.() ?? effect
    reply = finish(received, errorReply(received, error), effect)
    isFinal = error instanceof GatewayError && error.isFinal
  }
  const { delayMs = 0 } = reply.transport ?? {}
  if (delayMs > 0) await clock.wait(delayMs, call.sink.disconnected)
  return { reply, isFinal }
}

async function makeReply(received: ReceivedCall, effect: Effect): Promise<Reply> {
  const { gateway, record, operation, rejection } = received
  if (effect.replaced) return inEnvelope(received, effect.replaced)
  if (!operation || rejection) throw rejection ?? pathNotFound(withoutReply(record, effect))

  const context = await checkRequest(operation, received, effect)
  const { assumes, writes } = operation
  if (gateway.outside.has(operation)) record.assume('extension')
  if (typeof assumes === 'string') record.assume(assumes)
  const resolve = () => operation.resolve(context)
  const resolved = await (writes ? record.state.database.write(resolve) : resolve())
  const reply = await checkContract(operation, resolved)
  return inEnvelope(received, (await gateway.dialect?.reply?.(reply, record)) ?? reply)
}

function withoutReply({ method, route }: CallRecord, effect: Effect): string {
  const rules = `no operation handles ${method} ${route}, and its rule`
  return effect.faults ? `${rules} has no reply: add reply: { body: {} }` : `${rules} did not apply`
}
