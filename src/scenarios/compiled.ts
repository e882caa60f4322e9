/** Compiles each scenario once, for matching. Conditions become closures. */

import { formFor } from '../faults/fault.ts'
import { compareFaults, FaultSetting, faultOf } from '../faults/index.ts'
import { compileWhen, streamTest, type Test } from './condition.ts'
import type { OnEnd, ParsedRule, ParsedScenario, Step } from './scenario.ts'
import { faultsOf, type ParsedScriptedReply } from './scripted-reply.ts'

/** A scripted reply replaces the operation's reply; faults apply to either. */
export interface Effect {
  readonly faults: readonly FaultSetting[]
  readonly reply: ParsedScriptedReply | undefined
}

export interface CompiledStep extends Effect {
  /** `answer` if the step replies, `modifier` if its faults only change a reply, `pass` if it does neither. */
  readonly kind: 'answer' | 'modifier' | 'pass'
  /** Format that a request must ask for if the faults are to take effect. Other requests do not consume the step. */
  readonly form: 'stream' | 'json' | undefined
}

/** A rule with defaults filled in. A rule with a script has a single step, whose reply depends on the conversation. */
export interface CompiledRule extends Readonly<Omit<ParsedRule, 'on' | 'times' | 'onEnd'>> {
  readonly scenario: string
  /** The rule's position in the scenario, from 1. */
  readonly number: number
  readonly on: readonly string[]
  readonly tests: readonly Test[]
  readonly times: number
  /** Number of calls after which the rule ends: `times`, the number of steps, or Infinity. */
  readonly ends: number
  /** Number of calls for which the rule counts as finite. 0 for scripts, and without `times` or a sequence. */
  readonly finite: number
  readonly onEnd: OnEnd
  /** A rule without a sequence has a single step, which repeats. */
  readonly steps: readonly CompiledStep[]
}

export interface CompiledScenario {
  readonly name: string
  readonly source: ParsedScenario
  readonly rules: readonly CompiledRule[]
}

const compiled = new WeakMap<ParsedScenario, CompiledScenario>()

/** Scenarios converted from recordings, whose rules come after all others. */
export const recordings = new WeakSet<ParsedScenario>()

export function compileScenario(source: ParsedScenario): CompiledScenario {
  const existing = compiled.get(source)
  if (existing) return existing
  const { name } = source
  const rules = source.rules.map((rule, index) => compileRule(rule, name, index + 1))
  const result = { name, source, rules }
  compiled.set(source, result)
  return result
}

function compileRule(rule: ParsedRule, scenario: string, number: number): CompiledRule {
  const steps = stepsOf(rule).map(compileStep)
  const forms = new Set(steps.map(({ form }) => form))
  const form = forms.size === 1 ? steps[0]?.form : undefined
  const tests = compileWhen(rule.when ?? {})
  const { times = Number.POSITIVE_INFINITY, sequence, onEnd = rule.script ? 'fail' : 'pass' } = rule
  const repeats = onEnd === 'repeat' || onEnd === 'repeat-last'
  const ends = sequence && !repeats ? Math.min(times, sequence.length) : times
  return {
    ...rule,
    scenario,
    number,
    on: [rule.on].flat(),
    // If all steps of a rule need a stream, the rule matches only requests for a stream; likewise for JSON.
    tests: form && rule.when?.stream === undefined ? [streamTest(form === 'stream'), ...tests] : tests,
    times,
    ends,
    finite: Number.isFinite(ends) ? ends : (sequence?.length ?? 0),
    onEnd,
    steps,
  }
}

function stepsOf({ fault, reply, sequence, rateLimit, setState, script }: ParsedRule): readonly Step[] {
  if (script) return [{ reply: {} }]
  if (sequence) return sequence
  if (reply || fault) return [{ reply, fault }]
  if (rateLimit) return [{ fault: FaultSetting.parse('rate-limit') }]
  return setState === undefined ? [] : ['pass']
}

function compileStep(step: Step): CompiledStep {
  if (step === 'pass') return { faults: [], reply: undefined, kind: 'pass', form: undefined }
  const { reply } = step
  const faults = faultsOf(step).toSorted(compareFaults)
  return {
    reply,
    faults,
    kind: reply || faults.some(({ name }) => faultOf(name).layer === 'replacement') ? 'answer' : 'modifier',
    form: reply ? undefined : formFor(faults.map(({ name }) => faultOf(name))),
  }
}

/** Returns an effect that replies with a 400, which clients do not retry. */
export function refusal(message: string, metadata: Record<string, number>): Effect {
  const headers = { 'x-should-retry': 'false' }
  return { faults: [{ name: 'status', status: 400, message, metadata, headers }], reply: undefined }
}
