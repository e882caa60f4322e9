/** Protocol-independent answers to prompts. */
import type { RequestSettings } from './create-response-body.ts'
import type { Annotation, IncompleteReason, ResponseStatus, WebSearchAction } from './response.ts'

export interface Answer {
  /** Id set by a rule. Default: derived from the request. */
  readonly id?: string
  readonly model: string
  readonly question: string
  readonly preset?: RequestSettings
  readonly choices: readonly [Choice, ...Choice[]]
  readonly usage: AnswerUsage
  /** If true, the stream interleaves events of different items. */
  readonly isInterleaved?: boolean
}

export interface Choice {
  readonly items: readonly ChoiceItem[]
  readonly end: AnswerEnd
  readonly usage: AnswerUsage
}

export interface ChoiceItem {
  readonly item: AnswerItem
  readonly isCut: boolean
}

export const noTokens = {
  /** Includes tokens read from the cache and written to it. */
  inputTokens: 0,
  cachedTokens: 0,
  /** Includes tokens cached for an hour. */
  cacheWriteTokens: 0,
  cacheWriteTokens1h: 0,
  /** Includes reasoning. */
  outputTokens: 0,
  reasoningTokens: 0,
}
export type AnswerUsage = Readonly<typeof noTokens>
export const tokenCounts = Object.keys(noTokens) as (keyof AnswerUsage)[]

export interface AnswerEnd {
  readonly status: ResponseStatus
  readonly reason?: IncompleteReason
  readonly error?: { readonly code: string; readonly message: string }
  readonly stop?: string
}

/** Further fields in POST /responses, such as `phase` or `logprobs`. They are shown unchanged. */
type Fields = Readonly<Record<string, unknown>>

interface ItemHead {
  readonly id?: string
  readonly status?: string
  readonly fields?: Fields
}

export interface MessageItem extends ItemHead {
  readonly type: 'message'
  readonly parts: readonly MessagePart[]
}

export type MessagePart = CitedText | { readonly refusal: string; readonly fields?: Fields }

export interface CitedText {
  readonly text: string
  readonly annotations: Annotation[]
  readonly fields?: Fields
}

export interface ReasoningItem extends ItemHead {
  readonly type: 'reasoning'
  readonly summary: readonly string[]
  readonly content: readonly string[]
  readonly encrypted?: string | null
}

export interface FunctionCallItem extends ItemHead {
  readonly type: 'function_call'
  readonly name: string
  readonly arguments: string
  /** Id that the function's result refers to. Default: derived from the request. */
  readonly call_id?: string
}

export interface WebSearchItem extends ItemHead {
  readonly type: 'web_search_call'
  readonly action: WebSearchAction
}

export type AnswerItem =
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | WebSearchItem
  | ImageItem
  | OtherItem

interface ImageItem extends ItemHead {
  readonly type: 'image_generation_call'
  /** Base64 image, or null if there is none. */
  readonly result: string | null
  /** Partial images for streams, in base64. */
  readonly previews: readonly string[]
}

/** An item of any other type, such as `custom_tool_call`. `fields` has all fields outside `ItemHead`. */
interface OtherItem extends ItemHead {
  readonly type: 'other'
  readonly itemType: string
  readonly fields: Fields
}
