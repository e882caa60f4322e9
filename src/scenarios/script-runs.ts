/**
 * Conversations that follow a script: which one a request continues, and which turn it takes.
 *
 * A conversation is known by the call ids that its script has given out, whatever else a client changes in its
 * history. Before there are any, or where a client makes its own, it is known by its first user message and by what
 * the assistant has said in it.
 */
import { hash } from '../lib/seed.ts'
import { assistantOutputs, type Conversation, firstUserText } from '../resources/conversation.ts'
import { type CompiledScript, type CompiledTurn, type Effect, refusal } from './compiled.ts'
import type { RuleRequest } from './condition.ts'
import type { OnEnd } from './scenario.ts'
import { answerOf, type CallResult, type Misfit, misfitOf } from './script.ts'

/** One conversation that follows a script. Never changed, so that snapshots may share it. */
export interface ScriptRun {
  /** Its number among the scripted conversations of the sandbox, from 1. */
  readonly conversation: number
  readonly firstUserText: string
  /** Turns taken; goes on counting where a script repeats. */
  readonly turns: number
  /** What the script has answered, and whether it surely arrived: a turn with a fault may not have. */
  readonly said: readonly { readonly text: string; readonly isSure: boolean }[]
  /** Names of the functions called, by call id. */
  readonly calls: ReadonlyMap<string, string>
  /** The call ids of the turn before. */
  readonly pending: readonly string[]
  /** How the last request differed from its turn; null where it fitted. */
  readonly problem: string | null
}

/** A script in use, and the conversations that follow it. */
export interface ScriptUse {
  readonly script: CompiledScript
  readonly onEnd: OnEnd
  readonly progress: { happened: number; runs: readonly ScriptRun[]; problem: string | null }
}

/** A request that may take a turn. */
export interface Playing {
  readonly request: RuleRequest
  readonly conversation: Conversation
  readonly seed: string | number
  /** Index of the script whose end is looked at. */
  readonly index: number
  /** Returns the number of a new conversation. */
  nextConversation(): number
}

/** The place of a request in a scripted conversation. */
export interface TurnReading {
  /** Its number among the scripted conversations of the sandbox, from 1; 0 where no script takes the request. */
  conversation: number
  /** From 1. */
  turn: number
  /** How many turns the script has. */
  of: number
  /** How the request differs from what the turn expects; null where it fits. */
  problem: string | null
}

export interface PlayedTurn {
  readonly effect: Effect
  readonly reading: TurnReading
  /** Index of the script that played. */
  readonly index: number
}

/** Of one script; the oldest go first. */
const maxRuns = 1000

/**
 * Plays the turn that a request takes, or refuses a request that fits none of the scripts that have not begun. Returns
 * undefined if no script has a turn left for the request.
 *
 * @param uses The scripts about the request, oldest first.
 */
export function playTurn(uses: readonly ScriptUse[], playing: Playing): PlayedTurn | undefined {
  const { conversation } = playing
  const found = findRun(uses, conversation)
  if (found) {
    const { script } = uses[found.index] as ScriptUse
    return found.run.turns < script.length ? takeTurn(uses, found, playing) : undefined
  }
  const isFree = ({ progress }: ScriptUse) => progress.happened === 0
  const index = uses.findIndex((use) => isFree(use) && fits(use.script[0], conversation))
  if (index >= 0) return beginRun(uses, index, 0, playing)
  const waiting = uses.findIndex(isFree)
  if (waiting < 0) return undefined
  const { script, progress } = uses[waiting] as ScriptUse
  const misfit = misfitAt(script[0], conversation, []) as Misfit
  const problem = misfit.differences.join('; ')
  progress.problem = problem
  const reading = { conversation: 0, turn: 1, of: script.length, problem }
  return { effect: misfitRefusal(1, script.length, misfit), reading, index: waiting }
}

/** Plays what follows the last turn of a script. Returns undefined if the script lets the request pass. */
export function playEnd(uses: readonly ScriptUse[], playing: Playing): PlayedTurn | undefined {
  const { conversation, index } = playing
  const use = uses[index]
  if (!use) return undefined
  const of = use.script.length
  const found = findRun(uses, conversation)
  if (!found) {
    const again = uses.findIndex(({ script, onEnd }) => {
      if (onEnd === 'repeat') return fits(script[0], conversation)
      return onEnd === 'repeat-last' && fits(script.at(-1), conversation)
    })
    if (again >= 0) {
      const { onEnd, script } = uses[again] as ScriptUse
      return beginRun(uses, again, onEnd === 'repeat' ? 0 : script.length, playing)
    }
    if (uses.some(({ onEnd }) => onEnd === 'pass')) return undefined
    const problem = `no script is left for this new conversation, each of ${count(uses.length, 'script')} is taken by another`
    return {
      effect: scriptRefusal(problem, { turn: 1 }),
      reading: { conversation: 0, turn: 1, of, problem },
      index,
    }
  }
  if (found.index !== index || use.onEnd === 'pass') return undefined
  if (use.onEnd !== 'fail') return takeTurn(uses, found, playing)
  const turn = found.run.turns + 1
  const problem = `no turn ${turn}, the script is over after ${count(of, 'turn')}`
  replaceRun(use, found.run, { ...found.run, problem })
  const reading = { conversation: found.run.conversation, turn, of, problem }
  return { effect: scriptRefusal(problem, { turn }), reading, index }
}

function fits(turn: CompiledTurn | undefined, conversation: Conversation): boolean {
  return misfitAt(turn, conversation, []) === undefined
}

function beginRun(
  uses: readonly ScriptUse[],
  index: number,
  turns: number,
  playing: Playing,
): PlayedTurn | undefined {
  const run: ScriptRun = {
    conversation: playing.nextConversation(),
    firstUserText: firstUserText(playing.conversation),
    turns,
    said: [],
    calls: new Map(),
    pending: [],
    problem: null,
  }
  const { progress } = uses[index] as ScriptUse
  progress.runs = [...progress.runs.slice(1 - maxRuns), run]
  progress.problem = null
  return takeTurn(uses, { index, run }, playing)
}

function replaceRun({ progress }: ScriptUse, run: ScriptRun, next: ScriptRun): void {
  progress.runs = progress.runs.map((each) => (each === run ? next : each))
}

function takeTurn(
  uses: readonly ScriptUse[],
  { index, run }: { index: number; run: ScriptRun },
  { request, conversation, seed }: Playing,
): PlayedTurn {
  const use = uses[index] as ScriptUse
  const of = use.script.length
  const place = use.onEnd === 'repeat' ? run.turns % of : Math.min(run.turns, of - 1)
  const turn = use.script[place] as CompiledTurn
  const number = place + 1
  const misfit = misfitAt(turn, conversation, resultsOf(conversation, run))
  const reading = {
    conversation: run.conversation,
    turn: number,
    of,
    problem: misfit?.differences.join('; ') ?? null,
  }
  if (misfit) {
    replaceRun(use, run, { ...run, problem: `turn ${number}: ${reading.problem}` })
    return { effect: misfitRefusal(number, of, misfit), reading, index }
  }
  const answer = answerOf(
    turn.turn,
    (call) => `call_${hash(seed, 'script', request.contentKey, request.occurrence, call)}`,
  )
  const isSure = turn.faults.length === 0 && answer.arrives
  replaceRun(use, run, {
    ...run,
    turns: run.turns + 1,
    said: [...run.said, ...answer.said.map((text) => ({ text, isSure }))],
    calls: new Map([...run.calls, ...answer.calls]),
    pending: [...answer.calls.keys()],
    problem: null,
  })
  use.progress.happened++
  return { effect: { faults: turn.faults, reply: answer.reply }, reading, index }
}

/** The conversation that a request continues: the one that gave out its newest call id, or the one with its history. */
function findRun(
  uses: readonly ScriptUse[],
  conversation: Conversation,
): { index: number; run: ScriptRun } | undefined {
  const all = uses.flatMap(({ progress }, index) => progress.runs.map((run) => ({ index, run })))
  if (all.length === 0) return undefined
  const byCall = new Map(
    all.flatMap((each) => Array.from(each.run.calls.keys(), (id) => [id, each] as const)),
  )
  const known = conversation.items.findLast((item) => 'id' in item && byCall.has(item.id))
  if (known && 'id' in known) return byCall.get(known.id)

  const first = firstUserText(conversation)
  const outputs = assistantOutputs(conversation)
  let best: (typeof all)[number] | undefined
  for (const each of all) {
    const { run } = each
    if (run.firstUserText !== first || !continues(outputs, run)) continue
    if (!best || run.said.length < best.run.said.length) best = each
  }
  return best
}

/** Whether what a request repeats of the assistant is what the script has said, in its order; it may leave things out. */
function continues(outputs: readonly (string | undefined)[], { said }: ScriptRun): boolean {
  // A client that tries again after a fault has nothing to repeat yet. Otherwise this is a new conversation.
  if (outputs.length === 0) return !said.some(({ isSure }) => isSure)
  let place = 0
  for (const output of outputs) {
    if (output === undefined) continue
    while (place < said.length && !isSameText(said[place]?.text ?? '', output)) place++
    if (place === said.length) return false
    place++
  }
  return true
}

/** A reply may have been cut by `max_output_tokens`, or have gained the links of its citations. */
function isSameText(said: string, repeated: string): boolean {
  const [left, right] = [said.trim(), repeated.trim()]
  return left === right || (right !== '' && (left.startsWith(right) || right.startsWith(left)))
}

/** What the functions called in the turn before have returned; for ids that a client made itself, the newest results. */
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
  const newest = new Set(
    items.slice(lastMessage + 1).flatMap((item) => (item.kind === 'result' ? [item.id] : [])),
  )
  return results.filter(({ id }) => newest.has(id))
}

function misfitAt(
  turn: CompiledTurn | undefined,
  conversation: Conversation,
  results: readonly CallResult[],
): Misfit | undefined {
  const { expect } = turn?.turn ?? {}
  return expect && misfitOf(expect, conversation, results)
}

/** `Turn 2 of 3 does not fit: expected …, received …` */
function misfitRefusal(turn: number, of: number, { differences, expected, received }: Misfit): Effect {
  const problem = differences.map((difference) => `expected ${difference}`).join('; ')
  return scriptRefusal(`turn ${turn} of ${of} does not fit: ${problem}`, { turn, expected, received })
}

function scriptRefusal(problem: string, metadata: object): Effect {
  return refusal(`Script: ${problem}`, metadata)
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
