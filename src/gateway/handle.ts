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
import { applyErrorEnvelope, checkContract, finish, toErrorReply, translateReply } from './finish.ts'
import type { GatewayCore } from './gateway.ts'
import { locate } from './locate.ts'
import { type Effect, matchRule } from './match-rule.ts'
import { conversationReader, type ReadConversation, readBody } from './read.ts'

/** A call whose body was read. */
interface Request {
  readonly gateway: GatewayCore
  readonly call: Call
  readonly record: CallRecord<SandboxState>
  readonly operation: AnyOperation | undefined
  /** Error from the step that rejected the call, if any. */
  readonly refusal: unknown
  /** Reads the conversation from the body, once. Returns undefined for an operation without conversations. */
  readonly conversation: ReadConversation
}

/** Handles a request. The returned record includes the reply. */
export async function handle(gateway: GatewayCore, call: Call): Promise<CallRecord<SandboxState>> {
  const caller = locate(gateway.sandboxes, call, gateway.takesKeyHeader)
  const record = new CallRecord(caller.sandbox.state, call, call.refusal ? undefined : caller.route)
  if (call.warning !== undefined) record.warn(call.warning)
  const admissionError = call.refusal ?? admit(gateway, caller, record)
  const operation = gateway.router.operation(record.operation)
  const bodyError = await readBody(call, record, operation, gateway.options.limits.requestBodyBytes)
  const refusal = admissionError ?? bodyError
  if (refusal) record.refused()
  const conversation = conversationReader(record, operation)
  const reply = caller.gone
    ? toErrorReply(gateway, record, refusal)
    : await tryModels({ gateway, call, record, operation, refusal, conversation })
  record.replied(reply)
  return record
}

/** Tries the requested models in order. Returns the first reply that is not an error, or the last one. */
async function tryModels(request: Request): Promise<Reply> {
  const { record, operation, refusal } = request
  const protocol = refusal ? undefined : operation?.protocol
  const models = (protocol && (protocol.models ?? request.gateway.dialect?.models))?.(record.body)
  for (const [place, model] of models?.entries() ?? []) {
    record.tryModel(model)
    const reply = await answer(request)
    const next = models?.[place + 1]
    if (reply.status < 400 || next === undefined || record.schemaViolation) return reply
    record.warn(`'${model}' returned ${reply.status}, so '${next}' was tried instead`)
  }
  return answer(request)
}

/** Matches a rule and returns the reply. */
async function answer(request: Request): Promise<Reply> {
  const { gateway, call, record, operation, conversation } = request
  const { clock } = record.state
  let effect: Effect = {}
  let reply: Reply
  try {
    const header = call.headers['x-understudy-scenario']
    const named = header === undefined ? [] : gateway.scenariosNamed(header)
    effect = await matchRule(record, call, operation, named, conversation)
    if (effect.waitMs) await clock.wait(effect.waitMs, call.sink.disconnected)
    reply = effect.scripted ?? (await produce(request, effect))
  } catch (error) {
    reply = toErrorReply(gateway, record, error)
    if (!effect.faults) return reply
  }
  const finished = finish(reply, effect, record)
  const { delayMs = 0 } = finished.transport ?? {}
  if (delayMs > 0) await clock.wait(delayMs, call.sink.disconnected)
  return finished
}

/** Returns a fault's, a recording's or the operation's reply. Throws to reject the request. */
async function produce(request: Request, { replaced, script, stream }: Effect): Promise<Reply> {
  const { gateway, call, record, operation, refusal, conversation } = request
  if (replaced) return applyErrorEnvelope(gateway, record, replaced)
  const answered = script ? undefined : await gateway.answer?.(record, refusal, call.sink.disconnected)
  if (answered) return answered
  // A rule may name a path that has no operation, and not match.
  if (!operation || refusal) throw refusal ?? new GatewayError(404)

  const { dialect } = gateway
  const context = await checkRequest(operation, record, { script, stream, dialect, conversation })
  const { assumes, writes } = operation
  if (gateway.extensions.has(operation)) record.assume('extension')
  if (typeof assumes === 'string') record.assume(assumes)
  const resolved = await (writes
    ? record.state.write((sandbox) => operation.resolve(Object.assign(context, { sandbox })))
    : operation.resolve(context))
  const reply = await checkContract(operation, resolved)
  return applyErrorEnvelope(gateway, record, dialect ? await translateReply(dialect, reply, record) : reply)
}
