/**
 * A protocol-independent answer to a prompt. Each protocol renders it in its own format.
 */
import type { RequestSettings } from './create-response-body.ts'
import type {
  ImageGenerationCall,
  IncompleteReason,
  ResponseStatus,
  UrlCitation,
  WebSearchAction,
} from './response.ts'

export interface Answer {
  /** Id set by a rule. Default: derived from the request. */
  readonly id?: string
  readonly model: string
  readonly question: string
  readonly preset?: RequestSettings
  readonly choices: readonly [Choice, ...Choice[]]
  readonly usage: AnswerUsage
  /** If true, events of different items alternate in the stream. */
  readonly isInterleaved?: boolean
}

export interface Choice {
  readonly items: readonly ChoiceItem[]
  readonly end: AnswerEnd
  readonly usage: AnswerUsage
}

export interface ChoiceItem {
  /** The item, truncated to the token limit. */
  readonly item: AnswerItem
  readonly isCut: boolean
}

export interface AnswerUsage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** Final state of an answer. Spec: States. */
export interface AnswerEnd {
  readonly status: ResponseStatus
  readonly reason?: IncompleteReason
  readonly error?: AnswerError
  /** Stop sequence that ended the text, if any. */
  readonly stop?: string
}

interface AnswerError {
  readonly code: string
  readonly message: string
}

export type AnswerItem = MessageItem | ReasoningItem | FunctionCallItem | WebSearchItem | ImageItem

interface ItemHead {
  readonly id?: string
  readonly status?: string
}

export interface MessageItem extends ItemHead {
  readonly type: 'message'
  readonly parts: readonly MessagePart[]
}

export type MessagePart = CitedText | Refusal

export interface CitedText {
  text: string
  annotations: UrlCitation[]
}

interface Refusal {
  readonly refusal: string
}

export interface ReasoningItem extends ItemHead {
  readonly type: 'reasoning'
  readonly summary: readonly string[]
  readonly content: readonly string[]
  readonly encrypted?: string | null
}

interface FunctionCallItem extends ItemHead {
  readonly type: 'function_call'
  readonly name: string
  /** Function arguments as a JSON string, which may be truncated. */
  readonly arguments: string
  /** Id that the function's result refers to. Default: derived from the request. */
  readonly call_id?: string
}

export interface WebSearchItem extends ItemHead {
  readonly type: 'web_search_call'
  readonly action: WebSearchAction
}

interface ImageItem extends ItemHead {
  readonly type: 'image_generation_call'
  /** Image in base64; null if there is none. */
  readonly result: string | null
  /** Partial images for streams, in base64. */
  readonly previews: readonly string[]
  /** Fields that are copied unchanged to the item in the Response object. */
  readonly settings: Partial<
    Pick<ImageGenerationCall, 'revised_prompt' | 'background' | 'output_format' | 'quality' | 'size'>
  >
}
