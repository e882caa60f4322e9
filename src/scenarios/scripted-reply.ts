/**
 * What a rule answers, and what goes wrong: the replies and the faults of rules, sequences and scripts.
 */
import * as z from 'zod'
import { FaultSetting } from '../faults/index.ts'
import { HeaderRecord } from '../http/header-record.ts'
import { IncompleteReason, ResponseStatus } from '../resources/response.ts'
import { ScriptedItem } from './scripted-item.ts'

/** A page that a scripted text cites; the link is appended to the text where the text does not hold it. */
export const ScriptedCitation = z.lazy(() =>
  z.strictObject({
    url: z.url().describe('The address of the page.'),
    title: z.string().optional().describe('Default: the address.'),
    content: z.string().optional().describe('What the page says. Default: none.'),
  }),
)
/** A page that a scripted text cites. */
export type ScriptedCitationInput = z.input<typeof ScriptedCitation>

const milliseconds = () => z.number().min(0)

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
        .strictObject({ wait: milliseconds().describe('Milliseconds of sandbox time.') })
        .describe('Nothing for so many milliseconds.'),
      z
        .strictObject({ done: z.literal(true).describe('The literal [DONE].') })
        .describe('The literal [DONE].'),
      z
        .strictObject({ hangUp: z.enum(['end', 'reset', 'silence']).describe('How the connection ends.') })
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
export type ScriptedReply = ScriptedReplyInput

export const Faults = z.lazy(() =>
  z
    .union([FaultSetting, z.array(FaultSetting).min(1)], {
      error: 'a fault is a name, or its name and parameters',
    })
    .describe('A fault by name, or with its parameters; several act together.'),
)
