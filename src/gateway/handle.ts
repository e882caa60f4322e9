/**
 * The life of one request, from its arrival to its reply. Each step is a function with a file of its own, and throws
 * to refuse the request. A refusal is a reply like any other, and journalled.
 */
import { GatewayError } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { CallRecord } from '../journal/call-record.ts'
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
import { assertSandbox, type Caller, findCaller } from './find-sandbox.ts'
import type { GatewayCore } from './gateway.ts'
import { meetRule } from './meet-rule.ts'
import { meetTape } from './meet-tape.ts'
import { inOwnEnvelope } from './own-envelope.ts'
import { assertMediaType, readBody } from './read-body.ts'
import { refuse } from './refuse.ts'
import { routeCall } from './route-call.ts'
import { speakDialect } from './speak-dialect.ts'

/** Answers a call: the record has the reply, and the journal has the record. */
export async function handle(gateway: GatewayCore, call: Call): Promise<CallRecord<SandboxState>> {
  const caller = findCaller(gateway.sandboxes, call, gateway.takesKeyHeader)
  const record = new CallRecord((caller.sandbox ?? gateway.sandboxes.default).state, call, caller.route)
  let reply: Reply
  try {
    reply = await answer(gateway, call, caller, record)
  } catch (error) {
    if (record.id === '') record.received('')
    reply = inOwnEnvelope(refuse(record, error), gateway, record)
  }
  record.replied(reply)
  return record
}

async function answer(
  gateway: GatewayCore,
  call: Call,
  caller: Caller,
  record: CallRecord<SandboxState>,
): Promise<Reply> {
  const { options, router, sandboxes } = gateway
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
  if (!caller.sandbox) throw refusal

  if (refusal) record.refused()
  const loading = expressionsLoading()
  if (loading) await loading
  const models = refusal ? undefined : operation?.modelsOf?.(record.body)
  if (!models) return askOnce(gateway, call, record, operation, refusal)
  return askModels(models, record, () => askOnce(gateway, call, record, operation, refusal))
}

/** @param refusal What a step before has thrown; undefined where none has. */
async function askOnce(
  gateway: GatewayCore,
  call: Call,
  record: CallRecord<SandboxState>,
  operation: Operation | undefined,
  refusal: unknown,
): Promise<Reply> {
  const header = call.headers['x-understudy-scenario']
  const named = header === undefined ? [] : gateway.scenariosNamed(header)
  const met = meetRule(record, call, operation, named)
  const effect = met instanceof Promise ? await met : met
  if (effect && effect.waitMs > 0) await record.state.clock.wait(effect.waitMs, call.signal)
  let reply = effect?.instead
  if (!reply && gateway.recordings) reply = await meetTape(gateway, record, refusal, call.signal)
  if (!reply) {
    try {
      if (!operation || refusal) throw refusal ?? new GatewayError(404)
      const context = checkRequest(operation, record, { stream: effect?.stream, dialect: gateway.dialect })
      const answered = askOperation(operation, context)
      reply = checkContract(operation, answered instanceof Promise ? await answered : answered)
      if (gateway.dialect) reply = await speakDialect(gateway.dialect, reply, record)
    } catch (error) {
      // A connection that breaks does not ask whether the reply was a refusal.
      if (!effect?.faults) throw error
      reply = refuse(record, error)
    }
  }
  const own = reply.status < 400 ? reply : inOwnEnvelope(reply, gateway, record)
  const distorted = effect ? distort(own, effect, record.tokens) : own
  const { delayMs = 0 } = distorted.transport ?? {}
  if (delayMs > 0) await record.state.clock.wait(delayMs, call.signal)
  return distorted
}
