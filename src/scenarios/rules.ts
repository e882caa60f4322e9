/** A sandbox's active rules: matches requests and tracks progress. */
import { GatewayError } from '../http/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Conversation } from '../resources/conversation.ts'
import {
  type Activation,
  copyActivation,
  createActivation,
  type ScenarioProgress,
  type ScriptProgress,
  scenarioProgress,
  scriptsOf,
  type UnusedRule,
  unusedRulesOf,
} from './activation.ts'
import { compose, type Outcome, type RecordedAnswer } from './compose.ts'
import type { RuleRequest } from './condition.ts'
import { Gate, type HoldOptions } from './gate.ts'
import type { ParsedScenario } from './scenario.ts'
import type { ReplyFunction } from './scripted-reply.ts'
import type { FillTemplates } from './template.ts'

/** A scenario that is active until it is disposed. */
export interface ActiveScenario extends Disposable {
  /** Id of this activation, such as `flaky~3`. */
  readonly id: string
  /** Scenario name; `rule`, `reply`, `fail` or `script` if the scenario was generated. */
  readonly name: string
}

export interface RulesSnapshot {
  /** Newest first. */
  activations: readonly Activation[]
  /** Scenarios activated by the `x-understudy-scenario` header. */
  named: readonly Activation[]
  conversations: number
  state: string
}

/** Maximum number of active rules in a sandbox: two scenarios of maximum size. */
const maxRules = 20_000

const unused: RulesSnapshot = { activations: [], named: [], conversations: 0, state: 'started' }

export class Rules {
  readonly #setup: { readonly seed: string | number; readonly clock: Clock }
  #live: RulesSnapshot

  constructor(setup: { seed: string | number; clock: Clock }, from: RulesSnapshot = unused) {
    this.#setup = setup
    this.#live = copySnapshot(from)
  }

  /** @param replyFunction Replies instead of the scenario's rules. */
  use(scenario: ParsedScenario, replyFunction?: ReplyFunction): Activation {
    const activation = createActivation(scenario, replyFunction)
    this.#add(activation)
    return activation
  }

  hold(scenario: ParsedScenario, options: HoldOptions, describeCalls: () => string): Gate {
    const activation = createActivation(scenario)
    const { id } = activation
    const gate = new Gate(id, options, () => void this.end(id), describeCalls)
    this.#add({ ...activation, gate })
    return gate
  }

  gate(id: string): Gate {
    const gate = this.#live.activations.find((each) => each.id === id)?.gate
    if (gate) return gate
    throw new GatewayError(404, `No active gate '${id}': it was released or reset, or never existed`)
  }

  openGates(): void {
    for (const { gate } of this.#live.activations) gate?.open()
  }

  names(): string[] {
    return this.#live.activations.map(({ name }) => name)
  }

  active(): ScenarioProgress[] {
    return this.#live.activations.map(scenarioProgress)
  }

  /** Ends the activation with this id, or all activations with this name. Returns the number of ended activations. */
  end(name: string): number {
    const { activations } = this.#live
    const others = activations.filter((each) => each.name !== name && each.id !== name)
    this.#live.activations = others
    for (const each of activations) if (each.gate && !others.includes(each)) each.gate.open()
    return activations.length - others.length
  }

  clear(): void {
    this.openGates()
    this.#live = { ...unused }
  }

  unused(): UnusedRule[] {
    return this.#live.activations.flatMap(unusedRulesOf)
  }

  /** Returns true if an active rule has this name, or `METHOD /path`, in `on`. */
  has(name: string): boolean {
    return this.#live.activations.some(({ rules }) => rules.some(({ on }) => on.includes(name)))
  }

  /** Counts the call. @param named Scenarios that the request names. The rules of these scenarios come first. */
  match(
    request: RuleRequest,
    named: readonly ParsedScenario[] = [],
    readConversation: () => Conversation | undefined = () => undefined,
    fillTemplates: FillTemplates = (scripted) => scripted,
    findRecorded: () => RecordedAnswer | undefined = () => undefined,
  ): Outcome {
    const live = this.#live
    const own = named.map((scenario) => this.#namedActivation(scenario))
    const context = { ...this.#setup, live, state: live.state, readConversation, fillTemplates, findRecorded }
    return compose([...own, ...live.activations], own.length, request, context)
  }

  scripts(): ScriptProgress[] {
    return this.#live.activations.toReversed().flatMap(scriptsOf)
  }

  snapshot(): RulesSnapshot {
    return copySnapshot(this.#live)
  }

  #add(activation: Activation): void {
    const activations = [activation, ...this.#live.activations]
    const count = activations.reduce((sum, { rules }) => sum + rules.length, 0)
    const message = `A sandbox can have at most ${maxRules} active rules: deactivate some scenarios, or reset the sandbox`
    if (count > maxRules) throw new GatewayError(429, message)
    this.#live.activations = activations
  }

  #namedActivation(scenario: ParsedScenario): Activation {
    const existing = this.#live.named.find(({ name }) => name === scenario.name)
    const activation = existing ?? createActivation(scenario)
    if (!existing) this.#live.named = [...this.#live.named, activation]
    return activation
  }
}

function copySnapshot({ activations, named, ...others }: RulesSnapshot): RulesSnapshot {
  const copied = activations.filter(({ gate }) => !gate).map(copyActivation)
  return { ...others, activations: copied, named: named.map(copyActivation) }
}
