/**
 * Tracks conversations that follow a script. Call ids that the script has sent identify a conversation, even if the
 * client changes other parts of the history. Without them, the first user message and the assistant's output do.
 */
import * as z from 'zod'
import { compareFaults, type FaultSetting } from '../faults/index.ts'
import { truncate } from '../lib/one-line.ts'
import { hash } from '../lib/seed.ts'
import { assistantOutputs, type Conversation, firstUserText } from '../resources/conversation.ts'
import { type CompiledRule, type Effect, type Progress, refusal } from './activation.ts'
import type { RuleRequest } from './condition.ts'
import { lazyObject } from './field.ts'
import { ruleTitle } from './names.ts'
import { answerOf, type CallResult, differencesOf, type ParsedTurn, type Script } from './script.ts'
import { faultsOf } from './scripted-reply.ts'
import type { FillTemplates } from './template.ts'

/** A conversation that follows a script. Immutable, so that snapshots can share it. */
export interface ScriptRun {
  /** 1-based index of this conversation among the sandbox's scripted conversations; 0 before its first turn. */
  readonly conversation: number
  readonly firstUserMessage: string
  readonly turns: number
  /** `isSure` is false if the client may not have received the text, for example after a fault. */
  readonly said: readonly { readonly text: string; readonly isSure: boolean }[]
  readonly calls: ReadonlyMap<string, string>
  readonly pending: readonly string[]
  /** Set after a turn whose reply another rule changed: the request's history and the run before the turn. */
  readonly retry?: { readonly history: string; readonly before: ScriptRun } | undefined
  readonly problem: string | null
}

interface ActiveScript {
  readonly rule: CompiledRule
  readonly progress: Progress
}

/** The turn that a request consumes in a scripted conversation. */
export const TurnReading = lazyObject(() => ({
  conversation: z.int().describe('1-based index of the scripted conversation; 0 if rejected.'),
  number: z.int().describe('1-based turn number.'),
  total: z.int().describe('Number of turns in the script.'),
  mismatch: z.string().nullable().describe('Reason why the request did not match; null if it did.'),
}))
export type TurnReading = z.output<typeof TurnReading>

/** A turn that a script would play. If `mismatch` is set, the script would reject the request with a 400. */
export interface PlannedTurn extends CurrentRun {
  readonly number: number
  /** The run that this one replaces, because the client repeats the request of its last turn. */
  readonly repeated?: ScriptRun
  readonly history: string
  readonly faults: readonly FaultSetting[]
  readonly mismatch?: string
  readonly problem?: string | undefined
}

/** Maximum number of conversations per script. The oldest conversations are evicted. */
const maxRuns = 1000

/** @param scripts Scripts that may match the request, oldest first. */
export function planTurns(scripts: readonly ActiveScript[], conversation: Conversation) {
  const current = findRun(scripts, conversation)
  const history = hash(conversation.items.length, JSON.stringify(conversation.items.at(-1)))

  /** Returns the conversation's next turn, or the first turn of an unused script. */
  function nextTurn(): PlannedTurn | undefined {
    if (current?.run.retry?.history === history) {
      const { active, run } = current
      const before = { ...current.run.retry.before, conversation: run.conversation }
      return { ...plan({ active, run: before }), repeated: run }
    }
    if (current && hasTurns(current)) return plan(current)
    if (current && current.active.rule.onEnd !== 'pass') return undefined
    const unstarted = scripts.filter(({ progress }) => progress.applied === 0)
    const fitting = unstarted.find((each) => fitsTurn(scriptOf(each)[0], conversation))
    const active = fitting ?? unstarted[0]
    // A script that lets requests pass after its last turn leaves the conversation to the next script.
    return active && plan({ active, run: newRun(conversation, current?.run) })
  }

  /** Applies `onEnd` after a script's last turn. Returns undefined if it lets the request pass. */
  function endOf(active: ActiveScript): PlannedTurn | undefined {
    const { onEnd } = active.rule
    if (!current) return newConversation(active)
    if (current.active !== active || onEnd === 'pass') return undefined
    if (onEnd !== 'fail') return plan(current)
    const total = scriptOf(active).length
    const number = current.run.turns + 1
    const mismatch = `no turn ${number}: the script has ${total} turn${total === 1 ? '' : 's'}`
    const message = `there is ${mismatch}; to let later requests pass, set onEnd: 'pass'`
    return reject(current, number, message, mismatch, `expected ${mismatch}`)
  }

  /** Starts a repeating script again, or rejects a conversation for which there is no unused script. */
  function newConversation(active: ActiveScript): PlannedTurn | undefined {
    const run = newRun(conversation)
    const repeating = scripts.find((each) => {
      const { onEnd } = each.rule
      if (onEnd === 'repeat') return fitsTurn(scriptOf(each)[0], conversation)
      return onEnd === 'repeat-last' && fitsTurn(scriptOf(each).at(-1), conversation)
    })
    if (repeating && repeating !== active) return undefined
    if (repeating) {
      const turns = active.rule.onEnd === 'repeat' ? 0 : scriptOf(active).length
      return plan({ active, run: { ...run, turns } })
    }
    if (scripts.some(({ rule }) => rule.onEnd === 'pass')) return undefined
    const reason =
      scripts.length === 1
        ? 'the script is already used by another'
        : `all ${scripts.length} scripts are already used by others`
    const fix = active.rule.onEnd?.startsWith('repeat')
      ? ''
      : "; to accept it, call script() again, or set onEnd: 'repeat' or 'pass'"
    const message = `this is a new conversation, or the client changed its history, and ${reason}${fix}${forOthers}`
    return reject({ active, run }, 1, message, `no new conversation: ${reason}`)
  }

  function plan({ active, run }: CurrentRun): PlannedTurn {
    const script = scriptOf(active)
    const total = script.length
    const number = (active.rule.onEnd === 'repeat' ? run.turns % total : Math.min(run.turns, total - 1)) + 1
    const turn = script[number - 1] as ParsedTurn
    const results = resultsOf(conversation, run)
    const differences = differencesOf(turn.expect, conversation, results).join('; expected ')
    if (differences === '')
      return { active, number, run, history, faults: faultsOf(turn).toSorted(compareFaults) }
    const isNew = run.turns === 0
    const message = `turn ${number} of ${total} does not match: expected ${differences}${isNew ? forOthers : ''}`
    const problem = isNew ? differences : `turn ${number} expected ${differences}`
    return reject({ active, run }, number, message, differences, problem)
  }

  function reject(
    { active, run }: CurrentRun,
    number: number,
    message: string,
    difference: string,
    problem?: string,
  ): PlannedTurn {
    const { scenario, number: rule, name } = active.rule
    const position = scripts.length > 1 ? ` number ${scripts.indexOf(active) + 1}` : ''
    const known = new Set(runsOf(scripts).flatMap((each) => [...each.run.calls.keys()]))
    const unknown = conversation.items.find((item) => 'id' in item && !known.has(item.id))
    const cause = unknown && 'id' in unknown && `no script sent the call id '${truncate(unknown.id, 100)}'`
    const text = `${ruleTitle(scenario, rule, name)}${position}: ${cause ? `${cause}; ` : ''}${message}`
    const mismatch = cause ? `${difference}; ${cause}` : difference
    return { active, number, run, history, faults: refusal(text, { turn: number }).faults, mismatch, problem }
  }

  return { next: nextTurn(), endOf }
}

const forOthers = '; to let other conversations pass, limit the script with when, which applies to every turn'

/** @param isChanged If true, another rule changes the reply, so the client may not receive it as scripted. */
export function playTurn(
  { active, number, run, repeated, history, faults, mismatch, problem }: PlannedTurn,
  request: RuleRequest,
  isChanged: boolean,
  context: { seed: string | number; live: { conversations: number }; fillTemplates: FillTemplates },
): { effect: Effect; reading: TurnReading; undo(): void } {
  const { live } = context
  const started = live.conversations
  const { progress } = active
  const script = scriptOf(active)
  const total = script.length
  const reading = { conversation: run.conversation, number, total, mismatch: mismatch ?? null }
  const replace = (old: ScriptRun, next: ScriptRun) => {
    progress.runs = progress.runs.map((each) => (each === old ? next : each))
  }
  const listed = repeated ?? run
  const isBegun = progress.runs.includes(listed)
  if (mismatch !== undefined) {
    if (isBegun) replace(listed, { ...listed, problem: problem ?? null })
    else progress.problem = problem ?? progress.problem
    return { effect: { faults, reply: undefined }, reading, undo() {} }
  }
  const answer = answerOf(
    context.fillTemplates(script[number - 1] as ParsedTurn, number),
    (call) =>
      `${request.callPrefix ?? 'call_'}${hash(context.seed, 'script', request.contentKey, request.occurrence, call)}`,
  )
  const isSure = faults.length === 0 && answer.arrives && !isChanged
  const conversation = run.conversation || ++live.conversations
  const next: ScriptRun = {
    ...run,
    conversation,
    turns: run.turns + 1,
    said: [...run.said, ...answer.said.map((text) => ({ text, isSure }))],
    calls: new Map([...listed.calls, ...answer.calls]),
    pending: [...answer.calls.keys()],
    retry: isChanged ? { history, before: { ...run, retry: undefined } } : undefined,
    problem: null,
  }
  if (isBegun) replace(listed, next)
  else {
    progress.runs = [...progress.runs.slice(1 - maxRuns), next]
    progress.problem = null
  }
  progress.applied++
  const undo = () => {
    if (isBegun) replace(next, listed)
    else progress.runs = progress.runs.filter((each) => each !== next)
    progress.applied--
    if (live.conversations === started + 1) live.conversations = started
  }
  return { effect: { faults, reply: answer.reply }, reading: { ...reading, conversation }, undo }
}

/** @param previous Conversation that another script has completed and that this script continues. */
function newRun(conversation: Conversation, previous?: ScriptRun): ScriptRun {
  return {
    conversation: previous?.conversation ?? 0,
    firstUserMessage: hash(firstUserText(conversation)),
    turns: 0,
    said: previous?.said ?? [],
    calls: new Map(),
    pending: [],
    problem: null,
  }
}

interface CurrentRun {
  readonly active: ActiveScript
  readonly run: ScriptRun
}

function runsOf(scripts: readonly ActiveScript[]): CurrentRun[] {
  return scripts.flatMap((active) => active.progress.runs.map((run) => ({ active, run })))
}

function scriptOf({ rule }: ActiveScript): Script {
  return rule.script ?? []
}

function hasTurns({ active, run }: CurrentRun): boolean {
  return run.turns < scriptOf(active).length
}

function findRun(scripts: readonly ActiveScript[], conversation: Conversation): CurrentRun | undefined {
  const all = runsOf(scripts)
  const byCall = new Map(all.flatMap((each) => [...each.run.calls.keys()].map((id) => [id, each] as const)))
  const latest = conversation.items.findLast((item) => 'id' in item && byCall.has(item.id))
  const found = latest && 'id' in latest ? byCall.get(latest.id) : findByHistory(all, conversation)
  if (!found) return undefined
  // Scripts that took over the conversation come after those that let it pass.
  const shared = all.filter(({ run }) => run.conversation === found.run.conversation)
  return shared.find(hasTurns) ?? shared.find(({ active }) => active.rule.onEnd !== 'pass') ?? found
}

function findByHistory(all: readonly CurrentRun[], conversation: Conversation): CurrentRun | undefined {
  const first = hash(firstUserText(conversation))
  const outputs = assistantOutputs(conversation)
  const [shortest] = all
    .filter(({ run }) => run.firstUserMessage === first && isPartOf(outputs, run))
    .sort((left, right) => left.run.said.length - right.run.said.length)
  return shortest
}

/** Returns true if a request's assistant output is a subsequence of the script's output. */
function isPartOf(outputs: readonly (string | undefined)[], { said }: ScriptRun): boolean {
  // A client that retries after a fault has no output yet. Otherwise the conversation is new.
  if (outputs.length === 0) return !said.some(({ isSure }) => isSure)
  let rest = said
  return outputs.every((output) => {
    if (output === undefined) return true
    const found = rest.findIndex(({ text }) => isSameText(text, output))
    rest = rest.slice(found + 1)
    return found >= 0
  })
}

/** Compares two texts. Ignores truncation by `max_output_tokens` and links appended for citations. */
function isSameText(said: string, repeated: string): boolean {
  const [left, right] = [said.trim(), repeated.trim()]
  return left === right || (right !== '' && (left.startsWith(right) || right.startsWith(left)))
}

/** Returns the results of the previous turn's function calls, or the latest results if the client changed the ids. */
function resultsOf({ items }: Conversation, { calls, pending }: ScriptRun): CallResult[] {
  const called = items.filter((item) => item.kind === 'call')
  const names = new Map([...called.map(({ id, name }) => [id, name] as const), ...calls])
  const resultsIn = (part: Conversation['items']) =>
    part.flatMap((item) => (item.kind === 'result' ? { ...item, name: names.get(item.id) ?? '' } : []))
  const results = resultsIn(items)
  const answered = pending.flatMap((id) => results.find((result) => result.id === id) ?? [])
  if (answered.length > 0) return answered
  return resultsIn(items.slice(items.findLastIndex(({ kind }) => kind === 'message') + 1))
}

function fitsTurn(turn: ParsedTurn | undefined, conversation: Conversation): boolean {
  return differencesOf(turn?.expect, conversation, []).length === 0
}
