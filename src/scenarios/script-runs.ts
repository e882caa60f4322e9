/**
 * Tracks conversations that follow a script: finds the conversation that a request continues, and its next
 * turn.
 *
 * A conversation is identified by call ids that the script has sent, even if the client changes other parts
 * of the history. Without such ids, the first user message and the assistant's output identify it.
 */
import * as z from 'zod'
import { hash } from '../lib/seed.ts'
import { assistantOutputs, type Conversation, firstUserText } from '../resources/conversation.ts'
import { type CompiledScript, type CompiledTurn, type Effect, refusal } from './compiled.ts'
import type { RuleRequest } from './condition.ts'
import type { OnEnd } from './scenario.ts'
import { answerOf, type CallResult, type Mismatch, mismatchOf } from './script.ts'
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
  readonly script: CompiledScript
  readonly onEnd: OnEnd
  readonly progress: { happened: number; runs: readonly ScriptRun[]; problem: string | null }
}

/** A request that may consume a turn. */
export interface Playing {
  readonly request: RuleRequest
  readonly conversation: Conversation
  readonly fillTemplates: FillTemplates
  readonly seed: string | number
  /** Index of the script that `playEnd` applies to; -1 for `playTurn`. */
  readonly index: number
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
  readonly index: number
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
    const { script } = scripts[current.index] as ActiveScript
    return current.run.turns < script.length ? takeTurn(scripts, current, playing) : undefined
  }
  const isUnstarted = ({ progress }: ActiveScript) => progress.happened === 0
  const index = scripts.findIndex(
    (active) => isUnstarted(active) && matchesTurn(active.script[0], conversation),
  )
  if (index >= 0) return beginRun(scripts, index, 0, playing)
  const unstarted = scripts.findIndex(isUnstarted)
  if (unstarted < 0) return undefined
  const { script, progress } = scripts[unstarted] as ActiveScript
  const mismatch = mismatchAt(script[0], conversation, []) as Mismatch
  const problem = mismatch.differences.join('; ')
  progress.problem = problem
  const reading = { conversation: 0, number: 1, total: script.length, mismatch: problem }
  return { effect: mismatchRefusal(1, script.length, mismatch), reading, index: unstarted }
}

/** Applies `onEnd` after a script's last turn. Returns undefined if the script lets the request pass. */
export function playEnd(scripts: readonly ActiveScript[], playing: Playing): PlayedTurn | undefined {
  const { conversation, index } = playing
  const active = scripts[index]
  if (!active) return undefined
  const of = active.script.length
  const current = findRun(scripts, conversation)
  if (!current) {
    const repeating = scripts.findIndex(({ script, onEnd }) => {
      if (onEnd === 'repeat') return matchesTurn(script[0], conversation)
      return onEnd === 'repeat-last' && matchesTurn(script.at(-1), conversation)
    })
    if (repeating >= 0) {
      const { onEnd, script } = scripts[repeating] as ActiveScript
      return beginRun(scripts, repeating, onEnd === 'repeat' ? 0 : script.length, playing)
    }
    if (scripts.some(({ onEnd }) => onEnd === 'pass')) return undefined
    const reason =
      scripts.length === 1
        ? 'the script is already used by another'
        : `all ${scripts.length} scripts are already used by others`
    return {
      effect: scriptRefusal(`this is a new conversation, and ${reason}`, { turn: 1 }),
      reading: { conversation: 0, number: 1, total: of, mismatch: `no new conversation: ${reason}` },
      index,
    }
  }
  if (current.index !== index || active.onEnd === 'pass') return undefined
  if (active.onEnd !== 'fail') return takeTurn(scripts, current, playing)
  const turn = current.run.turns + 1
  const problem = `no turn ${turn}: the script has ${of} turn${of === 1 ? '' : 's'}`
  replaceRun(active, current.run, { ...current.run, problem: `expected ${problem}` })
  const reading = { conversation: current.run.conversation, number: turn, total: of, mismatch: problem }
  return { effect: scriptRefusal(`there is ${problem}`, { turn }), reading, index }
}

function matchesTurn(turn: CompiledTurn | undefined, conversation: Conversation): boolean {
  return mismatchAt(turn, conversation, []) === undefined
}

function beginRun(
  scripts: readonly ActiveScript[],
  index: number,
  turns: number,
  playing: Playing,
): PlayedTurn | undefined {
  const run: ScriptRun = {
    conversation: playing.nextConversation(),
    firstUserMessage: hash(firstUserText(playing.conversation)),
    turns,
    said: [],
    calls: new Map(),
    pending: [],
    problem: null,
  }
  const { progress } = scripts[index] as ActiveScript
  progress.runs = [...progress.runs.slice(1 - maxRuns), run]
  progress.problem = null
  return takeTurn(scripts, { index, run }, playing)
}

function replaceRun({ progress }: ActiveScript, run: ScriptRun, next: ScriptRun): void {
  progress.runs = progress.runs.map((each) => (each === run ? next : each))
}

function takeTurn(
  scripts: readonly ActiveScript[],
  { index, run }: { index: number; run: ScriptRun },
  { request, conversation, fillTemplates, seed }: Playing,
): PlayedTurn {
  const active = scripts[index] as ActiveScript
  const of = active.script.length
  const turnIndex = active.onEnd === 'repeat' ? run.turns % of : Math.min(run.turns, of - 1)
  const turn = active.script[turnIndex] as CompiledTurn
  const number = turnIndex + 1
  const mismatch = mismatchAt(turn, conversation, resultsOf(conversation, run))
  const reading = {
    conversation: run.conversation,
    number,
    total: of,
    mismatch: mismatch?.differences.join('; ') ?? null,
  }
  if (mismatch) {
    replaceRun(active, run, { ...run, problem: `turn ${number} expected ${reading.mismatch}` })
    return { effect: mismatchRefusal(number, of, mismatch), reading, index }
  }
  const answer = answerOf(
    fillTemplates(turn.turn, number),
    (call) => `call_${hash(seed, 'script', request.contentKey, request.occurrence, call)}`,
  )
  const isSure = turn.faults.length === 0 && answer.arrives
  replaceRun(active, run, {
    ...run,
    turns: run.turns + 1,
    said: [...run.said, ...answer.said.map((text) => ({ text, isSure }))],
    calls: new Map([...run.calls, ...answer.calls]),
    pending: [...answer.calls.keys()],
    problem: null,
  })
  active.progress.happened++
  return { effect: { faults: turn.faults, reply: answer.reply }, reading, index }
}

/** Finds the conversation that a request continues, by its latest call id or by its history. */
function findRun(
  scripts: readonly ActiveScript[],
  conversation: Conversation,
): { index: number; run: ScriptRun } | undefined {
  const all = scripts.flatMap(({ progress }, index) => progress.runs.map((run) => ({ index, run })))
  if (all.length === 0) return undefined
  const byCall = new Map(
    all.flatMap((each) => Array.from(each.run.calls.keys(), (id) => [id, each] as const)),
  )
  const latest = conversation.items.findLast((item) => 'id' in item && byCall.has(item.id))
  if (latest && 'id' in latest) return byCall.get(latest.id)

  const first = hash(firstUserText(conversation))
  const outputs = assistantOutputs(conversation)
  let best: (typeof all)[number] | undefined
  for (const each of all) {
    const { run } = each
    if (run.firstUserMessage !== first || !continues(outputs, run)) continue
    if (!best || run.said.length < best.run.said.length) best = each
  }
  return best
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

function mismatchAt(
  turn: CompiledTurn | undefined,
  conversation: Conversation,
  results: readonly CallResult[],
): Mismatch | undefined {
  const expect = turn?.turn.expect
  return expect && mismatchOf(expect, conversation, results)
}

/** Returns a rejection such as `turn 2 of 3 does not match: expected …, but received …`. */
function mismatchRefusal(turn: number, of: number, { differences, expected, received }: Mismatch): Effect {
  const problem = differences.map((difference) => `expected ${difference}`).join('; ')
  return scriptRefusal(`turn ${turn} of ${of} does not match: ${problem}`, { turn, expected, received })
}

function scriptRefusal(problem: string, metadata: object): Effect {
  return refusal(`Script: ${problem}`, metadata)
}
