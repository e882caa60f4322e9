/** Conversations in a form that all protocols share. Rules and scripts are matched against it. */
import { canonicalJson, fieldsOf, listOf, parseJson, textOf } from '../lib/json.ts'

export interface Conversation {
  readonly items: readonly ConversationItem[]
  readonly tools: readonly string[]
}

export type ConversationItem =
  | {
      readonly kind: 'message'
      readonly role: string
      readonly text: string
      readonly imageTokens?: number
    }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }
  /** A reference to an item in an earlier reply. */
  | { readonly kind: 'reference' }
  /** An item or content part of any other type. Its tokens are counted, but it does not affect the answer. */
  | { readonly kind: 'other'; readonly type: string; readonly text: string }

/** Content parts of other types become items. Reminders that agents put next to a question become system messages. */
export function messageItems(role: string, content: unknown): ConversationItem[] {
  if (typeof content === 'string') return [{ kind: 'message', role: roleOf(role, content), text: content }]
  const items: ConversationItem[] = []
  const read: unknown[] = []
  for (const part of listOf(content)) {
    const { type } = fieldsOf(part)
    const text = textOf([part])
    if (typeof type === 'string' && !knownParts.has(type)) items.push(otherItem(part))
    else if (roleOf(role, text) !== role) items.unshift({ kind: 'message', role: roleOf(role, text), text })
    else read.push(part)
  }
  const at = items.findLastIndex(({ kind }) => kind === 'message') + 1
  if (read.length > 0 || items.length === 0)
    items.splice(at, 0, { kind: 'message', role, text: textOf(read), ...imagesIn(read) })
  return items
}

/** Counts the tokens used by images: 85 for low detail, otherwise 765, as for a square of 1024 pixels. */
export function imagesIn(parts: readonly unknown[]): { imageTokens?: number } {
  const images = parts.map(fieldsOf).filter(({ type }) => /^(?:input_)?image/.test(textOf(type)))
  const isLow = ({ detail, image_url }: ReturnType<typeof fieldsOf>) =>
    (detail ?? fieldsOf(image_url)['detail']) === 'low'
  const imageTokens = images.reduce((sum, image) => sum + (isLow(image) ? 85 : 765), 0)
  return imageTokens ? { imageTokens } : {}
}

function roleOf(role: string, text: string): string {
  return role === 'user' && /^\s*<system-reminder>/.test(text) ? 'system' : role
}

const knownParts = new Set(
  'text input_text output_text refusal image image_url input_image file input_file document'.split(' '),
)

/** Converts an item or content part of any other type. Long encoded data is not counted. */
export function otherItem(value: unknown): ConversationItem {
  const isData = (inner: unknown) => typeof inner === 'string' && /^\S{1000}/.test(inner)
  const text = JSON.stringify(value, (_key, inner: unknown) => (isData(inner) ? '' : inner))
  return { kind: 'other', type: textOf(fieldsOf(value)['type']), text }
}

/** Returns the first user message, which identifies a conversation until it has a call id, or `''` if there is none. */
export function firstUserText(conversation: Conversation): string {
  return userTexts(conversation)[0] ?? ''
}

export function lastUserText(conversation: Conversation): string {
  return userTexts(conversation).at(-1) ?? ''
}

export function userTexts({ items }: Pick<Conversation, 'items'>): string[] {
  return items.flatMap((item) => (item.kind === 'message' && item.role === 'user' ? [item.text] : []))
}

/** Returns the user messages after the last assistant output or, if there are none, the last user message. */
export function newUserTexts(conversation: Conversation): string[] {
  const { items } = conversation
  const isOutput = (item: ConversationItem) =>
    item.kind === 'call' || (item.kind === 'message' && item.role === 'assistant')
  const texts = userTexts({ items: items.slice(items.findLastIndex(isOutput) + 1) })
  return texts.length > 0 ? texts : [lastUserText(conversation)]
}

/** Contains undefined for each reference. */
export function assistantOutputs({ items }: Conversation): (string | undefined)[] {
  return items.flatMap((item) => {
    if (item.kind === 'reference') return [undefined]
    if (item.kind === 'call') return [callText(item.name, item.arguments)]
    return item.kind === 'message' && item.role === 'assistant' ? [item.text] : []
  })
}

/** Formats a call on one line, with sorted keys: `search {"q":"tides"}`. */
export function callText(name: string, args: string | object): string {
  return `${name} ${canonicalJson(typeof args === 'string' ? (parseJson(args) ?? args) : args)}`
}
