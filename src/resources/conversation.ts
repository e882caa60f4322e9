/**
 * A conversation as rules see it, whatever protocol it came in. An operation that generates text reads its requests
 * into this form.
 */

export interface Conversation {
  /** Everything that the request carries, oldest first. */
  readonly items: readonly ConversationItem[]
  /** Names of the functions that the request offers. */
  readonly tools: readonly string[]
}

export type ConversationItem =
  | { readonly kind: 'message'; readonly role: string; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }
  /** An item of an earlier reply, named instead of repeated. */
  | { readonly kind: 'reference' }

/** What tells conversations apart before a call id does. The empty string where no user has spoken. */
export function firstUserText({ items }: Conversation): string {
  const first = items.find((item) => item.kind === 'message' && item.role === 'user')
  return first?.kind === 'message' ? first.text : ''
}

/** The empty string where no user has spoken. */
export function lastUserText({ items }: Conversation): string {
  const last = items.findLast((item) => item.kind === 'message' && item.role === 'user')
  return last?.kind === 'message' ? last.text : ''
}

/** What the assistant has said so far, one text for each item; undefined for one that is only named. */
export function assistantOutputs({ items }: Conversation): (string | undefined)[] {
  return items.flatMap((item) => {
    if (item.kind === 'reference') return [undefined]
    if (item.kind === 'call') return [callText(item.name, item.arguments)]
    return item.kind === 'message' && item.role === 'assistant' ? [item.text] : []
  })
}

/** A call in one line: `search {"q":"tides"}`. The order of keys in the arguments does not matter. */
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
