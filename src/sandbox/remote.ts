/**
 * A sandbox as it is seen from afar: the same names and arguments, each a promise. Derived from the sandbox itself, so
 * that the two cannot drift apart; it can be, because no method of a sandbox takes a function.
 */
import type { RemoteDatabase } from '../database/database.ts'
import type { DryRun } from '../journal/dry-run.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { CallMatch, Journal } from '../journal/journal.ts'
import type { Computed } from '../scenarios/operation-name.ts'
import type { ActiveScenario } from '../scenarios/rules.ts'
import type { RuleInput, ScenarioInput } from '../scenarios/scenario-input.ts'
import type { BundledScenarioName } from '../scenarios/scenario-names.ts'
import type { ScenarioPath } from '../scenarios/scenario-path.ts'
import type { replyScenario } from '../scenarios/shorthand.ts'
import type { Sandbox } from './sandbox.ts'
import type { SandboxClock } from './sandbox-clock.ts'

/** A scenario in force far away, until it is disposed of: `await using outage = await sandbox.use(…)`. */
export interface RemoteActiveScenario extends AsyncDisposable {
  /** Of this use of the scenario, and no other. */
  readonly id: string
  readonly name: string
}

export type ExportFormat = 'curl' | 'vitest' | 'playwright' | 'rule' | 'fixture' | 'tape'

/** Where a sandbox is reached. */
export interface SandboxAddress {
  /** Its name. */
  readonly id: string
  /** The bearer of this key sees this sandbox. */
  readonly apiKey: string
  /** Requests below it see this sandbox, whatever their key; ends in `/api/v1`. */
  readonly baseUrl: string
  /** The same past a balancer, where the server says one: for faults that a proxy would swallow. */
  readonly directUrl?: string | undefined
}

/** A scenario that comes with the server. */
export interface BundledScenario {
  /** For `use()`. */
  name: string
  /** What the client sees. */
  description: string
}

/** A collection, and how many records it has. */
export interface CollectionSize {
  /** As in `db.<name>`. */
  name: string
  /** How many records there are. */
  count: number
}

/** What differs from the seed in a collection. */
export interface CollectionChanges {
  /** As in `db.<name>`. */
  collection: string
  /** Rows that the seed does not have, in their order. */
  created: object[]
  /** Rows of the seed, by their first key there, as they are now. */
  changed: { key: string; row: object }[]
  /** First keys of seed rows that are gone. */
  deleted: string[]
}

export interface RemoteSandboxApi<Bodies extends object = Record<string, unknown>>
  extends SandboxAddress,
    Promised<
      Pick<
        Sandbox<Bodies>,
        | 'fail'
        | 'script'
        | 'scripts'
        | 'resetScenarios'
        | 'activeScenarios'
        | 'unusedRules'
        | 'usage'
        | 'save'
        | 'snapshot'
        | 'restore'
        | 'reset'
        | 'dispose'
      >
    >,
    AsyncDisposable {
  /** Every call of this sandbox. */
  readonly journal: RemoteJournal<Bodies>
  /** The collections. Records are copies. */
  readonly db: Promised<RemoteDatabase>
  /** Sandbox time: to be read, and to be moved forward. */
  readonly clock: Promised<SandboxClock>
  /**
   * Activates a scenario, before all that are active: a bundled one by name, one of your own, a single rule, or in Node
   * a file of either by its path, whose content is sent. Throws 400 for one that is wrong.
   */
  use(scenario: BundledScenarioName | ScenarioPath | ScenarioInput | RuleInput): Promise<RemoteActiveScenario>
  /** A name or a path that is computed. */
  use<Name extends string>(scenario: Name & Computed<Name>): Promise<RemoteActiveScenario>
  /** Answers POST /responses with this text; a function does not travel. */
  reply(...args: Parameters<typeof replyScenario>): Promise<RemoteActiveScenario>
  /** Which of the newest calls a scenario would have met; nothing changes. Default: of 1,000. */
  dryRun(scenario: BundledScenarioName | ScenarioInput | RuleInput, last?: number): Promise<DryRun>
  /** Puts a scenario in the place of those of its name; without one, the bundled scenario of that name. */
  putScenario(name: string, scenario?: object): Promise<RemoteActiveScenario>
  /** Names of the scenarios in force, newest first. */
  scenarioNames(): Promise<string[]>
  /** The collections, and how many records each has. */
  collections(): Promise<CollectionSize[]>
  /** What differs from the seed, by collection. */
  changes(): Promise<CollectionChanges[]>
  /**
   * Another sandbox that begins where this one is now; what either does from then on is its own.
   *
   * @param id Its name. Default: the gateway gives one.
   */
  fork(id?: string): Promise<RemoteSandboxApi<Bodies>>
}

export interface RemoteJournal<Bodies extends object>
  extends Promised<
    Pick<
      Journal<Bodies>,
      | 'entries'
      | 'entry'
      | 'summaries'
      | 'dropped'
      | 'trace'
      | 'unmatched'
      | 'nearMisses'
      | 'explain'
      | 'har'
      | 'clear'
    >
  > {
  // A derived type would forget which operation has which body.
  calls<Id extends keyof Bodies & string>(
    operation: Id,
    match?: CallMatch<Bodies[Id]>,
  ): Promise<JournalEntry<Bodies[Id]>[]>
  last<Id extends keyof Bodies & string>(operation: Id): Promise<JournalEntry<Bodies[Id]> | undefined>
  waitFor: Journal<Bodies>['waitFor']
  /**
   * A call as a curl command, a test that makes it again, a scenario that answers like it, a fixture, or a tape. Throws
   * 409 for a call that lacks what it takes.
   */
  exportAs(entry: string | { readonly id: string }, as: ExportFormat): Promise<string>
  /** Asks again what a call asked, and returns the new call when its reply begins. */
  resend(entry: string | { readonly id: string }): Promise<JournalEntry>
}

/** Every method of it, however deep, returns a promise. */
export type Promised<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Landed<Awaited<Result>>>
    : Promised<Api[Name]>
}

/** What a result is when it has travelled: plain data as it is. */
type Landed<Result> = Result extends ActiveScenario ? RemoteActiveScenario : Result
