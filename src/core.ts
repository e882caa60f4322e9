/**
 * The gateway without MSW: as a `fetch`, with its sandboxes and its journal. What plain Jest can load, and a browser.
 *
 * @example
 * const gateway = createGateway()
 * const openai = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', fetch: gateway.fetch })
 */
import { toFetch } from './adapters/fetch.ts'
import { loadScenarioFile } from './cli/scenario-file.ts'
import { GatewayCore } from './gateway/gateway.ts'
import type { GatewayOptionsInput } from './sandbox/options-input.ts'

export class Gateway extends GatewayCore {
  constructor(options: GatewayOptionsInput = {}) {
    super(options, loadScenarioFile)
  }

  /**
   * The gateway as a `fetch`, for clients that take one; nothing is intercepted.
   *
   * @example new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', fetch: gateway.fetch })
   */
  readonly fetch: typeof fetch = toFetch(this)
}

/**
 * Makes a gateway, ready to answer. Throws one clear line for an option, a fixture or a scenario that is wrong.
 *
 * @param options Everything has a default; see `GatewayOptions`.
 */
export function createGateway(options: GatewayOptionsInput = {}): Gateway {
  return new Gateway(options)
}

export { type AssumptionName, assumptions } from './assumptions.ts'
export type { Condition } from './database/condition.ts'
export type { Database, Records } from './database/database.ts'
export type { FaultInput, FaultName } from './faults/fault-input.ts'
export { parseScenario } from './gateway/to-scenario.ts'
export { GatewayError } from './http/errors.ts'
export { eventStream, type Frame, json, ok, type Reply } from './http/reply.ts'
export type { Delivery } from './journal/call-record.ts'
export type { JournalEntry } from './journal/entry.ts'
export type { Har } from './journal/har.ts'
export type { CallMatch, Journal } from './journal/journal.ts'
export { journalText } from './journal/journal-text.ts'
export type { ResolverContext } from './operation.ts'
export type { OperationId } from './operations/index.ts'
export {
  type DeclaredOperation,
  defineOperation,
  type OwnDeclaration as Operation,
} from './operations/own-operation.ts'
export type { Bodies } from './operations/request-bodies.ts'
export type { CollectionName } from './resources/collections.ts'
export type { NearMiss } from './rules/near-misses.ts'
export type { OperationName, OwnOperationId } from './rules/operation-name.ts'
export type { ActiveScenario, UnusedRule } from './rules/rules.ts'
export { defineScenario } from './rules/scenario.ts'
export type { RuleInput, ScenarioInput, ScenarioInput as Scenario } from './rules/scenario-input.ts'
export type { BundledScenarioName } from './rules/scenario-names.ts'
export type { ScenarioPath } from './rules/scenario-path.ts'
export type { ScriptedReplyInput as ScriptedReply } from './rules/scripted-reply-input.ts'
export type { FailOptions, ReplyOptions, ScriptOptions } from './rules/shorthand.ts'
export type { GatewayOptionsInput as GatewayOptions } from './sandbox/options-input.ts'
export type { Sandbox } from './sandbox/sandbox.ts'
export type { SandboxClock } from './sandbox/sandbox-clock.ts'
export type { NewSandbox, SandboxSnapshot } from './sandbox/sandbox-host.ts'
export { parseTape, type Tape } from './tapes/tape.ts'
