/**
 * A gateway in another process, as its sandboxes look from here: the same names and arguments, each a promise.
 *
 * @example
 * const gateway = await connectGateway('http://127.0.0.1:4141')
 * await using sandbox = await gateway.createSandbox()
 * await sandbox.use('provider-outage')
 */

import type { TextCheck } from './control/check-text.ts'
import { ControlClient } from './control/client.ts'
import { type FollowOptions, followEvents, type GatewayEvent } from './control/follow-events.ts'
import { remoteDatabase } from './control/remote-database.ts'
import { remoteJournal } from './control/remote-journal.ts'
import { Unawaited } from './control/unawaited.ts'
import type { RemoteDatabase } from './database/database.ts'
import { GatewayError } from './http/errors.ts'
import { readDataFile } from './lib/data-file.ts'
import type { Bodies } from './operations/request-bodies.ts'
import { assertNames } from './sandbox/known-names.ts'
import type {
  BundledScenario,
  CollectionChanges,
  CollectionSize,
  Promised,
  RemoteActiveScenario,
  RemoteJournal,
  RemoteSandboxApi,
  SandboxAddress,
} from './sandbox/remote.ts'
import type { SandboxClock } from './sandbox/sandbox-clock.ts'
import { type NewSandbox, newSandboxNames, type SandboxSnapshot } from './sandbox/sandbox-host.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { isScenarioPath } from './scenarios/scenario-path.ts'
import { failScenario, replyScenario, scriptScenario } from './scenarios/shorthand.ts'

export interface ConnectOptions {
  /** Where the server wants one: what it was started with, or printed. */
  token?: string
}

/**
 * Connects to a running server. Throws where there is none, or where it wants another token.
 *
 * @param url `http://127.0.0.1:4141`; a base URL ending in `/api/v1` does as well.
 */
export async function connectGateway(
  url: string | URL,
  { token }: ConnectOptions = {},
): Promise<RemoteGateway> {
  const address = URL.parse(String(url))
  if (!address || !/^https?:$/.test(address.protocol))
    throw new TypeError(
      `connectGateway takes the address of a running server, as http://127.0.0.1:4141, not ${url === undefined ? 'undefined' : `'${url}'`}`,
    )
  const client = new ControlClient(address.origin, token)
  try {
    const found: SandboxAddress = await client.data('getSandbox', { sandbox: 'default' })
    return noticed(new RemoteGateway(client, found))
  } catch (error) {
    const isOther =
      error instanceof SyntaxError ||
      error instanceof TypeError ||
      (error instanceof GatewayError && error.status === 404)
    if (!isOther) throw error
    const message = `What answers at ${address.origin} is no Understudy server: is it the address that it printed?`
    throw new Error(message, { cause: error })
  }
}

/** A sandbox in another process. */
export class RemoteSandbox implements RemoteSandboxApi<Bodies> {
  readonly id: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly directUrl: string | undefined
  readonly db: Promised<RemoteDatabase>
  readonly journal: RemoteJournal<Bodies>
  readonly clock: Promised<SandboxClock>
  /** @internal */
  readonly client: ControlClient
  /** @internal */
  readonly unawaited = new Unawaited()
  readonly #here: { readonly sandbox: string }

  /** @internal */
  constructor(client: ControlClient, { id, apiKey, baseUrl, directUrl }: SandboxAddress) {
    this.client = client
    this.id = id
    this.apiKey = apiKey
    this.baseUrl = baseUrl
    this.directUrl = directUrl
    const here = { sandbox: id }
    this.#here = here
    this.db = remoteDatabase(client, id, this.unawaited)
    this.journal = this.unawaited.notice(remoteJournal(client, id), 'journal.')
    const clock: Promised<SandboxClock> = {
      read: () => client.data('readClock', here),
      advance: (ms) => client.data('advanceClock', here, { body: { ms } }),
    }
    this.clock = this.unawaited.notice(clock, 'clock.')
  }

  async use(scenario: string | object): Promise<RemoteActiveScenario> {
    return this.#activeOf(await this.client.data('useScenario', this.#here, { body: contentOf(scenario) }))
  }

  async putScenario(name: string, scenario?: object): Promise<RemoteActiveScenario> {
    const given = { ...this.#here, name }
    return this.#activeOf(await this.client.data('putScenario', given, { body: scenario }))
  }

  #activeOf({ id, name }: { id: string; name: string }): RemoteActiveScenario {
    const end = () => this.client.data<void, 'deleteScenario'>('deleteScenario', { ...this.#here, name: id })
    return { id, name, [Symbol.asyncDispose]: end }
  }

  async reply(...args: Parameters<RemoteSandboxApi['reply']>): Promise<RemoteActiveScenario> {
    return this.use(replyScenario(...args))
  }

  async fail(...args: Parameters<RemoteSandboxApi['fail']>): Promise<RemoteActiveScenario> {
    return this.use(failScenario(...args))
  }

  async script(...args: Parameters<RemoteSandboxApi['script']>): Promise<RemoteActiveScenario> {
    return this.use(scriptScenario(...args))
  }

  scripts(): ReturnType<RemoteSandboxApi['scripts']> {
    return this.client.data('listScripts', this.#here)
  }

  resetScenarios(): Promise<void> {
    return this.client.data('resetScenarios', this.#here)
  }

  activeScenarios(): ReturnType<RemoteSandboxApi['activeScenarios']> {
    return this.client.data('listActiveScenarios', this.#here)
  }

  scenarioNames(): Promise<string[]> {
    return this.client.data('listScenarios', this.#here)
  }

  dryRun(
    ...[scenario, last]: Parameters<RemoteSandboxApi['dryRun']>
  ): ReturnType<RemoteSandboxApi['dryRun']> {
    return this.client.data('dryRunScenario', this.#here, { body: { scenario, last } })
  }

  unusedRules(): ReturnType<RemoteSandboxApi['unusedRules']> {
    return this.client.data('listUnusedRules', this.#here)
  }

  usage(): ReturnType<RemoteSandboxApi['usage']> {
    return this.client.data('readUsage', this.#here)
  }

  collections(): Promise<CollectionSize[]> {
    return this.client.data('listCollections', this.#here)
  }

  changes(): Promise<CollectionChanges[]> {
    return this.client.data('listChanges', this.#here)
  }

  save({ calls = true }: Parameters<RemoteSandboxApi['save']>[0] = {}): ReturnType<RemoteSandboxApi['save']> {
    return this.client.whole('saveSandbox', this.#here, { query: { calls } })
  }

  snapshot(): Promise<SandboxSnapshot> {
    return this.client.data('createSnapshot', this.#here)
  }

  async restore(snapshot: SandboxSnapshot): Promise<void> {
    await this.client.data('restoreSnapshot', this.#here, { body: { id: snapshot?.id } })
  }

  async fork(id?: string): Promise<RemoteSandbox> {
    return newSandbox(this.client, { id, fork: this.id })
  }

  reset(): Promise<void> {
    return this.client.data('resetSandbox', this.#here)
  }

  async dispose(): Promise<void> {
    try {
      await this.unawaited.finish(this.id)
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

/** The default sandbox, and whatever others are made. */
export class RemoteGateway extends RemoteSandbox {
  /** An isolated sandbox: its own data, rules, journal and clock, and a key of its own. */
  async createSandbox(options: NewSandbox = {}): Promise<RemoteSandbox> {
    assertNames(options, newSandboxNames, 'createSandbox')
    return newSandbox(this.client, options)
  }

  /** Where each living sandbox is reached, the default one first. */
  sandboxes(): Promise<SandboxAddress[]> {
    return this.client.data('listSandboxes', {})
  }

  /** A sandbox that goes on where one that was saved has been: `save()` gives the file. */
  async openSandbox(file: object): Promise<RemoteSandbox> {
    const made: SandboxAddress = await this.client.data('openSandbox', {}, { body: file })
    return noticed(new RemoteSandbox(this.client, made))
  }

  /** The scenarios that come with the server, and what a client sees of each. */
  bundledScenarios(): Promise<BundledScenario[]> {
    return this.client.data('listBundledScenarios', {})
  }

  /** A scenario that comes with the server. Throws 404 where there is none of that name. */
  bundledScenario(name: string): Promise<Scenario> {
    return this.client.data('getBundledScenario', { name })
  }

  /** The same as YAML, to begin a file of your own with. */
  bundledScenarioText(name: string): Promise<string> {
    return this.client.text('getBundledScenarioText', { name })
  }

  /** Checks a scenario that is written in YAML or JSON: every problem with its line and column. */
  checkScenario(text: string): Promise<TextCheck> {
    return this.client.data('checkScenario', {}, { body: { text } })
  }

  /** Follows the calls of all sandboxes while they happen: reads until the loop is left, or the server ends. */
  events(options: FollowOptions = {}): AsyncGenerator<GatewayEvent, void> {
    return followEvents(this.client, options)
  }

  /** Takes no new sandboxes from now on; those that live stay. */
  drain(): Promise<void> {
    return this.client.data('drain', {})
  }

  /** Whether the server is up. */
  async health(): Promise<'ok'> {
    const { status }: { status: 'ok' } = await this.client.data('getHealth', {})
    return status
  }

  /** Whether the server takes new sandboxes. Throws 503 while it drains. */
  async readiness(): Promise<'ready'> {
    const { status }: { status: 'ready' } = await this.client.data('getReadiness', {})
    return status
  }

  /** Figures of the server, in the text format of Prometheus. */
  metrics(): Promise<string> {
    return this.client.text('getMetrics', {})
  }

  /** The OpenAPI document of the control API. */
  controlDocument(): Promise<object> {
    return this.client.whole('getControlDocument', {})
  }
}

async function newSandbox(
  client: ControlClient,
  { id, fork, ...options }: NewSandbox,
): Promise<RemoteSandbox> {
  const body = { ...options, fork: typeof fork === 'object' ? fork.id : fork }
  const made: SandboxAddress =
    id === undefined
      ? await client.data('createSandbox', {}, { body })
      : await client.data('putSandbox', { sandbox: id }, { body })
  return noticed(new RemoteSandbox(client, made))
}

/** The sandbox, which at its end tells of calls that nobody has awaited and that have failed. */
function noticed<Sandbox extends RemoteSandbox>(sandbox: Sandbox): Sandbox {
  return sandbox.unawaited.notice(sandbox)
}

/** What the server is sent: the content of a file in the place of its path. */
function contentOf(scenario: unknown): unknown {
  if (typeof scenario === 'string') return isScenarioPath(scenario) ? readDataFile(scenario).value : scenario
  if (typeof scenario === 'object' && scenario !== null) return scenario
  throw new TypeError(`A scenario is a name, { name, rules: […] } or a single rule, not ${scenario}`)
}
