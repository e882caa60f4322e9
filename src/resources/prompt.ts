/**
 * A request to a model, in the words of no protocol: each protocol reads its bodies into a prompt, and `src/model`
 * answers it.
 */
import type { Conversation } from './conversation.ts'
import type { WebPlugin } from './create-response-body.ts'
import type { WebSearchTool } from './tools.ts'
import type { XSearchFilter } from './x-search-filter.ts'

export interface Prompt extends PromptSettings {
  /** As requested: a preset, if it is one, is applied later. */
  readonly model: string
  readonly conversation: Conversation
  /** Number of answers. Default: 1. */
  readonly choices?: number
  /** If true, the conversation has items that the specification does not describe. */
  readonly hasUnspecifiedItems?: boolean
  /** If true, the protocol shows a search as an item of its own. */
  readonly showsSearches?: boolean
}

/** The part of a prompt that a preset may bring. Undefined fields are those that a preset fills in. */
export interface PromptSettings {
  readonly instructions?: string
  /** Maximum number of tokens of each answer. */
  readonly maxOutputTokens?: number
  readonly tools?: readonly PromptTool[]
  readonly toolChoice?: 'auto' | 'none' | 'required' | ForcedFunction
  readonly text?: TextForm
  /** `none` asks for an answer without reasoning, whatever the preset says. */
  readonly reasoning?: ReasoningRequest | 'none'
  readonly plugins?: readonly WebPlugin[]
  readonly xSearchFilter?: XSearchFilter
}

/** An entry of `tools`. A path is the place in the request, for messages. */
export type PromptTool =
  | OfferedFunction
  | { readonly kind: 'search'; readonly parameters: WebSearchTool['parameters']; readonly path: string }
  | { readonly kind: 'other'; readonly type: string }

export interface OfferedFunction {
  readonly kind: 'function'
  readonly name: string
  /** JSON Schema of the arguments. Default: any object. */
  readonly parameters: object | null | undefined
  /** Place of `parameters` in the request. */
  readonly path: string
}

export interface ForcedFunction {
  readonly name: string | undefined
  readonly path: string
}

/** The form of the text of an answer. */
export interface TextForm {
  /** `json` is any JSON object. Default: plain text. */
  readonly format?: 'json' | StructuredFormat
  /** Default: medium. */
  readonly verbosity?: { readonly value: string; readonly path: string }
}

/** A JSON Schema that the text matches. */
export interface StructuredFormat {
  readonly schema: { readonly [keyword: string]: unknown }
  readonly path: string
}

interface ReasoningRequest {
  /** Default, and for an unknown word: `medium`. */
  readonly effort?: string
  /** Maximum number of tokens. */
  readonly maxTokens?: number
}
