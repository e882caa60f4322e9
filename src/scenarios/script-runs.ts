/**
 * Tracks conversations that follow a script. Call ids that the script has sent identify a conversation, even if the
 * client changes other parts of the history; without such ids, the first user message and the assistant's output do.
 */
import * as z from 'zod'
import { sortFaults } from '../faults/index.ts'
import { hash } from '../lib/seed.ts'
import { assistantOutputs, type Conversation, firstUserText } from '../resources/conversation.ts'
import type { Progress } from './activation.ts'
import { type CompiledRule, type Effect, refusal } from './compiled.ts'
import type { RuleRequest } from './condition.ts'
import { answerOf, type CallResult, differencesOf, type Script, type Turn } from './script.ts'
import { faultsOf } from './scripted-reply.ts'
import type { FillTemplates } from './template.ts'

/** A conversation that follows a script. Immutable, so that snapshots can share it. */
export interface ScriptRun {
  /** Index of this conversation among the sandbox's scripted conversations, from 1. */
  readonly conversation: number
  /** Hash of the first user message. */
  readonly firstUserMessage: string
  /** Number of turns completed, including repetitions. */
  readonly turns: number
  /**
   * The script's output. `isSure` is false if the client may not have received it: after a fault, or a failed or
   * cancelled answer.
   */
  readonly said: readonly { readonly text: string; readonly isSure: boolean }[]
  /** Names of the functions called, by call id. */
  readonly calls: ReadonlyMap<string, string>
  readonly pending: readonly string[]
  /** Reason why the last request did not match its turn; null if it did. */
  readonly problem: string | null
}

export interface ActiveScript {
  readonly rule: CompiledRule
  readonly script: Script
  readonly progress: Progress
}

/** A request that may consume a turn. */
export interface Playing {
  readonly request: RuleRequest
  readonly conversation: Conversation
  readonly fillTemplates: FillTemplates
  readonly seed: string | number
  /** Returns the index of a new conversation, from 1. */
  nextConversation(): number
}

/** The turn that a request consumes in a scripted conversation. */
export const TurnReading = z.lazy(() =>
  z.strictObject({
    conversation: z
      .int()
      .describe(
        "Index among the sandbox's scripted conversations, from 1; 0 if no script accepts the request.",
      ),
    number: z.int().describe('Number of the turn, from 1.'),
    total: z.int().describe('Number of turns in the script.'),
    mismatch: z
      .string()
      .nullable()
      .describe("Reason why the request did not match the turn's expectations; null if it did."),
  }),
)
export type TurnReading = z.output<typeof TurnReading>

export interface PlayedTurn {
  readonly effect: Effect
  readonly reading: TurnReading
  readonly rule: CompiledRule
}

/** Maximum number of conversations per script. The oldest are evicted. */
const maxRuns = 1000

/**
 * Plays the next turn, or rejects the request if it starts a conversation that no unused script expects.
 * Returns undefined if no script has a turn left for the request.
 *
 * @param scripts Scripts that may match the request, oldest first.
 */
export function playTurn(scripts: readonly ActiveScript[], playing: Playing): PlayedTurn | undefined {
  const { conversation } = playing
  const current = findRun(scripts, conversation)
  if (current) {
    const { active, run } = current
    return run.turns < active.script.length ? takeTurn(active, run, playing) : undefined
  }
  const unstarted = scripts.filter(({ progress }) => progress.applied === 0)
  const matching = unstarted.find(({ script }) => problemAt(script[0], conversation) === null)
  if (matching) return beginRun(matching, 0, playing)
  const [active] = unstarted
  if (!active) return undefined
  const problem = problemAt(active.script[0], conversation)
  active.progress.problem = problem
  return mismatched(active, 0, 1, problem ?? '')
}

/** Applies `onEnd` after the last turn of one of the scripts. Returns undefined if it lets the request pass. */
export function playEnd(
  scripts: readonly ActiveScript[],
  active: ActiveScript,
  playing: Playing,
): PlayedTurn | undefined {
  const { conversation } = playing
  const { onEnd } = active.rule
  const of = active.script.length
  const current = findRun(scripts, conversation)
  if (!current) {
    for (const each of scripts) {
      const { script, rule } = each
      if (rule.onEnd === 'repeat' && problemAt(script[0], conversation) === null)
        return beginRun(each, 0, playing)
      if (rule.onEnd === 'repeat-last' && problemAt(script.at(-1), conversation) === null)
        return beginRun(each, script.length, playing)
    }
    if (scripts.some(({ rule }) => rule.onEnd === 'pass')) return undefined
    const reason =
      scripts.length === 1
        ? 'the script is already used by another'
        : `all ${scripts.length} scripts are already used by others`
    const mismatch = `no new conversation: ${reason}`
    const message = `this is a new conversation, and ${reason}`
    return rejected(active, message, { conversation: 0, number: 1, mismatch })
  }
  const { run } = current
  if (current.active !== active || onEnd === 'pass') return undefined
  if (onEnd !== 'fail') return takeTurn(active, run, playing)
  const number = run.turns + 1
  const mismatch = `no turn ${number}: the script has ${of} turn${of === 1 ? '' : 's'}`
  replaceRun(active, run, { ...run, problem: `expected ${mismatch}` })
  return rejected(active, `there is ${mismatch}`, { conversation: run.conversation, number, mismatch })
}

/** Rejects a request, as in `Script: turn 2 of 3 does not match: expected …, but received …`. */
function rejected(
  { rule, script }: ActiveScript,
  message: string,
  reading: Omit<TurnReading, 'total'>,
): PlayedTurn {
  const effect = refusal(`Script: ${message}`, { turn: reading.number })
  return { rule, effect, reading: { ...reading, total: script.length } }
}

function mismatched(
  active: ActiveScript,
  conversation: number,
  number: number,
  mismatch: string,
): PlayedTurn {
  const message = `turn ${number} of ${active.script.length} does not match: expected ${mismatch}`
  return rejected(active, message, { conversation, number, mismatch })
}

function beginRun(active: ActiveScript, turns: number, playing: Playing): PlayedTurn {
  const run: ScriptRun = {
    conversation: playing.nextConversation(),
    firstUserMessage: hash(firstUserText(playing.conversation)),
    turns,
    said: [],
    calls: new Map(),
    pending: [],
    problem: null,
  }
  const { progress } = active
  progress.runs = [...progress.runs.slice(1 - maxRuns), run]
  progress.problem = null
  return takeTurn(active, run, playing)
}

function replaceRun({ progress }: ActiveScript, run: ScriptRun, next: ScriptRun): void {
  progress.runs = progress.runs.map((each) => (each === run ? next : each))
}

function takeTurn(
  active: ActiveScript,
  run: ScriptRun,
  { request, conversation, fillTemplates, seed }: Playing,
): PlayedTurn {
  const of = active.script.length
  const turnIndex = active.rule.onEnd === 'repeat' ? run.turns % of : Math.min(run.turns, of - 1)
  const turn = active.script[turnIndex] as Turn
  const number = turnIndex + 1
  const problem = problemAt(turn, conversation, resultsOf(conversation, run))
  if (problem !== null) {
    replaceRun(active, run, { ...run, problem: `turn ${number} expected ${problem}` })
    return mismatched(active, run.conversation, number, problem)
  }
  const answer = answerOf(
    fillTemplates(turn, number),
    (call) => `call_${hash(seed, 'script', request.contentKey, request.occurrence, call)}`,
  )
  const faults = sortFaults(faultsOf(turn))
  const isSure = faults.length === 0 && answer.arrives
  replaceRun(active, run, {
    ...run,
    turns: run.turns + 1,
    said: [...run.said, ...answer.said.map((text) => ({ text, isSure }))],
    calls: new Map([...run.calls, ...answer.calls]),
    pending: [...answer.calls.keys()],
    problem: null,
  })
  active.progress.applied++
  const reading = { conversation: run.conversation, number, total: of, mismatch: null }
  return { rule: active.rule, effect: { faults, reply: answer.reply }, reading }
}

/** Finds the conversation that a request continues, by its latest call id or by its history. */
function findRun(
  scripts: readonly ActiveScript[],
  conversation: Conversation,
): { active: ActiveScript; run: ScriptRun } | undefined {
  const all = scripts.flatMap((active) => active.progress.runs.map((run) => ({ active, run })))
  if (all.length === 0) return undefined
  const byCall = new Map(
    all.flatMap((each) => Array.from(each.run.calls.keys(), (id) => [id, each] as const)),
  )
  const latest = conversation.items.findLast((item) => 'id' in item && byCall.has(item.id))
  if (latest && 'id' in latest) return byCall.get(latest.id)

  const first = hash(firstUserText(conversation))
  const outputs = assistantOutputs(conversation)
  const [shortest] = all
    .filter(({ run }) => run.firstUserMessage === first && continues(outputs, run))
    .sort((left, right) => left.run.said.length - right.run.said.length)
  return shortest
}

/** Returns true if a request's assistant output is a subsequence of the script's output. */
function continues(outputs: readonly (string | undefined)[], { said }: ScriptRun): boolean {
  // A client that retries after a fault has no output yet. Otherwise the conversation is new.
  if (outputs.length === 0) return !said.some(({ isSure }) => isSure)
  let rest = said
  return outputs.every((output) => {
    if (output === undefined) return true
    const index = rest.findIndex(({ text }) => isSameText(text, output))
    rest = rest.slice(index + 1)
    return index !== -1
  })
}

/** Compares two texts. Ignores truncation by `max_output_tokens`, and links that citations append. */
function isSameText(said: string, repeated: string): boolean {
  const [left, right] = [said.trim(), repeated.trim()]
  return left === right || (right !== '' && (left.startsWith(right) || right.startsWith(left)))
}

/** Returns the results of the previous turn's function calls, or the latest results if the client changed the ids. */
function resultsOf({ items }: Conversation, { calls, pending }: ScriptRun): CallResult[] {
  const names = new Map(
    items.flatMap((item) => (item.kind === 'call' ? [[item.id, item.name] as const] : [])),
  )
  const results = items.flatMap((item) =>
    item.kind === 'result'
      ? [{ id: item.id, name: calls.get(item.id) ?? names.get(item.id) ?? '', text: item.text }]
      : [],
  )
  const answered = pending.flatMap((id) => results.find((result) => result.id === id) ?? [])
  if (answered.length > 0) return answered
  const lastMessage = items.findLastIndex((item) => item.kind === 'message')
  const latest = new Set(
    items.slice(lastMessage + 1).flatMap((item) => (item.kind === 'result' ? [item.id] : [])),
  )
  return results.filter(({ id }) => latest.has(id))
}

/** Returns the differences between a request and a turn's expectations, or null if there are none. */
function problemAt(
  turn: Turn | undefined,
  conversation: Conversation,
  results: readonly CallResult[] = [],
): string | null {
  return differencesOf(turn?.expect ?? {}, conversation, results).join('; expected ') || null
}
