/**
 * A protocol-independent request to a model. Each protocol converts its bodies to prompts, and `src/model` answers them.
 */
import type { Conversation } from './conversation.ts'
import type { WebPlugin } from './create-response-body.ts'
import type { WebSearchTool } from './tools.ts'
import type { XSearchFilter } from './x-search-filter.ts'

export interface Prompt extends PromptSettings {
  /** The model as requested; may be a preset, which is applied later. */
  readonly model: string
  readonly conversation: Conversation
  /** Number of answers. Default: 1. */
  readonly choices?: number
  /** If true, the conversation contains unspecified items. */
  readonly hasUnspecifiedItems?: boolean
  /** If true, the protocol shows searches as separate items. */
  readonly showsSearches?: boolean
}

/** The part of a prompt that a preset can set, if the request leaves it undefined. */
export interface PromptSettings {
  readonly instructions?: string
  /** Maximum number of tokens of each answer. */
  readonly maxOutputTokens?: number
  readonly tools?: readonly PromptTool[]
  /** `search` forces the web search. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | 'search' | ForcedFunction | ForcedTool
  readonly text?: TextForm
  /** `none` disables reasoning, even if the preset enables it. */
  readonly reasoning?: ReasoningRequest | 'none'
  readonly plugins?: readonly WebPlugin[]
  readonly xSearchFilter?: XSearchFilter
}

/** An entry of `tools`. Paths point into the request, for messages. */
export type PromptTool =
  | OfferedFunction
  | { readonly kind: 'search'; readonly parameters: WebSearchTool['parameters']; readonly path: string }
  | { readonly kind: 'other'; readonly type: string }

export interface OfferedFunction {
  readonly kind: 'function'
  readonly name: string
  /** JSON Schema of the arguments. Default: any object. */
  readonly parameters: object | null | undefined
  /** Path of `parameters` in the request. */
  readonly path: string
}

export interface ForcedFunction {
  readonly name: string | undefined
  readonly path: string
}

/** Forces a tool that Understudy does not simulate. */
interface ForcedTool {
  readonly type: string
  readonly path: string
}

/** Format and verbosity of text. */
export interface TextForm {
  /** `json` is any JSON object. Default: plain text. */
  readonly format?: 'json' | StructuredFormat
  /** Default: medium. */
  readonly verbosity?: { readonly value: string; readonly path: string }
}

/** A JSON Schema for the text. */
export interface StructuredFormat {
  readonly schema: { readonly [keyword: string]: unknown }
  readonly path: string
}

interface ReasoningRequest {
  /** Unknown values mean `medium`. Default: `medium`. */
  readonly effort?: string
  /** Maximum number of tokens. */
  readonly maxTokens?: number
  /** `concise` or `detailed`. Default: depends on the effort. */
  readonly summary?: string
  /** If true, the reply does not show the reasoning. */
  readonly isHidden?: boolean
}
