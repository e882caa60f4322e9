/**
 * One item of a scripted output, as a person writes it or copies it from a recorded reply: ids and statuses are
 * filled in when it is answered.
 */
import * as z from 'zod'
import { UrlCitation } from '../resources/response.ts'

const Part = z.looseObject({ text: z.string(), annotations: z.array(UrlCitation).optional() })

export const ScriptedItem = z.lazy(() =>
  z.discriminatedUnion(
    'type',
    [
      z.looseObject({
        type: z.literal('message'),
        content: z.union([z.string(), z.array(Part)], { error: 'give a text, or parts with a text' }),
      }),
      z.looseObject({
        type: z.literal('function_call'),
        name: z.string(),
        arguments: z
          .union([z.string(), z.record(z.string(), z.unknown())])
          .optional()
          .describe('JSON, or what becomes it. Default: {}.'),
        call_id: z.string().optional().describe('Default: made from the request.'),
      }),
      z.looseObject({
        type: z.literal('web_search_call'),
        action: z.looseObject({ query: z.string() }).optional(),
      }),
    ],
    { error: 'an item is message, function_call or web_search_call' },
  ),
)
export type ScriptedItem = z.infer<typeof ScriptedItem>
