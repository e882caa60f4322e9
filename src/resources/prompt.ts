/** Protocol-independent requests to a model. */
import type { RecentMap } from '../lib/recent-map.ts'
import type { AnswerUsage } from './answer.ts'
import type { Conversation } from './conversation.ts'
import type { WebPlugin } from './create-response-body.ts'
import type { SchemaObject } from './json-schema.ts'
import type { ClientTool, WebSearchTool } from './tools.ts'
import type { XSearchFilter } from './x-search-filter.ts'

export interface Prompt extends PromptSettings {
  /** The model as requested, possibly a preset, which is applied later. */
  readonly model: string
  readonly conversation: Conversation
  readonly choices?: number
  readonly stopSequences?: readonly string[]
  readonly hasUnspecifiedItems?: boolean
  /** If true, the protocol shows searches as separate items. */
  readonly showsSearches?: boolean
  /** Counts the tokens that are read from a cache or written to it. Default: the prompt is not cached. */
  readonly useCache?: (cache: RecentMap<number>, now: number, inputTokens: number) => Partial<AnswerUsage>
}

/** Settings that a preset provides if the request omits them. */
export interface PromptSettings {
  readonly instructions?: string
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

/** An entry in `tools`. Paths locate the entry in the request, for use in error messages. */
export type PromptTool =
  | OfferedFunction
  | { readonly kind: 'search'; readonly parameters: WebSearchTool['parameters']; readonly path: string }
  | {
      readonly kind: 'other'
      readonly type: string
      readonly runsAtClient?: boolean
      /** Custom tools, and the tools of a namespace. Default: none. */
      readonly offers?: readonly ClientTool[]
    }

export interface OfferedFunction {
  readonly kind: 'function'
  readonly name: string
  /** JSON Schema for the arguments. Default: any object. */
  readonly parameters: object | null | undefined
  /** If true, models call the function only with arguments that match its schema. */
  readonly strict: boolean | null | undefined
  readonly path: string
}

export interface ForcedFunction {
  readonly name: string | undefined
  readonly path: string
}

interface ForcedTool {
  readonly type: string
  readonly name?: string
  readonly path: string
}

export interface TextForm {
  /** Output format. `json` is any JSON object. Default: plain text. */
  readonly format?: 'json' | StructuredFormat
  /** Verbosity, with its path in the request. Default: medium. */
  readonly verbosity?: { readonly value: string; readonly path: string }
}

interface StructuredFormat {
  readonly schema: SchemaObject
  /** If true, models write only text that matches the schema. */
  readonly strict: boolean | null | undefined
  readonly path: string
}

interface ReasoningRequest {
  /** Reasoning effort. Unknown values are treated as `medium`. Default: `medium`. */
  readonly effort?: string
  readonly maxTokens?: number
  /** `concise` or `detailed`. Default: depends on the effort. */
  readonly summary?: string
  readonly isHidden?: boolean
}

/** Returns the tool that `toolChoice` names or, for `required`, the first function or else the first custom tool. */
export function forcedTool({
  tools = [],
  toolChoice,
}: PromptSettings): OfferedFunction | ClientTool | undefined {
  const functions = tools.filter((tool) => tool.kind === 'function')
  const custom = tools.flatMap((tool) => (tool.kind === 'other' ? (tool.offers ?? []) : []))
  const callable = [...functions, ...custom.filter(({ isCustom }) => isCustom)]
  if (typeof toolChoice === 'object')
    return callable.find(
      (tool) => tool.name === toolChoice.name && 'type' in toolChoice === 'isCustom' in tool,
    )
  return toolChoice === 'required' ? callable[0] : undefined
}
