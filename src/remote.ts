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
import type { Database, Records } from './database/database.ts'
import { GatewayError } from './http/errors.ts'
import { readDataFile } from './lib/data-file.ts'
import type { Bodies } from './operations/index.ts'
import { isScenarioPath } from './rules/scenario-path.ts'
import { failScenario, replyScenario, scriptScenario } from './rules/shorthand.ts'
import type {
  Promised,
  RemoteActiveScenario,
  RemoteSandbox as RemoteFace,
  RemoteJournal,
} from './sandbox/remote.ts'
import type { SandboxClock } from './sandbox/sandbox-clock.ts'
import type { NewSandbox, SandboxSnapshot } from './sandbox/sandbox-host.ts'

export interface ConnectOptions {
  /** Where the server wants one: what it was started with, or printed. */
  token?: string
}

/** Where a sandbox is reached. */
interface Whereabouts {
  readonly id: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly directUrl?: string
}

/**
 * Connects to a running server. Throws where there is none, or where it wants another token.
 *
 * @param url `http://127.0.0.1:4141`; a base URL ending in `/api/v1` does as well.
 */
export async function connectGateway(url: string, { token }: ConnectOptions = {}): Promise<RemoteGateway> {
  const client = new ControlClient(new URL(url).origin, token)
  return new RemoteGateway(client, await client.get<Whereabouts>('/sandboxes/default'))
}

/** A sandbox in another process. */
export class RemoteSandbox implements RemoteFace<Bodies> {
  readonly id: string
  readonly apiKey: string
  readonly baseUrl: string
  /** The same past a balancer, where the server says one: for faults that a proxy would swallow. */
  readonly directUrl: string | undefined
  readonly db: Promised<Database>
  readonly journal: RemoteJournal<Bodies>
  readonly clock: Promised<SandboxClock>
  /** @internal */
  readonly client: ControlClient
  readonly #path: string

  /** @internal */
  constructor(client: ControlClient, { id, apiKey, baseUrl, directUrl }: Whereabouts) {
    this.client = client
    this.id = id
    this.apiKey = apiKey
    this.baseUrl = baseUrl
    this.directUrl = directUrl
    this.#path = `/sandboxes/${id}`
    this.db = databaseAt(client, `${this.#path}/database`)
    this.journal = journalAt(client, this.#path)
    this.clock = clockAt(client, `${this.#path}/clock`)
  }

  async use(...[scenario]: Parameters<RemoteFace['use']>): Promise<RemoteActiveScenario> {
    const scenarios = `${this.#path}/scenarios`
    const isPath = typeof scenario === 'string' && isScenarioPath(scenario)
    const content = isPath ? readDataFile(scenario).value : scenario
    const { id, name } = await this.client.post<{ id: string; name: string }>(scenarios, content)
    return { id, name, [Symbol.asyncDispose]: () => this.client.delete(`${scenarios}/${id}`) }
  }

  reply(...args: Parameters<RemoteFace['reply']>): Promise<RemoteActiveScenario> {
    return this.use(replyScenario(...args))
  }

  fail(...args: Parameters<RemoteFace['fail']>): Promise<RemoteActiveScenario> {
    return this.use(failScenario(...args))
  }

  script(...args: Parameters<RemoteFace['script']>): Promise<RemoteActiveScenario> {
    return this.use(scriptScenario(...args))
  }

  scripts(): ReturnType<RemoteFace['scripts']> {
    return this.client.get(`${this.#path}/scripts`)
  }

  resetScenarios(): Promise<void> {
    return this.client.delete(`${this.#path}/scenarios`)
  }

  activeScenarios(): ReturnType<RemoteFace['activeScenarios']> {
    return this.client.get(`${this.#path}/active-scenarios`)
  }

  async dryRun(...[scenario, last]: Parameters<RemoteFace['dryRun']>): ReturnType<RemoteFace['dryRun']> {
    return this.client.post(`${this.#path}/dry-runs`, { scenario, last })
  }

  unusedRules(): ReturnType<RemoteFace['unusedRules']> {
    return this.client.get(`${this.#path}/unused-rules`)
  }

  usage(): ReturnType<RemoteFace['usage']> {
    return this.client.get(`${this.#path}/usage`)
  }

  save({ calls = true }: Parameters<RemoteFace['save']>[0] = {}): ReturnType<RemoteFace['save']> {
    return this.client.whole('GET', `${this.#path}/file?calls=${calls}`)
  }

  snapshot(): Promise<SandboxSnapshot> {
    return this.client.post(`${this.#path}/snapshots`)
  }

  restore({ id }: SandboxSnapshot): Promise<void> {
    return this.client.post(`${this.#path}/restore`, { id })
  }

  async fork(id?: string): Promise<RemoteSandbox> {
    const made =
      id === undefined
        ? this.client.post<Whereabouts>('/sandboxes', { fork: this.id })
        : this.client.put<Whereabouts>(`/sandboxes/${encodeURIComponent(id)}`, { fork: this.id })
    return new RemoteSandbox(this.client, await made)
  }

  reset(): Promise<void> {
    return this.client.post(`${this.#path}/reset`)
  }

  async dispose(): Promise<void> {
    await this.client.delete<void>(this.#path).catch((error) => {
      if (!(error instanceof GatewayError && error.status === 410)) throw error
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

/** The default sandbox, and whatever others are made. */
export class RemoteGateway extends RemoteSandbox {
  /** An isolated sandbox: its own data, rules, journal and clock, and a key of its own. */
  async createSandbox({ id, fork, ...options }: NewSandbox = {}): Promise<RemoteSandbox> {
    const given = { ...options, fork: typeof fork === 'object' ? fork.id : fork }
    const made =
      id === undefined
        ? this.client.post<Whereabouts>('/sandboxes', given)
        : this.client.put<Whereabouts>(`/sandboxes/${encodeURIComponent(id)}`, given)
    return new RemoteSandbox(this.client, await made)
  }

  /** A sandbox that goes on where one that was saved has been: `save()` gives the file. */
  async openSandbox(file: object): Promise<RemoteSandbox> {
    return new RemoteSandbox(this.client, await this.client.post<Whereabouts>('/sandbox-files', file))
  }

  /** Checks a scenario that is written in YAML or JSON: every problem with its line and column. */
  checkScenario(text: string): Promise<TextCheck> {
    return this.client.post('/scenario-checks', { text })
  }

  /** Follows the calls of all sandboxes while they happen: reads until the loop is left, or the server ends. */
  events(options: FollowOptions = {}): AsyncGenerator<GatewayEvent, void> {
    return followEvents(this.client, options)
  }

  /** Takes no new sandboxes from now on; those that live stay. */
  drain(): Promise<void> {
    return this.client.post('/drain')
  }
}

function databaseAt(client: ControlClient, path: string): Promised<Database> {
  // The server knows which collections there are: the list of them would bring all their schemas along.
  return new Proxy({} as Promised<Database>, {
    get: (_, name) =>
      typeof name === 'string' && name !== 'then' ? recordsAt(client, `${path}/${name}`) : undefined,
  })
}

function recordsAt(client: ControlClient, path: string): Promised<Records<object>> {
  const at = (key: string) => `${path}/${encodeURIComponent(key)}`
  return {
    create: (record) => client.post(path, record),
    get: (key) =>
      client.get<object>(at(key)).catch((error) => {
        if (error instanceof GatewayError && error.status === 404) return undefined
        throw error
      }),
    list: (condition = {}) =>
      client.get(`${path}?${new URLSearchParams({ equals: JSON.stringify(condition) })}`),
    update: (key, changes) => client.patch(at(key), changes),
    delete: (key) => client.delete(at(key)),
  }
}

function idOf(entry: string | { readonly id: string }): string {
  return typeof entry === 'string' ? entry : entry.id
}

/** @param sandbox The path of its sandbox. */
function journalAt(client: ControlClient, sandbox: string): RemoteJournal<Bodies> {
  const path = `${sandbox}/journal`
  const below = `${sandbox}/calls`
  return {
    entries: () => client.get(path),
    entry: (id) => client.get(`${below}/${encodeURIComponent(id)}`),
    summaries: (last) => client.get(last === undefined ? below : `${below}?last=${last}`),
    exportAs: async (entry, as) =>
      (await client.get<{ text: string }>(`${below}/${encodeURIComponent(idOf(entry))}/export?as=${as}`))
        .text,
    resend: (entry) => client.post(`${below}/${encodeURIComponent(idOf(entry))}/resend`),
    dropped: async () => (await client.whole<{ meta: { dropped: number } }>('GET', path)).meta.dropped,
    calls: (operation, match) => client.post(`${path}/query`, { operation, match }),
    last: async (operation) => (await client.post<never[]>(`${path}/query`, { operation, last: 1 }))[0],
    trace: (trace) => client.get(`${path}/traces/${encodeURIComponent(trace)}`),
    unmatched: () => client.get(`${path}/unmatched`),
    nearMisses: () => client.get(`${path}/near-misses`),
    explain: (entry) => client.get(`${path}/entries/${encodeURIComponent(idOf(entry))}/explanation`),
    waitFor: (operation, options) => client.post(`${path}/wait`, { operation, ...options }),
    har: () => client.whole('GET', `${path}.har`),
    clear: () => client.delete(path),
  }
}

function clockAt(client: ControlClient, path: string): Promised<SandboxClock> {
  return {
    read: () => client.get(path),
    advance: (ms) => client.post(`${path}/advance`, { ms }),
  }
}
