/** A mock Model Gateway as a `fetch` function, with sandboxes and a journal. Runs in any JavaScript runtime. */
import { toFetch } from './delivery/fetch.ts'
import { GatewayCore } from './gateway/gateway.ts'
import { type PromptOptions, promptsText as toPromptsText } from './gateway/prompts.ts'
import type { JournalEntry } from './journal/entry.ts'
import {
  assertInspectable,
  type Expectations,
  type Inspectable,
  toExpectations,
  toMatchers,
} from './journal/matchers.ts'
import { inCall } from './lib/call-names.ts'
import type { Sandbox as SandboxOf } from './sandbox/sandbox.ts'
import { readScenario } from './scenarios/read-scenario.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { everyOperation, type GatewayOptions, gatewaySetup, type RequestBodies } from './setup.ts'

export class Gateway extends GatewayCore<RequestBodies> {
  constructor(options: GatewayOptions = {}) {
    super(options, gatewaySetup)
  }

  /** Sends requests to the gateway, for clients that accept a `fetch` function. Does not intercept anything. */
  readonly fetch: typeof fetch = toFetch(this)
}

/** Creates a gateway. Throws if an option, fixture or scenario is invalid. All options have defaults. */
export function createGateway(options: GatewayOptions = {}): Gateway {
  return inCall('createGateway', () => new Gateway(options))
}

/**
 * Validates a scenario or a single rule that TypeScript cannot check, such as an imported JSON file. Throws a
 * `ScenarioError` that lists every problem.
 *
 * @example gateway.use(parseScenario(JSON.parse(text)))
 */
export function parseScenario(json: unknown): Scenario {
  return inCall('parseScenario', () => {
    if (typeof json === 'string')
      throw new TypeError('expects parsed JSON, not text: write parseScenario(JSON.parse(text))')
    const formats = gatewaySetup.extras.flatMap((extra) => extra.readScenario ?? [])
    return readScenario(json, { operations: everyOperation, formats }) as Scenario
  })
}

/**
 * Asserts on a sandbox's journal in any test runner: returns the matchers of `gateway-understudy/vitest` as functions
 * that throw an error. They return promises for a remote sandbox.
 *
 * @example expectSandbox(sandbox).not.toHaveReceived('listProviders')
 */
export function expectSandbox<Received extends Inspectable>(
  received: Received,
): Expectations<Received extends Sandbox ? void : Promise<void>, RequestBodies> {
  assertInspectable(received)
  return toExpectations(toMatchers(everyOperation), received)
}

/**
 * Returns the prompts in a journal as text, for snapshots in any test runner: instructions, tools, and the texts of
 * system and user messages.
 *
 * @example assert.equal(promptsText(sandbox.journal.entries(), { mask: [/\d{4}-\d\d-\d\d/] }), …)
 */
export function promptsText(entries: readonly JournalEntry[], options: PromptOptions = {}): string {
  return toPromptsText(entries, everyOperation, options)
}

/** A sandbox, typed by default with the request bodies of all built-in operations. */
export type Sandbox<Known extends object = RequestBodies> = SandboxOf<Known>

export { type AssumptionName, assumptions } from './assumptions.ts'
export type { Condition, Query } from './database/condition.ts'
export type { Database, Records } from './database/database.ts'
export { parseRecording, type Recording } from './extras/recordings/index.ts'
export type { Fault, FaultName } from './faults/index.ts'
export { GatewayError } from './http/errors.ts'
export { eventStream, type Frame, json, ok, type Reply } from './http/reply.ts'
export type { Delivery, JournalEntry } from './journal/entry.ts'
export type { Har } from './journal/har.ts'
export type { CallMatch, Journal, WaitOptions } from './journal/journal.ts'
export { journalText } from './journal/journal-text.ts'
export { FileError } from './lib/data-file.ts'
export { defineOperation, type Operation, type RequestContext } from './operation.ts'
export type { CollectionName } from './resources/collections.ts'
export type {
  SandboxClock,
  SandboxOptions,
  SandboxSnapshot,
} from './sandbox/sandbox-options.ts'
export type { UnusedRule } from './scenarios/activation.ts'
export type { BundledScenarioName, ScenarioName } from './scenarios/bundled.ts'
export { defineScenario } from './scenarios/check-scenario.ts'
export type { When } from './scenarios/condition.ts'
export type { Gate, HoldOptions } from './scenarios/gate.ts'
export type { CustomOperationId, OperationName, ScenarioPath } from './scenarios/names.ts'
export type { NearMiss } from './scenarios/near-misses.ts'
export type { ActiveScenario } from './scenarios/rules.ts'
export type { Rule, Scenario } from './scenarios/scenario.ts'
export { ScenarioError } from './scenarios/scenario-error.ts'
export type { Turn } from './scenarios/script.ts'
export type { ScriptedReply } from './scenarios/scripted-reply.ts'
export type { FailOptions, ReplyOptions, ScriptOptions } from './scenarios/shorthand.ts'
export type { GatewayOptions, OperationId, RequestBodies } from './setup.ts'
