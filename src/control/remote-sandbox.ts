/**
 * A sandbox in another process: the names and arguments of a sandbox in this one, each method a promise. Methods without
 * arguments derive from the control operations, and their types from those of the sandbox.
 */
import type { RemoteDatabase, RemoteRecords } from '../database/database.ts'
import { GatewayError } from '../http/errors.ts'
import type { DryRun } from '../journal/dry-run.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { BodyOf, CallMatch, Journal } from '../journal/journal.ts'
import { methodsAtCaller } from '../lib/at-caller.ts'
import { readDataFile } from '../lib/data-file.ts'
import type { Bodies } from '../operations/index.ts'
import type { ScenarioOrRule } from '../sandbox/options-input.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxFile } from '../sandbox/sandbox-file.ts'
import type { SandboxClock, SandboxOptions, SandboxSnapshot } from '../sandbox/sandbox-options.ts'
import type { BundledScenarioName } from '../scenarios/bundled.ts'
import { type CustomOperationId, isScenarioPath } from '../scenarios/names.ts'
import type { ActiveScenario } from '../scenarios/rules.ts'
import type { RuleInput, ScenarioInput } from '../scenarios/scenario.ts'
import type { TurnInput } from '../scenarios/script.ts'
import type { ScriptedReplyInput } from '../scenarios/scripted-reply.ts'
import {
  type FailOptions,
  failScenario,
  type ReplyOptions,
  replyScenario,
  type ScriptOptions,
  scriptScenario,
} from '../scenarios/shorthand.ts'
import type { ControlClient, RouteId } from './client.ts'
import { clockMethods, journalMethods, sandboxMethods } from './route-paths.ts'

/** An active scenario of a remote sandbox. Disposing it removes it: `await using outage = await sandbox.use(…)`. */
export interface RemoteActiveScenario extends AsyncDisposable {
  /** Id of this use of the scenario. */
  readonly id: string
  readonly name: string
}

export type ExportFormat = 'curl' | 'vitest' | 'playwright' | 'rule' | 'fixture' | 'recording'

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
  /** Effect that the client sees. */
  description: string
}

/** A collection, and how many records it has. */
export interface CollectionSize {
  /** As in `db.<name>`. */
  name: string
  /** Number of records. */
  count: number
}

/** Differences of a collection from the seed. */
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

type Derived = Promised<Pick<Sandbox<Bodies>, keyof typeof sandboxMethods & keyof Sandbox>>

export interface RemoteSandbox extends Derived {
  /** Names of the active scenarios, newest first. */
  scenarioNames(): Promise<string[]>
  /** The collections, and how many records each has. */
  collections(): Promise<CollectionSize[]>
  /** Differences from the seed, by collection. */
  changes(): Promise<CollectionChanges[]>
}

/** A sandbox in another process. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor adds the methods
export class RemoteSandbox implements SandboxAddress, AsyncDisposable {
  readonly id: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly directUrl: string | undefined
  /** The collections. Records are copies. */
  readonly db: Promised<RemoteDatabase>
  /** Every call of this sandbox. */
  readonly journal: RemoteJournal<Bodies>
  /** Sandbox time, to read and to advance. */
  readonly clock: Promised<SandboxClock>
  /** @internal */
  readonly client: ControlClient
  readonly #here: { readonly sandbox: string }

  static {
    methodsAtCaller(RemoteSandbox)
  }

  /** @internal */
  constructor(client: ControlClient, { id, apiKey, baseUrl, directUrl }: SandboxAddress) {
    this.client = client
    this.id = id
    this.apiKey = apiKey
    this.baseUrl = baseUrl
    this.directUrl = directUrl
    this.#here = { sandbox: id }
    Object.assign(this, derived(sandboxMethods, client, id))
    this.db = remoteDatabase(client, id)
    this.journal = remoteJournal(client, id)
    this.clock = {
      ...derived(clockMethods, client, id),
      advance: (ms) => client.data('advanceClock', this.#here, { body: { ms } }),
    }
  }

  /**
   * Activates scenarios, rules or recordings, in the order given: each is a value, the name of a bundled scenario, or in
   * Node the path of a file, whose content is sent. Throws 400 at the first that is wrong.
   */
  async use(...scenarios: ScenarioOrRule[]): Promise<RemoteActiveScenario> {
    if (scenarios.length === 0) throw new TypeError('use() expects at least one scenario or rule')
    const active: RemoteActiveScenario[] = []
    for (const body of scenarios.map(contentOf))
      active.push(this.#activeOf(await this.client.data('useScenario', this.#here, { body })))
    return {
      id: active.map(({ id }) => id).join(', '),
      name: active.map(({ name }) => name).join(', '),
      async [Symbol.asyncDispose]() {
        for (const each of active) await each[Symbol.asyncDispose]()
      },
    }
  }

  /** Activates a scenario instead of those of its name; without one, the bundled scenario of that name. */
  async putScenario(name: string, scenario?: object): Promise<RemoteActiveScenario> {
    const given = { ...this.#here, name }
    return this.#activeOf(await this.client.data('putScenario', given, { body: scenario }))
  }

  #activeOf({ id, name }: { id: string; name: string }): RemoteActiveScenario {
    const end = () => this.client.data<void, 'deleteScenario'>('deleteScenario', { ...this.#here, name: id })
    return { id, name, [Symbol.asyncDispose]: end }
  }

  /** Replies with this text, or whole reply, to every operation that answers with text; a function cannot be sent. */
  async reply(reply: string | ScriptedReplyInput, options: ReplyOptions = {}): Promise<RemoteActiveScenario> {
    return this.use(replyScenario(reply, options))
  }

  /** Refuses every call with this status, every time or up to `times`. */
  async fail(status: number, options: FailOptions = {}): Promise<RemoteActiveScenario> {
    return this.use(failScenario(status, options))
  }

  /** Answers one conversation turn by turn, and refuses with 400 what does not fit. */
  async script(turns: TurnInput[], options: ScriptOptions = {}): Promise<RemoteActiveScenario> {
    return this.use(scriptScenario(turns, options))
  }

  /** Returns which of the newest calls a scenario would have matched; nothing changes. Default: of 1,000. */
  dryRun(scenario: BundledScenarioName | ScenarioInput | RuleInput, last?: number): Promise<DryRun> {
    return this.client.data('dryRunScenario', this.#here, { body: { scenario, last } })
  }

  /** The whole sandbox as data, for a file. */
  save({ calls = true }: { calls?: boolean } = {}): Promise<SandboxFile> {
    return this.client.whole('saveSandbox', this.#here, { query: { calls } })
  }

  /** Goes back to a snapshot of this sandbox; the same one as often as needed. */
  async restore(snapshot: SandboxSnapshot): Promise<void> {
    await this.client.data('restoreSnapshot', this.#here, { body: { id: snapshot?.id } })
  }

  /**
   * Creates a sandbox that begins where this one is now.
   *
   * @param id Its name. Default: the gateway gives one.
   */
  async fork(id?: string): Promise<RemoteSandbox> {
    return newSandbox(this.client, { id, fork: this.id })
  }

  /** Ends the sandbox, after its calls in flight. Throws if one of them fails. */
  async dispose(): Promise<void> {
    try {
      await this.client.settled()
    } catch (error) {
      const message = `A call of sandbox '${this.id}' was in flight at its end, and failed: ${(error as Error).message}`
      throw new Error(`${message} (put \`await\` before the call)`, { cause: error })
    } finally {
      await this.client.data<void, 'deleteSandbox'>('deleteSandbox', this.#here).catch((error) => {
        if (!(error instanceof GatewayError && error.status === 410)) throw error
      })
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

/** Creates a sandbox, or finds the one that has this id. */
export async function newSandbox(
  client: ControlClient,
  { id, fork, ...options }: SandboxOptions,
): Promise<RemoteSandbox> {
  const body = { ...options, fork: typeof fork === 'object' ? fork.id : fork }
  const address: SandboxAddress =
    id === undefined
      ? await client.data('createSandbox', {}, { body })
      : await client.data('putSandbox', { sandbox: id }, { body })
  return new RemoteSandbox(client.another(), address)
}

/** Returns what the server is sent: a path is replaced by the content of its file. */
function contentOf(scenario: unknown): unknown {
  if (typeof scenario === 'string') return isScenarioPath(scenario) ? readDataFile(scenario).value : scenario
  if (typeof scenario === 'object' && scenario !== null) return scenario
  throw new TypeError(`A scenario is a name, { name, rules: […] } or a single rule, not ${scenario}`)
}

/** Methods without arguments that each call an operation on the sandbox. */
function derived<Name extends string>(
  operations: Readonly<Record<Name, RouteId>>,
  client: ControlClient,
  sandbox: string,
) {
  const methods = Object.entries<RouteId>(operations).map(([name, id]) => [
    name,
    // The path has no other parameter.
    () => client.data(id, { sandbox } as never),
  ])
  // Their results are those of the operations.
  return Object.fromEntries(methods) as Record<Name, () => Promise<never>>
}

/** The calls of a sandbox in another process. */
export interface RemoteJournal<Bodies extends object>
  extends Promised<
    Pick<
      Journal<Bodies>,
      (keyof typeof journalMethods & keyof Journal) | 'entry' | 'summaries' | 'trace' | 'explain' | 'har'
    >
  > {
  // A derived type would forget which operation has which body.
  calls<Id extends (keyof Bodies & string) | CustomOperationId>(
    operation: Id,
    match?: CallMatch<BodyOf<Bodies, Id>>,
  ): Promise<JournalEntry<BodyOf<Bodies, Id>>[]>
  last<Id extends (keyof Bodies & string) | CustomOperationId>(
    operation: Id,
  ): Promise<JournalEntry<BodyOf<Bodies, Id>> | undefined>
  waitFor: Journal<Bodies>['waitFor']
  /**
   * A call as a curl command, a test that makes it again, a scenario that answers like it, a fixture, or a recording. Throws
   * 409 for a call that lacks what it takes.
   */
  exportAs(entry: string | { readonly id: string }, as: ExportFormat): Promise<string>
  /** Number of calls that were evicted to make room for newer ones. */
  readonly evictedCount: Promise<number>
  /** Asks again what a call asked, and returns the new call when its reply begins. */
  resend(entry: string | { readonly id: string }): Promise<JournalEntry>
}

function remoteJournal(client: ControlClient, sandbox: string): RemoteJournal<Bodies> {
  const here = { sandbox }
  return {
    ...derived(journalMethods, client, sandbox),
    entry: (id) => client.data('getCall', { sandbox, entry: id }),
    summaries: (last) => client.data('listCalls', here, { query: { last } }),
    async exportAs(entry, as) {
      const given = { sandbox, entry: idOf(entry) }
      const { text }: { text: string } = await client.data('exportCall', given, { query: { as } })
      return text
    },
    resend: (entry) => client.data('resendCall', { sandbox, entry: idOf(entry) }),
    get evictedCount() {
      return client
        .whole<{ meta: { evictedCount: number } }, 'listJournal'>('listJournal', here)
        .then(({ meta }) => meta.evictedCount)
    },
    calls: (operation, match) => client.data('queryJournal', here, { body: { operation, match } }),
    async last(operation) {
      const [newest]: never[] = await client.data('queryJournal', here, { body: { operation, last: 1 } })
      return newest
    },
    trace: (trace) => client.data('listTrace', { sandbox, trace }),
    explain: (entry) => client.data('explainCall', { sandbox, entry: idOf(entry) }),
    waitFor: (operation, options) =>
      client.data('waitForCalls', here, { body: { operation, ...options }, isOpenEnded: true }),
    har: () => client.whole('exportJournal', here),
  }
}

function idOf(entry: string | { readonly id: string }): string {
  return typeof entry === 'string' ? entry : String(entry?.id)
}

/** Takes every name: the server knows its collections, and their list would bring all schemas along. */
function remoteDatabase(client: ControlClient, sandbox: string): Promised<RemoteDatabase> {
  return new Proxy({} as Promised<RemoteDatabase>, {
    get: (_, name) =>
      typeof name === 'string' && name !== 'then' ? recordsOf(client, sandbox, name) : undefined,
  })
}

function recordsOf(
  client: ControlClient,
  sandbox: string,
  collection: string,
): Promised<RemoteRecords<object>> {
  const here = { sandbox, collection }
  return {
    create: (record) => client.data('createRecord', here, { body: record }),
    async get(key) {
      try {
        return await client.data('getRecord', { ...here, key })
      } catch (error) {
        if (error instanceof GatewayError && error.status === 404) return undefined
        throw error
      }
    },
    list: (condition = {}) =>
      client.data('listRecords', here, { query: { equals: JSON.stringify(condition) } }),
    update: (key, changes) => client.data('updateRecord', { ...here, key }, { body: changes }),
    delete: (key) => client.data('deleteRecord', { ...here, key }),
  }
}

/** Every method of it, however deep, returns a promise. */
export type Promised<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Landed<Awaited<Result>>>
    : Promised<Api[Name]>
}

/** Type of a result after JSON: plain data stays unchanged. */
type Landed<Result> = Result extends ActiveScenario ? RemoteActiveScenario : Result
