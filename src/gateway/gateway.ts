/** The gateway without a transport. It is also its own default sandbox. */
import { invalidRequest } from '../http/errors.ts'
import { basePathOf, publicBase, specifiedBase } from '../lib/address.ts'
import { nameCalls } from '../lib/call-names.ts'
import { refuseGuesses } from '../lib/guessed-names.ts'
import type { AnyOperation } from '../operation.ts'
import { conflicts, customOperation } from '../operations/custom-operation.ts'
import { operations as specified } from '../operations/index.ts'
import { collections } from '../resources/collections.ts'
import { assertObject, readOptions } from '../sandbox/option.ts'
import type { GatewayOptions, GatewayOptionsInput } from '../sandbox/options.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { assertNames, type SandboxOptions, sandboxOptionNames } from '../sandbox/sandbox-options.ts'
import { Sandboxes } from '../sandbox/sandboxes.ts'
import { isFaultModel } from '../scenarios/bundled.ts'
import { type ReadOptions, readModel, readScenario } from '../scenarios/read-scenario.ts'
import type { ParsedScenario } from '../scenarios/scenario.ts'
import { ScenarioError } from '../scenarios/scenario-error.ts'
import { type AnyExtra, type Dialect, operationsOutside, optionsOf } from './extra.ts'
import { Router } from './router.ts'

interface GatewaySetup {
  /** Available extras. Default: none. @internal */
  readonly extras?: readonly AnyExtra[]
  /** Reads scenario files, as in `use('./busy.yaml')`. Default: file paths are rejected. */
  readonly files?: ReadOptions['files']
}

/** A gateway, which is also its own default sandbox. @typeParam RequestBodies See `Sandbox`. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript 5 would not accept a `Gateway` where any gateway is accepted
export class GatewayCore<RequestBodies extends object = any> extends Sandbox<RequestBodies> {
  /** @internal */
  readonly operations: readonly AnyOperation[]
  /** Operations outside the specification. @internal */
  readonly outside: ReadonlySet<AnyOperation>
  /** @internal */
  readonly router: Router
  /** Extras that the options enable. @internal */
  readonly extras: readonly AnyExtra[]
  /** A vendor's variant of the API; undefined for the API in the specification. @internal */
  readonly dialect: Dialect | undefined
  /** @internal */
  readonly sandboxes: Sandboxes
  /** Base paths of requests, passed to `splitAddress`. @internal */
  readonly bases: readonly string[]
  readonly #reading: ReadOptions

  static {
    nameCalls(GatewayCore, ['createSandbox'])
    refuseGuesses(GatewayCore.prototype, 'gateway', true)
  }

  /** Throws a one-line error if an option, scenario or fixture is invalid. */
  constructor(options: GatewayOptionsInput = {}, setup: GatewaySetup = {}) {
    const { extras: available = [], files } = setup
    const checked = readOptions(optionsOf(available), options, 'createGateway') as GatewayOptions
    const created = available.map((extra) => ({ ...extra, ...extra.create?.(checked) }))
    const dialect = created.find((extra) => extra.dialect)?.dialect
    const extras = created.filter(({ operations }) => !(checked.onlySpecified && Array.isArray(operations)))
    const custom: AnyOperation[] = []
    for (const declaration of checked.operations)
      custom.push(customOperation(declaration, [...specified, ...custom]))
    const outside = operationsOutside(extras).filter(
      (each) => !custom.some((other) => conflicts(each, other)),
    )
    const operations = [...specified, ...outside, ...custom]
    for (const { operations: toOperations } of extras)
      if (typeof toOperations === 'function') operations.push(...toOperations(operations))
    const disabled = operationsOutside(created.filter((extra) => !extras.includes(extra)))
    const reading: ReadOptions = {
      operations,
      disabled: disabled.map(({ id }) => id),
      formats: available.flatMap((extra) => extra.readScenario ?? []),
    }
    const read = (input: unknown): ParsedScenario => readScenario(input, { ...reading, files })
    const scenarios = checked.scenarios.map((input, scenario) => {
      try {
        return read(input)
      } catch (error) {
        throw Object.assign(error as Error, { scenario })
      }
    })
    const sandboxes: Sandboxes = new Sandboxes({
      options: checked,
      collections: [...collections, ...extras.flatMap((extra) => extra.collections ?? [])],
      operations,
      scenarios,
      checkScenario: read,
    })
    super(sandboxes.defaultSetup)
    sandboxes.default = this as unknown as Sandbox
    this.dialect = dialect
    this.operations = operations
    this.#reading = reading
    this.outside = new Set(outside)
    this.router = new Router(operations)
    this.bases = basesOf(checked)
    this.extras = extras
    for (const { listener } of extras) if (listener) sandboxes.listeners.add(listener)
    this.sandboxes = sandboxes
  }

  /** Creates an isolated sandbox with its own data, rules, journal, clock and API key. */
  createSandbox(options: SandboxOptions = {}): Sandbox<RequestBodies> {
    assertObject(options, 'createSandbox')
    assertNames(options, sandboxOptionNames, 'createSandbox')
    return this.sandboxes.create(options) as Sandbox<RequestBodies>
  }

  /** Runs a function in the default sandbox. */
  override run<Result>(work: () => Result): Result
  /** Runs a function in a live sandbox of this gateway, like `sandbox.run(work)`. */
  override run<Result>(sandbox: Sandbox<RequestBodies>, work: () => Result): Result
  override run(...args: unknown[]): unknown {
    const [sandbox, work] = args.length > 1 ? args : [this, ...args]
    return this.sandboxes.run(sandbox as Sandbox, work as () => unknown)
  }

  /** Reads a scenario, rule, recording or name, but no file path, because requests can supply the input. @internal */
  checkScenario(input: unknown): ParsedScenario {
    return readScenario(input, this.#reading)
  }

  /** Returns the scenarios named in the `x-understudy-scenario` header. Throws 400 for an unknown one. @internal */
  scenariosNamed(header: string): readonly ParsedScenario[] {
    return header.split(',').map((name) => {
      return readNamed('header.x-understudy-scenario', () => this.checkScenario(name.trim()))
    })
  }

  /** Returns the scenario that a model such as `fault/503` selects. Throws 400 for an unknown fault. @internal */
  scenarioOfModel(model: string | undefined): ParsedScenario[] {
    return isFaultModel(model) ? [readNamed('body.model', () => readModel(model))] : []
  }
}

function readNamed(path: string, read: () => ParsedScenario): ParsedScenario {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    throw invalidRequest([{ path, message: error.message, rule: 'scenario' }])
  }
}

/** Returns the base paths of requests, longest first: the default paths and the path of `baseUrl`. */
function basesOf({ baseUrl, onlySpecified }: GatewayOptions): string[] {
  const bases = onlySpecified ? [specifiedBase] : [specifiedBase, publicBase]
  const own = baseUrl === undefined ? undefined : basePathOf(baseUrl)
  if (own === undefined) return bases
  return own === '' ? [...bases, own] : [own, ...bases]
}

/** Duck-typed, because a process can load both the ES module and the CommonJS build of the package. */
export function isGateway(value: unknown): value is GatewayCore {
  return typeof value === 'object' && value !== null && 'sandboxes' in value && 'router' in value
}
