/**
 * The gateway without an adapter: options, operations, sandboxes. Its default sandbox is at hand, so that the
 * simple case stays simple.
 */

import type { Database } from '../database/database.ts'
import { Fixtures, Size } from '../database/seed-options.ts'
import { invalidRequest } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import type { Journal } from '../journal/journal.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type Bodies, operations } from '../operations/index.ts'
import { bundledScenario } from '../rules/bundled.ts'
import { checkScenario } from '../rules/check-scenario.ts'
import type { ActiveScenario, UnusedRule } from '../rules/rules.ts'
import type { Scenario } from '../rules/scenario.ts'
import { GatewayOptions, type GatewayOptionsInput } from '../sandbox/options.ts'
import type { Sandbox, SandboxClock } from '../sandbox/sandbox.ts'
import { type NewSandbox, Sandboxes } from '../sandbox/sandboxes.ts'
import { Router } from './router.ts'

/** What the default sandbox and the gateway have in common: the gateway passes these on. */
type Face = Pick<
  Sandbox<Bodies>,
  | 'db'
  | 'journal'
  | 'use'
  | 'reply'
  | 'fail'
  | 'reset'
  | 'resetScenarios'
  | 'unusedRules'
  | 'snapshot'
  | 'restore'
>

export class GatewayCore implements Face {
  readonly options: GatewayOptions
  /** @internal */
  readonly operations = operations
  /** @internal */
  readonly router = new Router(operations)
  /** @internal */
  readonly sandboxes: Sandboxes

  /** Throws one clear line for an option, a scenario or a fixture that is wrong. */
  constructor(options: GatewayOptionsInput = {}) {
    this.options = parseOptions(options)
    const scenarios = this.options.scenarios.map(toScenario)
    this.sandboxes = new Sandboxes({ options: this.options, operations, scenarios, toScenario })
  }

  /** An isolated sandbox: its own data, rules, journal and clock, and a key of its own. */
  createSandbox(options: NewSandbox = {}): Sandbox<Bodies> {
    return this.sandboxes.create(options) as Sandbox<Bodies>
  }

  /** The scenarios that a request names in its header, for poking by hand. Throws 400 for one that nobody knows. @internal */
  scenariosNamed(header: string | undefined): readonly Scenario[] {
    if (header === undefined) return []
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

  /** The default sandbox's clock; to advance it lets every sandbox's idle age grow too. */
  get clock(): SandboxClock {
    const { clock } = this.#default
    return {
      read: () => clock.read(),
      advance: (ms) => {
        this.sandboxes.age(ms)
        return clock.advance(ms)
      },
    }
  }

  readonly use: Face['use'] = (scenario): ActiveScenario => this.#default.use(scenario)
  readonly reply: Face['reply'] = (text, options) => this.#default.reply(text, options)
  readonly fail: Face['fail'] = (status, options) => this.#default.fail(status, options)
  readonly resetScenarios: Face['resetScenarios'] = () => this.#default.resetScenarios()
  readonly unusedRules: Face['unusedRules'] = (): UnusedRule[] => this.#default.unusedRules()
  readonly snapshot: Face['snapshot'] = () => this.#default.snapshot()
  readonly restore: Face['restore'] = (snapshot) => this.#default.restore(snapshot)
  readonly reset: Face['reset'] = () => this.#default.reset()
}

/** A scenario from what a person gives: the name of a bundled one, a scenario, or a single rule. */
export function toScenario(input: string | object): Scenario {
  if (typeof input === 'string') return checkedBundled(input)
  return checkScenario('rules' in input ? input : { name: 'rule', rules: [input] }, operations)
}

/** Checked once: a scenario that requests name again and again stays the same one, and its counters go on. */
function checkedBundled(name: string): Scenario {
  const known = bundled.get(name) ?? checkScenario(bundledScenario(name), operations)
  bundled.set(name, known)
  return known
}

const bundled = new Map<string, Scenario>()

const unnamed = { path: 'options', message: 'Invalid', rule: '' }
const optionNames = [GatewayOptions, Size, Fixtures].flatMap(({ shape }) => Object.keys(shape))

function parseOptions(input: GatewayOptionsInput): GatewayOptions {
  const result = GatewayOptions.safeParse(input)
  if (result.success) return result.data
  const [{ path, message, rule } = unnamed] = toViolations(result.error, 'options')
  const name = path.slice(path.lastIndexOf('.') + 1)
  const hint = rule === 'unrecognized_keys' ? didYouMean(name, optionNames) : ''
  throw new TypeError(`createGateway: ${path}: ${message}${hint}`)
}
