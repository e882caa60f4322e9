/**
 * From a prompt to an answer: texts with their citations, function calls, searches, and the tokens of reasoning. It
 * knows no protocol: each one reads its requests into a prompt, and renders the answer in its own shape.
 */
import type { AssumptionName } from '../assumptions.ts'
import { hash } from '../lib/seed.ts'
import type { ImageGenerationCall, WebSearchAction } from '../resources/response.ts'
import type { Quantiles } from '../sandbox/latency-profile.ts'
import type { Conversation } from './conversation.ts'
import type { JsonSchema } from './json-schema/schema.ts'
import { drawLength, textOfLength } from './latency.ts'
import { type ReasoningRequest, reasoningTokens } from './reasoning.ts'
import { type CitedText, citeLinks, joinPieces, linkTo } from './search/citations.ts'
import type { Source } from './source.ts'
import { fakeValue } from './structured.ts'
import { continueText, type Verbosity, writeText } from './text/sample-text.ts'
import { searchQuery } from './text/words.ts'

export interface Prompt {
  /** As it was asked for. */
  model: string
  conversation: Conversation
  /** The function that has to be called, if one has to. */
  forced?: OfferedFunction | undefined
  /** `json` is any JSON object; undefined is plain text. */
  format?: 'json' | StructuredFormat | undefined
  verbosity: Verbosity
  /** Undefined where no reasoning was asked for. */
  reasoning?: ReasoningRequest | undefined
  /** Whether a search is shown before the message. */
  searched: boolean
  /** What the message cites; undefined where it was not asked to. */
  sources?: readonly Source[] | undefined
}

/** A JSON Schema that the text has to fit, and where it stands in the request. */
export interface StructuredFormat {
  schema: JsonSchema
  path: string
}

export interface OfferedFunction {
  name: string
  /** JSON Schema of the arguments, and where it stands in the request. */
  schema: JsonSchema
  path: string
}

/** What else an answer may look at, and tell. */
export interface AnswerContext {
  seed: string | number
  /** Tokens of plain texts. Default: as long as they are. */
  lengths?: Quantiles | undefined
  assume(name: AssumptionName): void
  warn(message: string): void
}

export interface Answer {
  items: readonly AnswerItem[]
  /** Tokens of thinking before the first item. */
  reasoningTokens: number
}

export type AnswerItem = MessageItem | ReasoningItem | FunctionCallItem | WebSearchItem | ImageItem

/** What an item may have of its own; it is made where it is not given. */
interface ItemHead {
  id?: string | undefined
  /** Default: that of an item which is whole, or cut. */
  status?: string | undefined
}

export interface MessageItem extends ItemHead {
  type: 'message'
  parts: readonly MessagePart[]
}

export type MessagePart = CitedText | Refusal

export interface Refusal {
  refusal: string
}

/** What was thought, in paragraphs: in short, in full, and in a form that only the gateway reads. */
export interface ReasoningItem extends ItemHead {
  type: 'reasoning'
  summary: readonly string[]
  content: readonly string[]
  encrypted?: string | null | undefined
}

export interface FunctionCallItem extends ItemHead {
  type: 'function_call'
  name: string
  /** JSON. */
  arguments: string
  /** What the caller's output will refer to. Default: made from the request. */
  call_id?: string | undefined
}

export interface WebSearchItem extends ItemHead {
  type: 'web_search_call'
  action: WebSearchAction
}

export interface ImageItem extends ItemHead {
  type: 'image_generation_call'
  /** Base64; null where there is none. */
  result: string | null
  /** Base64 of what a stream shows before. */
  previews: readonly string[]
  /** How it was made, as the Response object has it. */
  settings: Partial<
    Pick<ImageGenerationCall, 'revised_prompt' | 'background' | 'output_format' | 'quality' | 'size'>
  >
}

/** The call of a forced function, or else a message, behind the search that was made for it. */
export function answerPrompt(prompt: Prompt, context: AnswerContext): Answer {
  const key = keyOf(prompt, context.seed)
  return {
    items: itemsFor(prompt, key, context),
    reasoningTokens: reasoningTokens(prompt.reasoning, key),
  }
}

export function webSearchItem({ question }: Conversation): WebSearchItem {
  return { type: 'web_search_call', action: { type: 'search', query: searchQuery(question) } }
}

/** Decides on everything that varies: seed, model and input, and nothing else. */
function keyOf({ model, conversation }: Prompt, seed: string | number): string {
  return conversation.turns.reduce(
    (key, { speaker, text }) => hash(key, speaker, text),
    hash(seed, 'answer', model),
  )
}

function itemsFor(prompt: Prompt, key: string, context: AnswerContext): AnswerItem[] {
  const { conversation, forced, searched } = prompt
  if (forced) {
    const value = fakeValue(forced.schema, {
      path: forced.path,
      subject: conversation.subject,
      seed: key,
      warn: context.warn,
    })
    return [{ type: 'function_call', name: forced.name, arguments: JSON.stringify(value) }]
  }
  const message: MessageItem = { type: 'message', parts: [writePart(prompt, key, context)] }
  return searched ? [webSearchItem(conversation), message] : [message]
}

function writePart(prompt: Prompt, key: string, context: AnswerContext): CitedText {
  const { format, sources = [] } = prompt
  if (format === undefined) {
    const { lengths } = context
    if (!lengths || sources.length > 0) return writeCited(prompt, key)
    const write = (part: number) => (part === 0 ? writeCited(prompt, key).text : continueText(key, part))
    return { text: textOfLength(drawLength(lengths, key), write), annotations: [] }
  }
  if (sources.length > 0) context.assume('citedStructure')
  const value =
    format === 'json' ? { answer: writeCited(prompt, key).text } : fill(format, prompt, key, context)
  const cited = citeLinks(JSON.stringify(value), sources)
  if (sources.length > cited.annotations.length) {
    context.warn(
      `${sources.length - cited.annotations.length} of ${sources.length} citations were left out: no string of the structured output can hold a link`,
    )
  }
  return cited
}

function fill(
  { schema, path }: StructuredFormat,
  { conversation, sources = [] }: Prompt,
  key: string,
  { warn }: AnswerContext,
): unknown {
  const links = sources.map(({ url }) => linkTo(url))
  return fakeValue(schema, { path, subject: conversation.subject, seed: key, links, warn })
}

function writeCited({ conversation, verbosity, sources }: Prompt, key: string): CitedText {
  const { subject, answersFunction } = conversation
  return joinPieces(writeText({ subject, answersFunction, verbosity, sources, key }))
}
