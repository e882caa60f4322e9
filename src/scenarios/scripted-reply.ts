/**
 * Schemas of the replies and faults in rules, sequences and scripts.
 */
import * as z from 'zod'
import { FaultSetting } from '../faults/index.ts'
import { HeaderRecord } from '../http/header-record.ts'
import { between, count, Duration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import type { Conversation } from '../resources/conversation.ts'
import {
  IncompleteReason,
  MessageStatus,
  ReasoningText,
  ResponseStatus,
  SummaryText,
  UrlCitation,
  WebSearchAction,
} from '../resources/response.ts'

const head = () => ({
  id: z.string().min(1).optional().describe('Item id. Default: derived from the request.'),
  status: MessageStatus.optional().describe(
    'Item status. Default: completed, or incomplete if the item is truncated.',
  ),
})

const Part = z.lazy(() =>
  z
    .looseObject({
      type: z.enum(['output_text', 'refusal']).optional(),
      text: z.string().optional(),
      annotations: z.array(UrlCitation).optional(),
      refusal: z.string().optional(),
    })
    .refine(({ text, refusal }) => (text === undefined) !== (refusal === undefined), {
      error: 'Must have either text or a refusal',
    }),
)

const paragraphs = <Paragraph extends z.ZodType>(paragraph: Paragraph) =>
  z.union([z.string(), z.array(z.union([z.string(), paragraph]))], mustBe('a string, or a list of strings'))

export const ScriptedItem = z.lazy(() =>
  z.discriminatedUnion(
    'type',
    [
      z.looseObject({
        type: z.literal('message'),
        ...head(),
        content: z.union(
          [z.string(), z.array(Part)],
          mustBe('text, or a list of parts with text or a refusal'),
        ),
      }),
      z.looseObject({
        type: z.literal('reasoning'),
        ...head(),
        summary: paragraphs(SummaryText).optional().describe('Reasoning summary. Default: none.'),
        content: paragraphs(ReasoningText).optional().describe('Full reasoning text. Default: none.'),
        encrypted_content: z.string().nullable().optional(),
      }),
      z.looseObject({
        type: z.literal('function_call'),
        ...head(),
        name: z.string(),
        arguments: z
          .union([z.string(), z.record(z.string(), z.unknown())])
          .optional()
          .describe('Arguments as a JSON string or an object. Default: {}.'),
        call_id: z.string().optional().describe('Id of the call. Default: derived from the request.'),
      }),
      z.looseObject({
        type: z.literal('web_search_call'),
        ...head(),
        status: z.enum(['in_progress', 'searching', 'completed', 'failed']).optional(),
        action: z.union([z.strictObject({ query: z.string() }), WebSearchAction]).optional(),
      }),
      z.looseObject({
        type: z.literal('image_generation_call'),
        ...head(),
        status: z.enum(['in_progress', 'generating', 'completed', 'failed']).optional(),
        result: z
          .string()
          .nullable()
          .optional()
          .describe('Image data in base64. Default: a PNG of one pixel, or null if the status is failed.'),
        partial_images: z
          .array(z.string())
          .optional()
          .describe('Partial images for streams, in base64. Default: none.'),
        revised_prompt: z.string().optional(),
        background: z.string().optional(),
        output_format: z.string().optional(),
        quality: z.string().optional(),
        size: z.string().optional(),
      }),
    ],
    { error: 'Must be message, reasoning, function_call, web_search_call or image_generation_call' },
  ),
)
export type ScriptedItem = z.infer<typeof ScriptedItem>
/** An item of scripted output. */
export type ScriptedItemInput = z.input<typeof ScriptedItem>

/**
 * A page that scripted text cites, by a span of the text or, by default, by a link. A missing link is
 * appended.
 */
export const ScriptedCitation = z.lazy(() =>
  z
    .strictObject({
      url: z.url().describe('URL of the page.'),
      title: z.string().optional().describe("Title of the page. Default: the URL's host."),
      content: z.string().optional().describe('Excerpt from the page. Default: none.'),
      text: z
        .string()
        .min(1)
        .optional()
        .describe('Text that cites the page (its first occurrence). Default: a link to the page.'),
      start_index: count().optional().describe('Start offset of the citing span, instead of `text`.'),
      end_index: count().optional().describe('End offset of the citing span, exclusive.'),
    })
    .refine((citation) => (citation.start_index === undefined) === (citation.end_index === undefined), {
      error: 'Needs both start_index and end_index',
    }),
)
/** Returns a citation's span, or undefined for a citation that uses a link. */
export function spanOf(
  { text: part, start_index: start, end_index: end }: z.infer<typeof ScriptedCitation>,
  text: string,
): [start: number, end: number] | undefined {
  if (start !== undefined && end !== undefined) return [start, end]
  if (part === undefined || !text.includes(part)) return undefined
  const at = text.indexOf(part)
  return [at, at + part.length]
}

/** A page that scripted text cites. */
export type ScriptedCitationInput = z.input<typeof ScriptedCitation>

/** One step of a scripted stream. */
export const ScriptedFrame = z.lazy(() =>
  z.union(
    [
      z
        .strictObject({
          event: z
            .looseObject({ type: z.string().describe('Event type, such as `response.created`.') })
            .describe('The event as JSON.'),
        })
        .describe('An event: `data: <json>`.'),
      z
        .strictObject({ data: z.string().describe('Raw text after `data: `.') })
        .describe('A data line with raw text.'),
      z.strictObject({ bytes: z.string().describe('Raw bytes, as text.') }).describe('Raw bytes, as text.'),
      z
        .strictObject({ base64: z.base64().describe('Raw bytes, in base64.') })
        .describe('Raw bytes, in base64.'),
      z
        .strictObject({ wait: Duration.describe('Milliseconds of sandbox time.') })
        .describe('A pause in milliseconds of sandbox time.'),
      z
        .strictObject({ done: z.literal(true).describe('The literal [DONE].') })
        .describe('The literal [DONE].'),
      z
        .strictObject({ hangUp: z.enum(['end', 'reset', 'stall']).describe('End of the connection.') })
        .describe('Ends the stream: the connection closes cleanly, is reset, or stays open but silent.'),
    ],
    mustBe('a frame with event, data, bytes, base64, wait, done or hangUp'),
  ),
)
export type ScriptedFrame = z.infer<typeof ScriptedFrame>
/** One step of a scripted stream. */
export type ScriptedFrameInput = z.input<typeof ScriptedFrame>

/** Maximum number of tokens, low enough to keep sums of many such numbers exact. */
const maxTokens = 1_000_000_000

/** Schema of scripted token usage. */
export const ScriptedUsage = z.lazy(() => {
  const tokens = z.int().min(0).max(maxTokens).optional()
  return z
    .strictObject({
      input_tokens: tokens,
      input_tokens_details: z.strictObject({ cached_tokens: tokens }).optional(),
      output_tokens: tokens,
      output_tokens_details: z.strictObject({ reasoning_tokens: tokens }).optional(),
    })
    .describe(
      'For operations that generate text: token usage. Omitted counts are calculated, as is the total.',
    )
})
export type ScriptedUsage = z.infer<typeof ScriptedUsage>
/** Scripted token usage. Omitted counts are calculated, as is the total. */
export type ScriptedUsageInput = z.input<typeof ScriptedUsage>

/** Schema of a reply that replaces the operation's reply. */
export const ScriptedReply = z.lazy(() =>
  z.strictObject({
    status: between(200, 599).optional().describe('HTTP status. Default: 200.'),
    headers: HeaderRecord.optional().describe('Additional headers.'),
    text: z.string().optional().describe('For operations that generate text: message text.'),
    citations: z
      .array(ScriptedCitation)
      .optional()
      .describe('For operations that generate text: citations in the message text.'),
    output: z
      .array(ScriptedItem)
      .optional()
      .describe(
        'For operations that generate text: output items, such as function calls or reasoning. Missing ids and statuses are generated.',
      ),
    interleave: z
      .boolean()
      .optional()
      .describe(
        'For POST /responses: if true, the events of different items alternate in the stream. Default: false.',
      ),
    id: z
      .string()
      .min(1)
      .optional()
      .describe('For operations that generate text: response id. Default: derived from the request.'),
    responseStatus: ResponseStatus.optional().describe(
      'For operations that generate text: status of the response. Default: completed, or incomplete if the token limit is reached.',
    ),
    incompleteReason: IncompleteReason.optional().describe(
      'For operations that generate text: reason for an incomplete response. Default: max_output_tokens.',
    ),
    error: z
      .strictObject({
        code: z.string().min(1).optional().describe('`error.code`.'),
        message: z.string().optional().describe('`error.message`.'),
      })
      .optional()
      .describe('For operations that generate text: error of a failed response. Default: server_error.'),
    usage: ScriptedUsage.optional().describe(
      'For operations that generate text: token usage. Omitted counts are calculated.',
    ),
    body: z.json().optional().describe('Complete body, for any operation.'),
    frames: z.array(ScriptedFrame).optional().describe('Body as a list of frames, for any operation.'),
  }),
)
/** A reply that replaces the operation's reply. */
export type ScriptedReplyInput = z.input<typeof ScriptedReply>
export type ScriptedReply = z.infer<typeof ScriptedReply>

/** Schema of reply text or a full reply object. */
export const TextOrReply = z.lazy(() =>
  z.union(
    [z.string().transform((text): ScriptedReply => ({ text })), ScriptedReply],
    mustBe('text, or an object with text, output, body or frames; only reply() accepts a function'),
  ),
)

/** Fields that specify the faults of a rule, step or turn. */
export const faultFields = () => ({
  fault: FaultSetting.optional().describe(
    'A fault: its name, or an object with name and parameters. It applies to `reply`, if the rule has one.',
  ),
  faults: z.array(FaultSetting).min(1).optional().describe('Several faults to combine, instead of `fault`.'),
})

interface HasFaults {
  readonly fault?: FaultSetting | undefined
  readonly faults?: readonly FaultSetting[] | undefined
}

export function faultsOf({ fault, faults = fault ? [fault] : [] }: HasFaults): readonly FaultSetting[] {
  return faults
}

/** The argument of a reply function. */
export interface ReplyContext {
  /** The request, before the operation validates it. */
  readonly request: {
    /** Method in upper case: `POST`. */
    readonly method: string
    /** Path as requested. */
    readonly path: string
    readonly params: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    /** Request headers; names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** Parsed JSON body; undefined if there is none. */
    // biome-ignore lint/suspicious/noExplicitAny: a test knows the type of its own requests
    readonly body: any
  }
  /** The request's messages, function calls, results and function tools. */
  readonly conversation: Conversation
}

/** Reply text or a full reply object, as in a rule. */
export type FunctionReply = string | ScriptedReplyInput
export type ReplyFunction<Context = ReplyContext> = (
  context: Context,
) => FunctionReply | Promise<FunctionReply>
