/**
 * Conversations in a common form for all protocols, for rules to match.
 */

export interface Conversation {
  /** All items of the request, oldest first. */
  readonly items: readonly ConversationItem[]
  /** Names of the request's function tools. */
  readonly tools: readonly string[]
}

export type ConversationItem =
  | { readonly kind: 'message'; readonly role: string; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }
  /** A reference to an item of an earlier reply. */
  | { readonly kind: 'reference' }

/** Returns the first user message, which identifies a conversation until it has a call id; `''` if there is none. */
export function firstUserText({ items }: Conversation): string {
  const first = items.find((item) => item.kind === 'message' && item.role === 'user')
  return first?.kind === 'message' ? first.text : ''
}

/** Returns the last user message; `''` if there is none. */
export function lastUserText({ items }: Conversation): string {
  const last = items.findLast((item) => item.kind === 'message' && item.role === 'user')
  return last?.kind === 'message' ? last.text : ''
}

/** Returns the text of each assistant message and function call so far; undefined for references. */
export function assistantOutputs({ items }: Conversation): (string | undefined)[] {
  return items.flatMap((item) => {
    if (item.kind === 'reference') return [undefined]
    if (item.kind === 'call') return [callText(item.name, item.arguments)]
    return item.kind === 'message' && item.role === 'assistant' ? [item.text] : []
  })
}

/** Formats a call in one line, with sorted keys: `search {"q":"tides"}`. */
export function callText(name: string, args: string | object): string {
  return `${name} ${canonical(typeof args === 'string' ? parsed(args) : args)}`
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  )
}
