/**
 * Handles a request from arrival to reply: steps 3 to 11 of 12. Delivery is the last step.
 *
 * Handling continues after a step rejects a request: the body is still recorded, and a rule may reply instead.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { CallRecord } from '../journal/call-record.ts'
import type { AnyOperation } from '../operation.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { admit } from './admit.ts'
import type { Call } from './call.ts'
import { checkRequest } from './check.ts'
import { checkContract, finish, type Made, toErrorReply, translateReply } from './finish.ts'
import type { GatewayCore } from './gateway.ts'
import { locate } from './locate.ts'
import { type Effect, matchRule, noEffect } from './match-rule.ts'
import { conversationReader, type ReadConversation, readBody } from './read.ts'
import { pathNotFound } from './router.ts'

interface Request {
  readonly gateway: GatewayCore
  readonly call: Call
  readonly record: CallRecord<SandboxState>
  readonly operation: AnyOperation | undefined
  /** Error from the step that rejected the call, if any. */
  readonly rejection: unknown
  /** Reads the conversation from the body, once. Returns undefined for an operation without conversations. */
  readonly conversation: ReadConversation
}

export async function handle(gateway: GatewayCore, call: Call): Promise<CallRecord<SandboxState>> {
  const caller = locate(gateway, call)
  const record = new CallRecord(caller.sandbox.state, call, call.rejection ? undefined : caller.route)
  if (call.warning !== undefined) record.warn(call.warning)
  const admissionError = call.rejection ?? admit(gateway, caller, record)
  const operation = gateway.router.operation(record.operation)
  const bodyError = await readBody(call, record, operation, gateway.options.limits.requestBodyBytes)
  const rejection = admissionError ?? bodyError
  if (rejection) record.note({ isRejected: true })
  const conversation = conversationReader(record, operation)
  const reply = caller.gone
    ? finish(gateway, record, { reply: toErrorReply(record, rejection) }, noEffect)
    : await replyWithFallbacks({ gateway, call, record, operation, rejection, conversation })
  record.replied(reply)
  return record
}

/**
 * Tries the requested models in order. Returns the first reply that is not an error, or the last one. An invalid
 * request is rejected before a model is tried.
 */
async function replyWithFallbacks(request: Request): Promise<Reply> {
  const { record, operation, rejection } = request
  const protocol = rejection ? undefined : operation?.protocol
  const models = (protocol && (protocol.models ?? request.gateway.dialect?.models))?.(record.body)
  for (const [place, model] of models?.entries() ?? []) {
    record.tryModel(model)
    const { reply, isInvalidRequest } = await replyOnce(request)
    const next = models?.[place + 1]
    if (reply.status < 400 || next === undefined || record.schemaViolation || isInvalidRequest) return reply
    record.warn(`'${model}' returned ${reply.status}, so '${next}' was tried instead`)
  }
  return (await replyOnce(request)).reply
}

interface Attempt {
  readonly reply: Reply
  /** If true, every other model would reject the request, too. */
  readonly isInvalidRequest: boolean
}

async function replyOnce(request: Request): Promise<Attempt> {
  const { gateway, call, record, operation, rejection, conversation } = request
  const { clock } = record.state
  let effect = noEffect
  let finished: Reply
  let isInvalidRequest = false
  try {
    const ofModel = rejection ? [] : gateway.scenarioOfModel(record.model)
    const header = call.headers['x-understudy-scenario']
    const named = header === undefined ? ofModel : [...ofModel, ...gateway.scenariosNamed(header)]
    effect = await matchRule(record, call, operation, named, conversation)
    if (effect.waitMs) await clock.wait(effect.waitMs, call.sink.disconnected)
    finished = finish(gateway, record, await makeReply(request, effect), effect)
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) effect = effect.release?.() ?? effect
    finished = finish(gateway, record, { reply: toErrorReply(record, error) }, effect)
    isInvalidRequest = error instanceof GatewayError && error.isFinal
  }
  const { delayMs = 0 } = finished.transport ?? {}
  if (delayMs > 0) await clock.wait(delayMs, call.sink.disconnected)
  return { reply: finished, isInvalidRequest }
}

/** Explains why a path that only rules handle has no reply. */
function withoutReply({ method, route }: CallRecord, effect: Effect): string {
  const rules = `no operation handles ${method} ${route}, and its rule`
  return effect.faults ? `${rules} has no reply: add reply: { body: {} }` : `${rules} did not apply`
}

/** Returns the rule's, the fault's, an extra's or the operation's reply. Throws to reject the request. */
async function makeReply(request: Request, effect: Effect): Promise<Made> {
  const { gateway, call, record, operation, rejection, conversation } = request
  const { scripted, replaced, script, stream } = effect
  if (scripted) return { reply: scripted, isAsWritten: true }
  if (replaced) return { reply: replaced }
  const { answer, dialect } = gateway
  const answered = !script && answer && (await answer(record, rejection, call.sink.disconnected))
  if (answered) return { reply: answered, isAsWritten: true }
  if (!operation || rejection) throw rejection ?? pathNotFound(withoutReply(record, effect))

  const context = await checkRequest(operation, record, { script, stream, dialect, conversation })
  const { assumes, writes } = operation
  if (gateway.outside.has(operation)) record.assume('extension')
  if (typeof assumes === 'string') record.assume(assumes)
  const resolve = () => operation.resolve(context)
  const resolved = await (writes ? record.state.database.write(resolve) : resolve())
  const reply = await checkContract(operation, resolved)
  return { reply: dialect ? await translateReply(dialect, reply, record) : reply }
}
