/**
 * How far the scripts of a sandbox are, for tests and for people.
 */

import type { ScriptRun } from './script-runs.ts'
import type { Use } from './use.ts'

/** A script in use. */
export interface ScriptProgress {
  scenario: string
  /** Its rule's position in the scenario, from 1. */
  rule: number
  /** How many turns it has. */
  turns: number
  /** The conversations that follow it, oldest first. */
  conversations: ScriptedConversation[]
  /** How the last new conversation differed from its first turn, where that kept it from beginning; or null. */
  problem: string | null
}

/** A conversation that follows a script. */
export interface ScriptedConversation {
  /** Its number among the scripted conversations of the sandbox, from 1. */
  conversation: number
  /** How many turns it has taken. */
  turns: number
  /** How its last request differed from what the turn expects, or null. */
  problem: string | null
}

/** The scripts of one use of a scenario. */
export function scriptsOf({ compiled, progress }: Use): ScriptProgress[] {
  return compiled.rules.flatMap(({ scenario, number, script }) => {
    if (!script) return []
    const { runs = [], problem = null } = progress[number] ?? {}
    return { scenario, rule: number, turns: script.turns.length, conversations: runs.map(toReading), problem }
  })
}

function toReading({ conversation, turns, problem }: ScriptRun): ScriptedConversation {
  return { conversation, turns, problem }
}
