/**
 * The answer to a prompt, in the words of no protocol: each protocol renders it in its own shape.
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
  /** Id scripted by a rule. Default: made from the request. */
  readonly id?: string
  /** The model as requested. */
  readonly model: string
  /** The last user message. */
  readonly question: string
  /** What the preset of the request brings, if it names one. */
  readonly preset?: RequestSettings
  readonly choices: readonly [Choice, ...Choice[]]
  /** Tokens of the input, and of all choices. */
  readonly usage: AnswerUsage
  /** If true, the events of the items alternate in a stream. */
  readonly isInterleaved?: boolean
}

/** One of the answers to a prompt. */
export interface Choice {
  readonly items: readonly ChoiceItem[]
  readonly end: AnswerEnd
  readonly usage: AnswerUsage
}

export interface ChoiceItem {
  /** As much of the item as the limit of tokens allows. */
  readonly item: AnswerItem
  readonly isCut: boolean
}

export interface AnswerUsage {
  readonly inputTokens: number
  /** Input tokens read from a cache. */
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Output tokens of reasoning. */
  readonly reasoningTokens: number
}

/** How an answer ends. Spec: States. */
export interface AnswerEnd {
  readonly status: ResponseStatus
  /** Only of an incomplete answer. */
  readonly reason?: IncompleteReason
  /** Only of a failed one. */
  readonly error?: AnswerError
}

interface AnswerError {
  readonly code: string
  readonly message: string
}

export type AnswerItem = MessageItem | ReasoningItem | FunctionCallItem | WebSearchItem | ImageItem

interface ItemHead {
  /** Default: made from the request. */
  readonly id?: string
  /** Default: that of a complete or cut item. */
  readonly status?: string
}

export interface MessageItem extends ItemHead {
  readonly type: 'message'
  readonly parts: readonly MessagePart[]
}

export type MessagePart = CitedText | Refusal

/** Text that cites: annotations say where the links in it are. */
export interface CitedText {
  text: string
  annotations: UrlCitation[]
}

interface Refusal {
  readonly refusal: string
}

/** Reasoning in paragraphs: in short, in full, and in a form that only the gateway reads. */
export interface ReasoningItem extends ItemHead {
  readonly type: 'reasoning'
  readonly summary: readonly string[]
  readonly content: readonly string[]
  readonly encrypted?: string | null
}

interface FunctionCallItem extends ItemHead {
  readonly type: 'function_call'
  readonly name: string
  /** JSON. */
  readonly arguments: string
  /** Default: made from the request. */
  readonly call_id?: string
}

export interface WebSearchItem extends ItemHead {
  readonly type: 'web_search_call'
  readonly action: WebSearchAction
}

interface ImageItem extends ItemHead {
  readonly type: 'image_generation_call'
  /** Base64; null if there is no image. */
  readonly result: string | null
  /** Base64 of the images that a stream shows before. */
  readonly previews: readonly string[]
  /** As in the Response object. */
  readonly settings: Partial<
    Pick<ImageGenerationCall, 'revised_prompt' | 'background' | 'output_format' | 'quality' | 'size'>
  >
}
