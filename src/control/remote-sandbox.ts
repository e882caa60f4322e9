/**
 * A sandbox in another process, with an async version of the local API. Reply types come from the control
 * operations, so the compiler compares them with the local methods' results.
 */
import type { RemoteDatabase, RemoteRecords } from '../database/database.ts'
import { GatewayError } from '../http/errors.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { BodyOf, CallMatch, Journal } from '../journal/journal.ts'
import { inCall, nameCalls } from '../lib/call-names.ts'
import type { ClockReading } from '../lib/clock.ts'
import { readDataFile } from '../lib/data-file.ts'
import { refuseGuesses } from '../lib/guessed-names.ts'
import { shown } from '../lib/schema-messages.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type {
  SandboxClock,
  SandboxOptions,
  SandboxSnapshot,
  ScenarioOrRule,
} from '../sandbox/sandbox-options.ts'
import { type SdkEnvironment, sdkEnvironment } from '../sandbox/sdk-environment.ts'
import type { Gate, HoldOptions } from '../scenarios/gate.ts'
import { type CustomOperationId, isScenarioPath } from '../scenarios/names.ts'
import type { Rule } from '../scenarios/scenario.ts'
import type { Turn } from '../scenarios/script.ts'
import type { ScriptedReply } from '../scenarios/scripted-reply.ts'
import {
  type FailOptions,
  failScenario,
  type HeldRequests,
  type ReplyOptions,
  replyScenario,
  type ScriptOptions,
  scriptScenario,
} from '../scenarios/shorthand.ts'
import type { ControlClient, Data, RouteId } from './client.ts'
import { remoteMethods, routePaths } from './route-paths.ts'
import type { SandboxAddress } from './sandbox-operations.ts'

/** The same API with methods that return promises. */
export type Promised<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}
export type DerivedMethods<RequestBodies extends object> = Promised<
  Pick<Sandbox<RequestBodies>, keyof typeof remoteMethods.sandbox>
>
export type DerivedJournal<RequestBodies extends object> = Promised<
  Pick<Journal<RequestBodies>, keyof typeof remoteMethods.journal | 'har'>
>

/** An active scenario in a remote sandbox. Disposing ends it: `await using outage = await sandbox.use(…)`. */
export interface RemoteActiveScenario extends AsyncDisposable {
  /** Id of this activation, such as `flaky~3`. */
  readonly id: string
  readonly name: string
}

/** A gate in a remote sandbox. Disposing releases it: `await using gate = await sandbox.hold(…)`. */
export interface RemoteGate extends Promised<Pick<Gate, 'arrived' | 'next' | 'release'>>, AsyncDisposable {
  /** Id of this activation, such as `hold~3`. */
  readonly id: string
}

export type ExportFormat = 'curl' | 'vitest' | 'playwright'

export interface RemoteSandbox<RequestBodies extends object> extends DerivedMethods<RequestBodies> {}

/** A sandbox in another process. @typeParam RequestBodies Request bodies by operation id, for the journal's types. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor adds the methods
export class RemoteSandbox<RequestBodies extends object> implements AsyncDisposable {
  /** Sandbox id, such as `s1`. */
  readonly id: string
  /** Name that the console and reports show next to the id. */
  readonly name: string | undefined
  /** API key that routes requests to this sandbox. */
  readonly apiKey: string
  /** Requests under this URL use this sandbox, regardless of their key. Ends in `/api/v1`. */
  readonly baseUrl: string
  /** Collections. Records are copies. */
  readonly db: RemoteDatabase
  /** This sandbox's calls. */
  readonly journal: RemoteJournal<RequestBodies>
  /** Clock of this sandbox, to read or advance its time. */
  readonly clock: SandboxClock<Promise<ClockReading>>
  /** @internal */
  readonly client: ControlClient
  readonly #here: { readonly sandbox: string }

  static {
    refuseGuesses(RemoteSandbox.prototype, 'sandbox')
    const run = () => {
      throw new TypeError("run() works only in the gateway's process: use sandbox.baseUrl or sandbox.apiKey")
    }
    Object.defineProperty(RemoteSandbox.prototype, 'run', { value: run })
    nameCalls(RemoteSandbox, ['use', 'reply', 'fail', 'script', 'hold', 'restore', 'fork', 'dispose'])
  }

  /** @internal */
  constructor(client: ControlClient, { id, name, apiKey, baseUrl }: SandboxAddress) {
    this.client = client
    this.id = id
    this.name = name
    this.apiKey = apiKey
    this.baseUrl = baseUrl
    const here = { sandbox: id }
    this.#here = here
    const methods: DerivedMethods<RequestBodies> = derived(remoteMethods.sandbox, client, id)
    Object.assign(this, named('', methods))
    this.db = remoteDatabase(client, id)
    this.journal = refuseGuesses(named('journal.', remoteJournal<RequestBodies>(client, id)), 'journal')
    this.clock = named('clock.', {
      read: () => client.data('readClock', here),
      advance: (ms) => client.data('advanceClock', here, { body: { ms } }),
    })
    refuseGuesses(this.clock, 'clock')
  }

  /** Returns base URLs and API keys for SDKs that read them from the environment, such as `OPENAI_BASE_URL`. */
  env(): SdkEnvironment {
    return sdkEnvironment(this)
  }

  /**
   * Activates scenarios, rules or recordings, in the given order. Each is an object, the name of a fault or
   * bundled scenario, or (in Node) the path of a file to send. If one is invalid, throws 400 and activates none.
   */
  async use(...scenarios: ScenarioOrRule[]): Promise<RemoteActiveScenario> {
    if (scenarios.length === 0) throw new TypeError('use() expects at least one scenario or rule')
    const active: { id: string; name: string }[] = []
    const end = async () => {
      for (const { id } of active) await this.client.data('deleteScenario', { ...this.#here, name: id })
    }
    try {
      for (const body of scenarios.map(contentOf))
        active.push(await this.client.data('useScenario', this.#here, { body }))
    } catch (error) {
      await end()
      throw error
    }
    return {
      id: active.map(({ id }) => id).join(', '),
      name: active.map(({ name }) => name).join(', '),
      [Symbol.asyncDispose]: end,
    }
  }

  /** Replies with this text or reply object to every operation that generates text. Functions are not supported. */
  async reply(reply: string | ScriptedReply, options: ReplyOptions = {}): Promise<RemoteActiveScenario> {
    return this.use(replyScenario(reply, options))
  }

  /** Responds to all requests with this error status, or to the first `times` requests if set. */
  async fail(status: number, options: FailOptions = {}): Promise<RemoteActiveScenario> {
    return this.use(failScenario(status, options))
  }

  /** Replies to one conversation turn by turn. Unexpected requests get a 400. */
  async script(turns: Turn[], options: ScriptOptions = {}): Promise<RemoteActiveScenario> {
    return this.use(scriptScenario(turns, options))
  }

  /** Holds requests, or streams before an event, until the gate lets them through. */
  async hold(on: Rule['on'] | HeldRequests, options: HoldOptions = {}): Promise<RemoteGate> {
    const { client } = this
    const { id } = await client.data('createGate', this.#here, { body: { on, options } })
    const here = { ...this.#here, gate: id, name: id }
    const release = () => client.data('deleteScenario', here).catch(undefinedIf(404))
    return named<RemoteGate>('gate.', {
      id,
      arrived: (count, { signal, timeout } = {}) =>
        client.data('waitForArrivals', here, { body: { count, timeout }, signal }),
      next: () => client.data('passGate', here),
      release,
      [Symbol.asyncDispose]: release,
    })
  }

  /** Restores a snapshot of this sandbox. A snapshot can be restored any number of times. */
  async restore(snapshot: SandboxSnapshot): Promise<void> {
    if (typeof snapshot?.id !== 'string')
      throw new TypeError(`expects a snapshot from sandbox.snapshot(), got ${shown(snapshot)}`)
    await this.client.data('restoreSnapshot', this.#here, { body: { id: snapshot.id } })
  }

  /** Creates a copy of this sandbox. Default id: a generated one. Default name: none. */
  async fork(id?: string, name?: string): Promise<RemoteSandbox<RequestBodies>> {
    return newSandbox(this.client, { id, name, fork: this.id })
  }

  /** Deletes the sandbox once all unfinished calls of its methods have completed. Throws if one of the calls fails. */
  async dispose(): Promise<void> {
    try {
      await this.client.settled()
    } catch (error) {
      const message = `A call in sandbox '${this.id}' was still in flight at dispose() and failed: ${(error as Error).message}`
      throw new Error(`${message} (await the call)`, { cause: error })
    } finally {
      await this.client.data('deleteSandbox', this.#here).catch(undefinedIf(410))
      this.client.ended = `Sandbox '${this.id}' was disposed: use it before dispose(), or create another sandbox`
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

/** Creates a sandbox, or returns the existing one with this id. */
export async function newSandbox<RequestBodies extends object>(
  client: ControlClient,
  { id, fork, ...options }: SandboxOptions,
): Promise<RemoteSandbox<RequestBodies>> {
  const body = { ...options, fork: typeof fork === 'object' ? fork.id : fork }
  const address: SandboxAddress =
    id === undefined
      ? await client.data('createSandbox', {}, { body })
      : await client.data('putSandbox', { sandbox: id }, { body })
  return new RemoteSandbox(client.clone(), address)
}

function contentOf(scenario: unknown): unknown {
  if (typeof scenario === 'string') return isScenarioPath(scenario) ? readDataFile(scenario).value : scenario
  if (typeof scenario === 'object' && scenario !== null && !Array.isArray(scenario)) return scenario
  throw new TypeError(
    `a scenario must be a name, { name, rules: […] } or a single rule, got ${shown(scenario)}`,
  )
}

/** Returns methods that take the path's second parameter, if any. The first parameter is always the sandbox. */
function derived<Methods extends Readonly<Record<string, RouteId>>>(
  methods: Methods,
  client: ControlClient,
  sandbox: string,
) {
  const toMethod = (id: RouteId) => {
    const [, parameter = ''] = /\{(?!sandbox)(\w+)\}/.exec(routePaths[id]) ?? []
    return (argument?: Entry) => client.data(id, { sandbox, [parameter]: idOf(argument) } as never)
  }
  const entries = Object.entries(methods).map(([name, id]) => [name, toMethod(id)])
  return Object.fromEntries(entries) as {
    [Name in keyof Methods]: (argument?: Entry) => Promise<Data<Methods[Name]>>
  }
}

/** Wraps async methods so that their errors start with the called method, such as `clock.advance()`. */
function named<Methods extends object>(path: string, methods: Methods): Methods {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
    if (typeof value !== 'function') continue
    Reflect.set(methods, name, (...args: never[]) => inCall(`${path}${name}()`, () => value(...args)))
  }
  return methods
}

/** Journal of a sandbox in another process. */
export interface RemoteJournal<RequestBodies extends object> extends DerivedJournal<RequestBodies> {
  // Declared here, because a derived type would lose each operation's body type.
  /** Returns an operation's calls, oldest first. With `match`, returns only calls with these fields. */
  calls<Id extends (keyof RequestBodies & string) | CustomOperationId>(
    operation: Id,
    match?: CallMatch<BodyOf<RequestBodies, Id>>,
  ): Promise<JournalEntry<BodyOf<RequestBodies, Id>>[]>
  /** Returns an operation's newest call, or undefined if there is none. */
  last<Id extends (keyof RequestBodies & string) | CustomOperationId>(
    operation: Id,
  ): Promise<JournalEntry<BodyOf<RequestBodies, Id>> | undefined>
  /** Waits until an operation has received enough calls, and returns them all. Rejects after the timeout. */
  waitFor: Journal<RequestBodies>['waitFor']
  /** Exports a call as a curl command, or as a test that repeats it. Throws 409 if the call cannot be exported. */
  exportAs(entry: Entry, as: ExportFormat): Promise<string>
  /** Number of calls evicted to make room for newer ones. */
  readonly evictedCount: Promise<number>
}

function remoteJournal<RequestBodies extends object>(
  client: ControlClient,
  sandbox: string,
): RemoteJournal<RequestBodies> {
  const here = { sandbox }
  return {
    ...derived(remoteMethods.journal, client, sandbox),
    har: () => client.whole('exportJournal', here),
    get evictedCount() {
      return client.whole('listJournal', here).then(({ meta }) => meta.evictedCount)
    },
    async exportAs(entry, as) {
      return (await client.data('exportCall', { sandbox, entry: idOf(entry) }, { query: { as } })).text
    },
    async calls(operation, match) {
      // The operation determines the type of the body.
      return (await client.data('queryJournal', here, { body: { operation, match } })) as never
    },
    async last(operation) {
      const [newest] = await client.data('queryJournal', here, { body: { operation, last: 1 } })
      return newest as never
    },
    async waitFor(operation, { signal, ...options } = {}) {
      const body = { operation, ...options }
      return (await client.data('waitForCalls', here, { body, signal })) as never
    },
  }
}

type Entry = string | { readonly id: string }

function idOf(entry: Entry | undefined): string {
  return typeof entry === 'string' ? entry : String(entry?.id)
}

/** Accepts any collection name, because listing the names would import all schemas. The server rejects unknown names. */
function remoteDatabase(client: ControlClient, sandbox: string): RemoteDatabase {
  return new Proxy({} as RemoteDatabase, {
    get: (_, name) =>
      typeof name === 'string' && name !== 'then'
        ? named(`db.${name}.`, recordsOf(client, sandbox, name))
        : undefined,
  })
}

function recordsOf(client: ControlClient, sandbox: string, collection: string): RemoteRecords<object> {
  const here = { sandbox, collection }
  return {
    create: (record) => client.data('createRecord', here, { body: record }),
    async get(key) {
      if (typeof key !== 'string')
        throw new GatewayError(400, `expects a key such as an id, got ${shown(key)}`)
      return client.data('getRecord', { ...here, key }).catch(undefinedIf(404))
    },
    list: (condition = {}) =>
      client.data('listRecords', here, { query: { equals: JSON.stringify(condition) } }),
    update: (key, changes) => client.data('updateRecord', { ...here, key }, { body: changes }),
    delete: (key) => client.data('deleteRecord', { ...here, key }),
    ...{
      query() {
        throw new TypeError(
          `db.${collection}.query() works only in the gateway's process: use db.${collection}.list({ … })`,
        )
      },
    },
  }
}

/** Returns a function that ignores errors with this status and rethrows others. */
function undefinedIf(status: number): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof GatewayError && error.status === status)) throw error
  }
}
