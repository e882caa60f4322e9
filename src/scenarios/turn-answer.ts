/**
 * What a turn of a script answers: as the reply that its request gets, and as what a later request of the same
 * conversation is known by.
 */
import { callText } from '../resources/conversation.ts'
import { callsOf, type Turn } from './script.ts'
import type { ScriptedItem } from './scripted-item.ts'
import type { ScriptedReply } from './scripted-reply.ts'

export interface TurnAnswer {
  /** Undefined where the turn has nothing but a fault. */
  readonly reply: ScriptedReply | undefined
  /** What the assistant says in it, one text for each item. */
  readonly said: readonly string[]
  /** Names of the functions called, by call id. */
  readonly calls: ReadonlyMap<string, string>
  /** Whether a client goes on from it: one that failed or was cancelled is asked for again. */
  readonly arrives: boolean
}

/** @param idOf Makes the id of the first call that has none of its own, of the second, … */
export function answerOf(turn: Turn, idOf: (place: number) => string): TurnAnswer {
  const { expect: _, call: __, fault: ___, text, output = [], ...rest } = turn
  const called = callsOf(turn).map(toItem)
  // A reply has its text behind its output; the text of a turn stands before the calls.
  const isBefore = text !== undefined && called.length > 0
  const message = isBefore ? [{ type: 'message' as const, content: text }] : []
  const items = withCallIds([...output, ...message, ...called], idOf)
  const reply: ScriptedReply = {
    ...rest,
    ...(items.length > 0 && { output: items }),
    ...(text !== undefined && !isBefore && { text }),
  }
  const said = [...items.flatMap(textsOf), ...(reply.text === undefined ? [] : [reply.text])]
  const calls = new Map(
    items.flatMap((item) =>
      item.type === 'function_call' ? [[item.call_id ?? '', item.name] as const] : [],
    ),
  )
  // mutation: equivalent: for the types; undefined is not in the list
  const arrives = !turn.error && !['failed', 'cancelled'].includes(turn.responseStatus ?? '')
  return { reply: isAnswer(turn) ? reply : undefined, said, calls, arrives }
}

/** Whether a turn answers anything; the rest of what it says is about an answer. */
export function isAnswer(turn: Turn): boolean {
  const { text, output, responseStatus, incompleteReason, error } = turn
  const isGiven = [text, output, responseStatus, incompleteReason, error].some((field) => field !== undefined)
  return isGiven || callsOf(turn).length > 0
}

function toItem({ name, args }: { name: string; args: object }): ScriptedItem {
  return { type: 'function_call', name, arguments: JSON.stringify(args) }
}

function withCallIds(items: readonly ScriptedItem[], idOf: (place: number) => string): ScriptedItem[] {
  let place = 0
  return items.map((item) => {
    if (item.type !== 'function_call') return item
    const id = idOf(place++)
    return { ...item, call_id: item.call_id ?? id }
  })
}

function textsOf(item: ScriptedItem): string[] {
  if (item.type === 'function_call') return [callText(item.name, item.arguments ?? {})]
  if (item.type !== 'message') return []
  const { content } = item
  if (typeof content === 'string') return [content]
  return [content.map(({ text, refusal }) => text ?? refusal ?? '').join('\n')]
}
