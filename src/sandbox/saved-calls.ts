/**
 * Adds the calls of a sandbox file to a journal: their entries read the same as where they were recorded.
 */
import { type AssumptionName, assumptions } from '../assumptions.ts'
import type { Reply } from '../http/reply.ts'
import { CallRecord } from '../journal/call-record.ts'
import { Ledger } from '../journal/ledger.ts'
import { Clock } from '../lib/clock.ts'
import { Occurrences } from './occurrences.ts'
import type { Sandbox } from './sandbox.ts'
import type { SavedCall } from './sandbox-file.ts'

export function keepSavedCalls(sandbox: Sandbox, calls: readonly SavedCall[]): void {
  // Nobody is told of them, and they move nothing on.
  const owner = {
    sandboxId: sandbox.id,
    seed: sandbox.seed,
    clock: new Clock(),
    occurrences: new Occurrences(),
    journal: sandbox.journal,
    isCurrent: true,
    ledger: new Ledger(),
    listeners: [],
    hold: () => () => {},
    enter() {},
    leave() {},
  }
  for (const call of calls) {
    const { method, path, operation, params, query, headers, rawBody, delivery } = call
    const pairs = Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value]),
    )
    const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
    const at = path.indexOf('/api/v1/')
    const route = at < 0 ? undefined : path.slice(at + '/api/v1'.length)
    const record = new CallRecord(owner, { method, path, search, headers }, route)
    if (operation !== null) record.routed(operation, params)
    record.received(rawBody.text)
    for (const warning of call.warnings) record.warn(warning)
    for (const name of call.assumptions) if (isAssumption(name)) record.assume(name)
    const reply: Reply = { status: call.status, headers: call.replyHeaders, body: { kind: 'none' } }
    record.replied(reply, call.reason ?? undefined)
    if (call.replyBody.text !== '') record.sent(call.replyBody.text)
    record.settled(delivery === 'pending' ? 'complete' : delivery)
    record.restored(call)
  }
}

/** Another version may have had others. */
function isAssumption(name: string): name is AssumptionName {
  return Object.hasOwn(assumptions, name)
}
