/** Schemas of the replies and faults in rules, sequences and scripts. */
import * as z from 'zod'
import { FaultList, type FaultSetting } from '../faults/index.ts'
import { HeaderRecord } from '../http/header-record.ts'
import { between, count, Duration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import type { Conversation } from '../resources/conversation.ts'
import { list } from '../resources/list.ts'
import { isOfOtherType, openUnion } from '../resources/object-by-type.ts'
import {
  Annotation,
  IncompleteReason,
  imageGenerationCall,
  MessageStatus,
  ReasoningText,
  ResponseStatus,
  SummaryText,
  WebSearchAction,
} from '../resources/response.ts'
import { field, lazyObject, text } from './field.ts'

const head = () => ({
  id: field(text, 'Item id. Default: derived from the request.'),
  status: field(MessageStatus, 'Item status. Default: completed, or incomplete if the item is truncated.'),
})

const Part = z.lazy(() =>
  z
    .looseObject({
      type: z.enum(['output_text', 'refusal']).optional(),
      text: z.string().optional(),
      annotations: list(Annotation).optional(),
      refusal: z.string().optional(),
    })
    .refine(({ text, refusal }) => (text === undefined) !== (refusal === undefined), {
      error: 'Must have either text or a refusal',
    }),
)

const paragraphs = <Paragraph extends z.ZodType>(paragraph: Paragraph) =>
  z.union([z.string(), list(z.union([z.string(), paragraph]))], mustBe('a string, or a list of strings'))

const itemContent = () =>
  z.union([z.string(), list(Part)], mustBe('text, or a list of parts with text or a refusal'))

const knownItem = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('message'), ...head(), content: itemContent() }),
    z.looseObject({
      type: z.literal('reasoning'),
      ...head(),
      summary: field(paragraphs(SummaryText), 'Reasoning summary. Default: none.'),
      content: field(paragraphs(ReasoningText), 'Full reasoning text. Default: none.'),
      encrypted_content: z.string().nullable().optional(),
    }),
    z.looseObject({
      type: z.literal('function_call'),
      ...head(),
      name: z.string(),
      arguments: field(
        z.union([z.string(), z.record(z.string(), z.unknown())]),
        'Arguments as a JSON string or an object. Default: {}.',
      ),
      call_id: field(z.string(), 'Call id. Default: derived from the request.'),
    }),
    z.looseObject({
      type: z.literal('web_search_call'),
      ...head(),
      status: z.enum(['in_progress', 'searching', 'completed', 'failed']).optional(),
      action: z.union([z.strictObject({ query: z.string() }), WebSearchAction]).optional(),
    }),
    z.looseObject({
      ...imageGenerationCall().partial().shape,
      type: z.literal('image_generation_call'),
      id: head().id,
      result: field(z.string().nullable(), 'Base64 image. Default: one pixel, or null if generation failed.'),
      partial_images: field(list(z.string()), 'Partial images for streams, in base64. Default: none.'),
    }),
  ])

export const ScriptedItem = z.lazy(() =>
  openUnion(knownItem(), { id: head().id, status: z.string().optional() }),
)
export type ScriptedItem = z.infer<typeof ScriptedItem>

export function isKnownItem(item: ScriptedItem): item is z.infer<ReturnType<typeof knownItem>> {
  return !isOfOtherType(ScriptedItem._zod.innerType, item)
}

export type KnownItem<Type> = z.infer<ReturnType<typeof knownItem>> & { type: Type }
/** An item of scripted output. Items of types that are not listed, such as `custom_tool_call`, are sent as they are. */
export type ScriptedItemInput = z.input<typeof ScriptedItem>

export const ScriptedCitation = z.lazy(() =>
  z
    .strictObject(
      {
        url: z.url().describe('URL of the page.'),
        title: field(z.string(), "Title of the page. Default: the URL's host."),
        content: field(z.string(), 'Excerpt from the page. Default: none.'),
        text: field(text, 'Text whose first occurrence cites the page. Default: a link to the page.'),
        start_index: field(count(), 'Start offset of the citing span, instead of `text`.'),
        end_index: field(count(), 'End offset of the citing span, exclusive.'),
      },
      mustBe("an object such as { url: 'https://example.com/tides' }"),
    )
    .refine((citation) => (citation.start_index === undefined) === (citation.end_index === undefined), {
      error: 'Needs both start_index and end_index',
    }),
)

/** Returns undefined for a citation that uses a link. */
export function spanOf(
  { text: part, start_index: start, end_index: end }: z.infer<typeof ScriptedCitation>,
  text: string,
): [start: number, end: number] | undefined {
  if (start !== undefined && end !== undefined) return [start, end]
  if (part === undefined || !text.includes(part)) return undefined
  const at = text.indexOf(part)
  return [at, at + part.length]
}

export const ScriptedFrame = z.lazy(() =>
  z.union(
    [
      z.strictObject({
        event: z
          .looseObject({ type: z.string().optional() })
          .describe('An event or chunk as JSON, sent after `event: <type>` if the protocol names events.'),
      }),
      z.strictObject({ data: z.string().describe('Raw text after `data: `.') }),
      z.strictObject({ bytes: z.string().describe('Raw bytes, as text.') }),
      z.strictObject({ base64: z.base64().describe('Raw bytes, in base64.') }),
      z.strictObject({ wait: Duration.describe('A pause in milliseconds of sandbox time.') }),
      z.strictObject({ done: z.literal(true).describe('The literal [DONE].') }),
      z.strictObject({
        hangUp: z
          .enum(['end', 'reset', 'stall'])
          .describe('Ends the stream: the connection closes cleanly, is reset, or stays open but silent.'),
      }),
    ],
    mustBe('a frame with event, data, bytes, base64, wait, done or hangUp'),
  ),
)
export type ScriptedFrame = z.infer<typeof ScriptedFrame>
/** One step of a scripted stream. */
export type ScriptedFrameInput = z.input<typeof ScriptedFrame>

/** Maximum number of tokens, low enough to keep sums of many such numbers exact. */
const maxTokens = 1_000_000_000

export const ScriptedUsage = z.lazy(() => {
  const tokens = z.int().min(0).max(maxTokens).optional()
  return z.strictObject({
    input_tokens: tokens,
    input_tokens_details: z
      .strictObject({ cached_tokens: tokens, cache_write_tokens: tokens, cache_write_1h_tokens: tokens })
      .optional(),
    output_tokens: tokens,
    output_tokens_details: z.strictObject({ reasoning_tokens: tokens }).optional(),
    cost: field(z.number().min(0), "Cost in US dollars. Default: by the model's prices."),
  })
})
export type ScriptedUsage = z.infer<typeof ScriptedUsage>

const ScriptedError = z.lazy(() =>
  z.strictObject({ code: field(text, '`error.code`.'), message: field(z.string(), '`error.message`.') }),
)

export const answerFields = () => ({
  text: field(z.string(), 'Message text. In a turn, it is placed after `output` and before function calls.'),
  citations: field(list(ScriptedCitation), 'Citations in the message text.'),
  output: field(list(ScriptedItem), 'Output items. Missing ids and statuses are generated.'),
  interleave: field(z.boolean(), 'For POST /responses: if true, interleaves item events. Default: false.'),
  id: field(text, 'Response id. Default: derived from the request.'),
  responseStatus: field(ResponseStatus, 'Default: completed, or incomplete if the token limit is reached.'),
  incompleteReason: field(IncompleteReason, 'Reason for an incomplete response. Default: max_output_tokens.'),
  error: field(ScriptedError, 'Error for a failed response. Default: server_error.'),
  usage: field(ScriptedUsage, 'Token usage. Omitted counts are calculated.'),
})

export const ScriptedReply = lazyObject(() => ({
  status: field(between(200, 599), 'HTTP status. Default: 200.'),
  headers: field(HeaderRecord, 'Additional headers.'),
  ...answerFields(),
  body: field(z.json(), 'Complete body, for any operation.'),
  frames: field(list(ScriptedFrame), 'Body as a list of frames, for any operation.'),
}))
/** A reply that replaces the operation's reply. */
export type ScriptedReply = z.input<typeof ScriptedReply>
export type ParsedScriptedReply = z.infer<typeof ScriptedReply>

export const TextOrReply = z.lazy(() =>
  z.union(
    [z.string().transform((text): ParsedScriptedReply => ({ text })), ScriptedReply],
    mustBe('text, or an object with text, output, body or frames; only reply() accepts a function'),
  ),
)

export const faultFields = () => ({
  fault: field(FaultList, 'A fault name, or an object with a name and parameters. A list combines faults.'),
})

type HasFaults = { readonly fault?: FaultSetting | readonly FaultSetting[] | undefined }

export function faultsOf({ fault = [] }: HasFaults): readonly FaultSetting[] {
  return [fault].flat()
}

export interface ReplyContext {
  /** The request, before the operation validates it. */
  readonly request: {
    /** Method in upper case: `POST`. */
    readonly method: string
    readonly path: string
    readonly params: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    /** Request headers, with names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** Parsed JSON body; undefined if there is none. */
    // biome-ignore lint/suspicious/noExplicitAny: a test knows the type of its own requests
    readonly body: any
  }
  /** The request's messages, function calls, results and function tools. */
  readonly conversation: Conversation
}

/** Reply text or a full reply object, as in a rule. */
export type FunctionReply = string | ScriptedReply
export type ReplyFunction<Context = ReplyContext> = (
  context: Context,
) => FunctionReply | Promise<FunctionReply>
