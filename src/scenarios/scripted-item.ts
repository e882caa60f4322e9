/**
 * One item of a scripted output, as a person writes it or copies it from a recorded reply: ids and statuses are
 * filled in when it is answered, where they are not given.
 */
import * as z from 'zod'
import {
  MessageStatus,
  ReasoningText,
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
