/**
 * What a rule answers, and what goes wrong: the replies and the faults of rules, sequences and scripts.
 */
import * as z from 'zod'
import { FaultSetting } from '../faults/index.ts'
import { HeaderRecord } from '../http/header-record.ts'
import { count, Duration } from '../lib/numbers.ts'
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
  id: z.string().min(1).optional().describe('Default: made from the request.'),
  status: MessageStatus.optional().describe('Default: completed, or incomplete where the item is cut.'),
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
      error: 'a part has either a text or a refusal',
    }),
)

const paragraphs = <Paragraph extends z.ZodType>(paragraph: Paragraph) =>
  z.union([z.string(), z.array(z.union([z.string(), paragraph]))], {
    error: 'give a text, or a list of texts',
  })

export const ScriptedItem = z.lazy(() =>
  z.discriminatedUnion(
    'type',
    [
      z.looseObject({
        type: z.literal('message'),
        ...head(),
        content: z.union([z.string(), z.array(Part)], {
          error: 'give a text, or parts with a text or a refusal',
        }),
      }),
      z.looseObject({
        type: z.literal('reasoning'),
        ...head(),
        summary: paragraphs(SummaryText).optional().describe('What was thought, in short. Default: none.'),
        content: paragraphs(ReasoningText).optional().describe('What was thought, in full. Default: none.'),
        encrypted_content: z.string().nullable().optional(),
      }),
      z.looseObject({
        type: z.literal('function_call'),
        ...head(),
        name: z.string(),
        arguments: z
          .union([z.string(), z.record(z.string(), z.unknown())])
          .optional()
          .describe('JSON, or what becomes it. Default: {}.'),
        call_id: z.string().optional().describe('Default: made from the request.'),
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
          .describe('The image in base64. Default: a PNG of one pixel, or null where the status is failed.'),
        partial_images: z
          .array(z.string())
          .optional()
          .describe('Base64 of what a stream shows before the image. Default: none.'),
        revised_prompt: z.string().optional(),
        background: z.string().optional(),
        output_format: z.string().optional(),
        quality: z.string().optional(),
        size: z.string().optional(),
      }),
    ],
    {
      error: 'an item is message, reasoning, function_call, web_search_call or image_generation_call',
    },
  ),
)
export type ScriptedItem = z.infer<typeof ScriptedItem>
/** An item of a scripted output. */
export type ScriptedItemInput = z.input<typeof ScriptedItem>

/** A page that a scripted text cites: a part of the text, or else a link, which is appended where the text has none. */
export const ScriptedCitation = z.lazy(() =>
  z.strictObject({
    url: z.url().describe('The address of the page.'),
    title: z.string().optional().describe('Default: the address.'),
    content: z.string().optional().describe('What the page says. Default: none.'),
    text: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The part of the text that cites the page; its first occurrence. Default: a link to the page.',
      ),
    start_index: count().optional().describe('Where that part begins, instead of `text`.'),
    end_index: count().optional().describe('Where it ends, exclusive.'),
  }),
)
/** Returns where a text cites a page; undefined for a citation that is a link. */
export function spanOf(
  { text: part, start_index: start, end_index: end }: z.infer<typeof ScriptedCitation>,
  text: string,
): [start: number, end: number] | undefined {
  if (start !== undefined && end !== undefined) return [start, end]
  const at = part === undefined ? -1 : text.indexOf(part)
  return part === undefined || at < 0 ? undefined : [at, at + part.length]
}

/** A page that a scripted text cites. */
export type ScriptedCitationInput = z.input<typeof ScriptedCitation>

/** One step of a scripted stream. */
export const ScriptedFrame = z.lazy(() =>
  z.union(
    [
      z
        .strictObject({
          event: z
            .looseObject({ type: z.string().describe('As `response.created`.') })
            .describe('The event as JSON.'),
        })
        .describe('An event: `data: <json>`.'),
      z
        .strictObject({ data: z.string().describe('The text behind `data: `.') })
        .describe('The raw text of a data line.'),
      z
        .strictObject({ bytes: z.string().describe('Bytes as they are, given as text.') })
        .describe('Bytes as they are, given as text.'),
      z
        .strictObject({ base64: z.base64().describe('Bytes as they are, given in base64.') })
        .describe('Bytes as they are, given in base64.'),
      z
        .strictObject({ wait: Duration.describe('Milliseconds of sandbox time.') })
        .describe('Nothing for so many Duration.'),
      z
        .strictObject({ done: z.literal(true).describe('The literal [DONE].') })
        .describe('The literal [DONE].'),
      z
        .strictObject({ hangUp: z.enum(['end', 'reset', 'stall']).describe('How the connection ends.') })
        .describe('The connection closes, breaks, or stays open and says nothing more.'),
    ],
    { error: 'a frame is one of event, data, bytes, base64, wait, done, hangUp' },
  ),
)
export type ScriptedFrame = z.infer<typeof ScriptedFrame>
/** One step of a scripted stream. */
export type ScriptedFrameInput = z.input<typeof ScriptedFrame>

/** The sum of many such numbers is exact, too. */
const maxTokens = 1_000_000_000

/** The usage of a reply. What is left out is counted, and the total follows. */
export const ScriptedUsage = z.lazy(() => {
  const tokens = z.int().min(0).max(maxTokens).optional()
  return z
    .strictObject({
      input_tokens: tokens,
      input_tokens_details: z.strictObject({ cached_tokens: tokens }).optional(),
      output_tokens: tokens,
      output_tokens_details: z.strictObject({ reasoning_tokens: tokens }).optional(),
    })
    .describe('For POST /responses: the usage. What is left out is counted, and the total follows.')
})
export type ScriptedUsage = z.infer<typeof ScriptedUsage>
/** For POST /responses: the usage. What is left out is counted, and the total follows. */
export type ScriptedUsageInput = z.input<typeof ScriptedUsage>

/** What a rule answers in place of the resolver's own answer. */
export const ScriptedReply = z.lazy(() =>
  z.strictObject({
    status: z.int().min(200).max(599).optional().describe('Default: 200.'),
    headers: HeaderRecord.optional().describe('On top of the usual ones.'),
    text: z.string().optional().describe('For POST /responses: the text of the message.'),
    citations: z.array(ScriptedCitation).optional().describe('For POST /responses: what the text cites.'),
    output: z
      .array(ScriptedItem)
      .optional()
      .describe(
        'For POST /responses: whole output items, function calls or reasoning for example; ids and statuses are filled in.',
      ),
    interleave: z
      .boolean()
      .optional()
      .describe(
        'For POST /responses: whether the events of the items alternate in a stream. Default: false.',
      ),
    id: z.string().min(1).optional().describe('For POST /responses: the id. Default: made from the request.'),
    responseStatus: ResponseStatus.optional().describe(
      'For POST /responses: the status of the Response object. Default: completed; incomplete where the tokens do not suffice.',
    ),
    incompleteReason: IncompleteReason.optional().describe(
      'For POST /responses: why the response is incomplete. Default: max_output_tokens.',
    ),
    error: z
      .strictObject({
        code: z.string().min(1).optional().describe('`error.code`.'),
        message: z.string().optional().describe('`error.message`.'),
      })
      .optional()
      .describe('For POST /responses: why the response failed. Default: server_error.'),
    usage: ScriptedUsage.optional().describe('For POST /responses: the usage. What is left out is counted.'),
    body: z.json().optional().describe('The whole body, for any operation.'),
    frames: z.array(ScriptedFrame).optional().describe('The body step by step, for any operation.'),
  }),
)
/** What a rule answers in place of the operation. */
export type ScriptedReplyInput = z.input<typeof ScriptedReply>
export type ScriptedReply = z.infer<typeof ScriptedReply>

/** A text, or a whole reply. */
export const TextOrReply = z.lazy(() =>
  z.union([z.string().transform((text): ScriptedReply => ({ text })), ScriptedReply], {
    error: 'a reply is a text, or an object with text, output, body or frames',
  }),
)

/** What a rule, a step or a turn says of what goes wrong. */
export const faultFields = () => ({
  fault: FaultSetting.optional().describe(
    'A fault: its name, or its name and parameters. It acts on the `reply` next to it, if there is one.',
  ),
  faults: z
    .array(FaultSetting)
    .min(1)
    .optional()
    .describe('Several faults that act together, instead of `fault`.'),
})

interface HasFaults {
  readonly fault?: FaultSetting | undefined
  readonly faults?: readonly FaultSetting[] | undefined
}

export function faultsOf({ fault, faults = fault ? [fault] : [] }: HasFaults): readonly FaultSetting[] {
  return faults
}

/** What a function that replies may look at. */
export interface ReplyContext {
  /** The request as it came; what its operation would refuse is not refused yet. */
  readonly request: {
    /** Upper case: `POST`. */
    readonly method: string
    /** As requested. */
    readonly path: string
    readonly params: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** Parsed JSON; undefined where there is none. */
    // biome-ignore lint/suspicious/noExplicitAny: a test knows what its own requests hold
    readonly body: any
  }
  /** The messages, calls and results that it carries, and the functions that it offers. */
  readonly conversation: Conversation
}

/** A text, or a whole reply as a rule has it. */
export type FunctionReply = string | ScriptedReplyInput
export type ReplyFunction<Context = ReplyContext> = (
  context: Context,
) => FunctionReply | Promise<FunctionReply>
