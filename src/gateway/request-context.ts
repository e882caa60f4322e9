/**
 * What a resolver sees of a request, after it has been checked.
 */
import type { AssumptionName } from '../assumptions.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { CallUsage } from '../journal/ledger.ts'
import { hash } from '../lib/seed.ts'
import type { ResolverContext } from '../operation.ts'
import type { ScriptedReply } from '../rules/scripted-reply.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'

export class RequestContext implements ResolverContext {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly sandbox: SandboxState
  readonly now: number
  readonly assume: (name: AssumptionName) => void
  readonly warn: (message: string) => void
  readonly used: (usage: CallUsage) => void
  readonly #record: CallRecord<SandboxState>

  constructor(record: CallRecord<SandboxState>, checked: Pick<ResolverContext, 'params' | 'query' | 'body'>) {
    this.params = checked.params
    this.query = checked.query
    this.body = checked.body
    this.sandbox = record.state
    this.now = record.at
    this.assume = (name) => record.assume(name)
    this.warn = (message) => record.warn(message)
    this.used = (usage) => record.used(usage)
    this.#record = record
  }

  /** Made for the few operations that ask for it. */
  get requestKey(): string {
    const { state, contentKey, occurrence } = this.#record
    return hash(state.seed, contentKey, occurrence)
  }

  get script(): ScriptedReply | undefined {
    return this.#record.match?.effect.reply
  }
}
