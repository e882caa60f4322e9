/**
 * The scripts among the rules about a request: together they decide which conversation it continues or begins.
 */
import type { Conversation } from '../resources/conversation.ts'
import type { Match } from './outcome.ts'
import type { RuleRequest } from './rule-request.ts'
import { playTurn } from './script-runs.ts'
import { type Candidates, progressOf, type Use } from './use.ts'

interface Setting {
  /** All uses but those that the request names in its header, newest first. */
  readonly uses: readonly Use[]
  /** Of the sandbox. */
  readonly state: string
  readonly seed: string | number
  nextConversation(): number
}

/** Plays the turn that a request takes. Undefined where no script has anything to say to it. */
export function playScripts(
  { rules, uses }: Candidates,
  request: RuleRequest,
  conversation: Conversation,
  setting: Setting,
): Match | undefined {
  const scripted = rules.flatMap((rule, index) => {
    const use = uses[index] as Use
    const { script } = rule
    if (!script || !rule.tests.every((test) => test.passes(request))) return []
    if (rule.states && !rule.states.includes(setting.state)) return []
    return { rule, script, progress: progressOf(use, rule), place: setting.uses.indexOf(use) }
  })
  // A scenario that the request names in its header has no place, and comes first.
  const isNamed = scripted[0]?.place === -1
  const oldestFirst = scripted
    .filter(({ place }) => (place === -1) === isNamed)
    .sort((left, right) => right.place - left.place)
  const played = scripted.length > 0 ? playTurn(oldestFirst, request, conversation, setting) : undefined
  const rule = played && oldestFirst[played.index]?.rule
  if (!rule) return undefined
  const { scenario, number, name } = rule
  return {
    scenario,
    rule: number,
    name,
    effect: played.effect,
    rateLimit: undefined,
    nothingHappened() {},
    turn: played.reading,
    call: played.reading.turn,
    answer: undefined,
  }
}
