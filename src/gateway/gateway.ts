/**
 * The gateway without an adapter: options, operations, sandboxes. Its default sandbox is at hand, so that the
 * simple case stays simple.
 */
import { invalidRequest } from '../http/errors.ts'
import { methodsAtCaller } from '../lib/at-caller.ts'
import type { AnyOperation } from '../operation.ts'
import { type Bodies, operationsOf } from '../operations/index.ts'
import { readGatewayOptions } from '../sandbox/options.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import { assertObject } from '../sandbox/read-options.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { assertNames, type SandboxOptions, sandboxOptionNames } from '../sandbox/sandbox-options.ts'
import { Sandboxes } from '../sandbox/sandboxes.ts'
import { isScenarioPath } from '../scenarios/names.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { AnyExtra, Dialect, Extra, ExtraHost } from './extra.ts'
import { Router } from './router.ts'
import { type ScenarioReader, toScenario } from './to-scenario.ts'

/** Parts of a gateway that its entry brings along. */
export interface GatewaySetup {
  /** Default: none. @internal */
  readonly extras?: readonly AnyExtra[]
  /** Reads scenario files, for `use('./busy.yaml')`. Default: a path is refused. */
  readonly readScenario?: ScenarioReader
}

/** The gateway is its own default sandbox. */
export class GatewayCore extends Sandbox<Bodies> {
  /** @internal */
  readonly operations: readonly AnyOperation[]
  /** @internal */
  readonly router: Router
  /** The active extras. @internal */
  readonly extras: readonly Extra[]
  /** The vendor's form of the API; undefined for that of the specification. @internal */
  readonly dialect: Dialect | undefined
  /** Whether a key may come as `x-api-key`. @internal */
  readonly takesKeyHeader: boolean
  /** @internal */
  readonly sandboxes: Sandboxes
  /** Replays the recording of a call, if there are recordings. @internal */
  readonly replay: Extra['replay']
  /** Extras that options may activate. @internal */
  readonly knownExtras: readonly AnyExtra[]

  static {
    methodsAtCaller(GatewayCore)
  }

  /** Throws one clear line for an option, a scenario or a fixture that is wrong. */
  constructor(options: GatewayOptionsInput = {}, setup: GatewaySetup = {}) {
    const { extras: knownExtras = [], readScenario } = setup
    const checked = readGatewayOptions(options, knownExtras)
    const host: ExtraHost = {
      get sandboxes() {
        return sandboxes
      },
      observe(listener) {
        sandboxes.listeners.add(listener)
        return () => sandboxes.listeners.delete(listener)
      },
    }
    const extras = knownExtras.flatMap(({ create }) => create?.(checked, host) ?? [])
    const dialect = extras.find((extra) => extra.dialect)?.dialect
    const active = [...new Set([...checked.extensions, ...(dialect?.extensions ?? [])])]
    let operations = operationsOf({ ...checked, extensions: active })
    for (const extra of extras)
      if (extra.operations) operations = [...operations, ...extra.operations(operations)]
    const fromFileToo = (given: unknown): Scenario =>
      readScenario && typeof given === 'string' && isScenarioPath(given)
        ? (readScenario(given, operations) as Scenario)
        : toScenario(given, operations, knownExtras)
    const scenarios = checked.scenarios.map((given, scenario) => {
      try {
        return fromFileToo(given)
      } catch (error) {
        throw Object.assign(error as Error, { scenario })
      }
    })
    const sandboxes: Sandboxes = new Sandboxes({
      options: checked,
      operations,
      scenarios,
      checkScenario: fromFileToo,
    })
    super(sandboxes.defaultSetup)
    sandboxes.default = this as unknown as Sandbox
    this.dialect = dialect
    this.operations = operations
    this.router = new Router(operations)
    this.takesKeyHeader = active.includes('messages')
    this.extras = extras
    this.replay = extras.find((extra) => extra.replay)?.replay
    this.knownExtras = knownExtras
    this.sandboxes = sandboxes
  }

  /** An isolated sandbox: its own data, rules, journal and clock, and a key of its own. */
  createSandbox(options: SandboxOptions = {}): Sandbox<Bodies> {
    assertObject(options, 'createSandbox')
    assertNames(options, sandboxOptionNames, 'createSandbox')
    return this.sandboxes.create(options) as Sandbox<Bodies>
  }

  /** A sandbox that goes on where one that was saved has been: `save()` gives the file. */
  async openSandbox(file: object): Promise<Sandbox<Bodies>> {
    return (await this.sandboxes.open(file)) as Sandbox<Bodies>
  }

  /** Runs some work in the default sandbox. */
  override run<Result>(work: () => Result): Result
  /**
   * Runs some work in a sandbox, as `sandbox.run(work)`. Throws for anything but a live sandbox of this gateway.
   *
   * @example await gateway.run(sandbox, () => ask('Hello?'))
   */
  override run<Result>(sandbox: Sandbox<Bodies>, work: () => Result): Result
  override run(...given: unknown[]): unknown {
    const [sandbox, work] = given.length > 1 ? given : [this, ...given]
    return this.sandboxes.run(sandbox as Sandbox, work as () => unknown)
  }

  /**
   * Checks a scenario, a single rule or a recording, or finds the bundled scenario of a name. A text is never a path:
   * requests and the control API call this, and must not make the server read files. Throws one clear line.
   *
   * @internal
   */
  checkScenario(input: unknown): Scenario {
    return toScenario(input, this.operations, this.knownExtras)
  }

  /** The scenarios that a request names in its header `x-understudy-scenario`. Throws 400 for an unknown one. @internal */
  scenariosNamed(header: string): readonly Scenario[] {
    return header.split(',').map((name) => {
      try {
        return this.checkScenario(name.trim())
      } catch (error) {
        throw invalidRequest([
          { path: 'header.x-understudy-scenario', message: (error as Error).message, rule: 'scenario' },
        ])
      }
    })
  }
}

/** Also one of another copy of the package: an ES module and a CommonJS one may meet in a process. */
export function isGateway(value: unknown): value is GatewayCore {
  return typeof value === 'object' && value !== null && 'sandboxes' in value && 'router' in value
}
