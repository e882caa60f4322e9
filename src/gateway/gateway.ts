/**
 * The gateway without an adapter: options, operations, sandboxes. Its default sandbox is at hand, so that the
 * simple case stays simple.
 */

import type { Database } from '../database/database.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { findDialect } from '../dialects/index.ts'
import { invalidRequest } from '../http/errors.ts'
import type { Journal } from '../journal/journal.ts'
import type { Operation } from '../operation.ts'
import { operationsOf } from '../operations/index.ts'
import type { Bodies } from '../operations/request-bodies.ts'
import type { ActiveScenario, UnusedRule } from '../rules/rules.ts'
import type { Scenario } from '../rules/scenario.ts'
import type { ScenarioInput } from '../rules/scenario-input.ts'
import { isScenarioPath } from '../rules/scenario-path.ts'
import { assertNames } from '../sandbox/known-names.ts'
import { type GatewayOptions, readGatewayOptions } from '../sandbox/options.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import { assertObject } from '../sandbox/read-options.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxClock } from '../sandbox/sandbox-clock.ts'
import { type NewSandbox, newSandboxNames } from '../sandbox/sandbox-host.ts'
import { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Recordings } from '../tapes/recordings.ts'
import { openRecordings } from './open-recordings.ts'
import { Router } from './router.ts'
import { type ScenarioReader, toScenario } from './to-scenario.ts'

/** What a gateway has of its default sandbox. */
type DefaultSandbox = Pick<
  Sandbox<Bodies>,
  | 'db'
  | 'journal'
  | 'use'
  | 'reply'
  | 'fail'
  | 'script'
  | 'scripts'
  | 'reset'
  | 'resetScenarios'
  | 'activeScenarios'
  | 'unusedRules'
  | 'usage'
  | 'save'
  | 'snapshot'
  | 'restore'
>

export class GatewayCore implements DefaultSandbox {
  /** Its options, every default in place. */
  readonly options: GatewayOptions
  /** @internal */
  readonly operations: readonly Operation[]
  /** @internal */
  readonly router: Router
  /** What the gateway's words on the wire are; undefined for those of the specification. @internal */
  readonly dialect: Dialect | undefined
  /** Whether a key may come as `x-api-key`. @internal */
  readonly takesKeyHeader: boolean
  /** @internal */
  readonly sandboxes: Sandboxes
  /** @internal */
  readonly recordings: Recordings | undefined

  /**
   * Throws one clear line for an option, a scenario or a fixture that is wrong.
   *
   * @param readScenario Reads scenario files, for `use('./busy.yaml')`. Default: a path is refused.
   */
  constructor(options: GatewayOptionsInput = {}, readScenario?: ScenarioReader) {
    this.options = readGatewayOptions(options)
    this.dialect = this.options.dialect === undefined ? undefined : findDialect(this.options.dialect)
    const on = [...new Set([...this.options.extensions, ...(this.dialect?.extensions ?? [])])]
    const operations = operationsOf({ ...this.options, extensions: on })
    this.operations = operations
    this.router = new Router(operations)
    this.takesKeyHeader = on.includes('messages')
    this.recordings = openRecordings(this.options)
    const fromFileToo = (given: string | object): Scenario =>
      readScenario && typeof given === 'string' && isScenarioPath(given)
        ? (readScenario(given, operations) as Scenario)
        : toScenario(given, operations)
    const scenarios = this.options.scenarios.map(fromFileToo)
    this.sandboxes = new Sandboxes({ options: this.options, operations, scenarios, toScenario: fromFileToo })
  }

  /** An isolated sandbox: its own data, rules, journal and clock, and a key of its own. */
  createSandbox(options: NewSandbox = {}): Sandbox<Bodies> {
    assertObject(options, 'createSandbox')
    assertNames(options, newSandboxNames, 'createSandbox')
    return this.sandboxes.create(options) as Sandbox<Bodies>
  }

  /** A sandbox that goes on where one that was saved has been: `save()` gives the file. */
  openSandbox(file: object): Promise<Sandbox<Bodies>> {
    return this.sandboxes.open(file) as Promise<Sandbox<Bodies>>
  }

  /**
   * Runs a test in a sandbox: a call that its code makes in this process sees that sandbox, whatever its key, without
   * being told of it. The key or the path of another sandbox still wins. Throws where the platform has no
   * `AsyncLocalStorage`, as in a browser.
   *
   * @example await gateway.run(sandbox, async () => { await ask('Hello?') })
   */
  run<Result>(sandbox: Sandbox<Bodies>, work: () => Result): Result {
    if (typeof work !== 'function')
      throw new TypeError('gateway.run(sandbox, work): work is a function, as in () => ask(…)')
    return this.sandboxes.current.run(sandbox as Sandbox, work)
  }

  /** The scenarios that a request names in its header `x-understudy-scenario`. Throws 400 for an unknown one. @internal */
  scenariosNamed(header: string): readonly Scenario[] {
    return header.split(',').map((name) => {
      try {
        return toScenario(name.trim())
      } catch (error) {
        throw invalidRequest([
          { path: 'header.x-understudy-scenario', message: (error as Error).message, rule: 'scenario' },
        ])
      }
    })
  }

  get #default(): Sandbox<Bodies> {
    return this.sandboxes.default as Sandbox<Bodies>
  }

  get db(): Database {
    return this.#default.db
  }

  get journal(): Journal<Bodies> {
    return this.#default.journal
  }

  get clock(): SandboxClock {
    return this.#default.clock
  }

  readonly use: DefaultSandbox['use'] = (scenario: string | object): ActiveScenario =>
    this.#default.use(scenario as ScenarioInput)
  readonly reply: DefaultSandbox['reply'] = (text, options) => this.#default.reply(text, options)
  readonly fail: DefaultSandbox['fail'] = (status, options) => this.#default.fail(status, options)
  readonly script: DefaultSandbox['script'] = (...args) => this.#default.script(...args)
  readonly scripts: DefaultSandbox['scripts'] = () => this.#default.scripts()
  readonly resetScenarios: DefaultSandbox['resetScenarios'] = () => this.#default.resetScenarios()
  readonly activeScenarios: DefaultSandbox['activeScenarios'] = () => this.#default.activeScenarios()
  readonly usage: DefaultSandbox['usage'] = () => this.#default.usage()
  readonly unusedRules: DefaultSandbox['unusedRules'] = (): UnusedRule[] => this.#default.unusedRules()
  readonly save: DefaultSandbox['save'] = (options) => this.#default.save(options)
  readonly snapshot: DefaultSandbox['snapshot'] = () => this.#default.snapshot()
  readonly restore: DefaultSandbox['restore'] = (snapshot) => this.#default.restore(snapshot)
  readonly reset: DefaultSandbox['reset'] = () => this.#default.reset()
}

/** Also one of another copy of the package: an ES module and a CommonJS one may meet in a process. */
export function isGateway(value: unknown): value is GatewayCore {
  return typeof value === 'object' && value !== null && 'sandboxes' in value && 'router' in value
}
