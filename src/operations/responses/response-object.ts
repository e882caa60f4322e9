/** The reply to POST /responses. Spec: Response object; see `assumptions.ts` for other fields. */
import * as z from 'zod'
import { openUnion } from '../../resources/object-by-type.ts'
import {
  Annotation,
  IncompleteReason,
  imageGenerationCall,
  MessageStatus,
  ReasoningText,
  ResponseStatus,
  SummaryText,
  WebSearchAction,
} from '../../resources/response.ts'

const unixSeconds = () => z.int().nonnegative()
const tokens = () => z.int().nonnegative()

export const OutputText = z.lazy(() =>
  z
    .looseObject({
      type: z.literal('output_text'),
      text: z.string(),
      annotations: z.array(Annotation),
      logprobs: z.array(z.looseObject({ token: z.string() })).optional(),
    })
    .meta({ id: 'OutputText', description: 'A content part with text.' }),
)
export type OutputText = z.infer<typeof OutputText>

export const OutputRefusal = z.lazy(() =>
  z
    .looseObject({ type: z.literal('refusal'), refusal: z.string() })
    .meta({ id: 'OutputRefusal', description: 'A content part with a refusal.' }),
)
export type OutputRefusal = z.infer<typeof OutputRefusal>

const outputMessage = () =>
  z
    .looseObject({
      type: z.literal('message'),
      id: z.string(),
      status: MessageStatus.unwrap(),
      role: z.literal('assistant'),
      content: z.array(
        z.discriminatedUnion('type', [OutputText._zod.innerType, OutputRefusal._zod.innerType]),
      ),
    })
    .meta({ id: 'OutputMessage', description: 'A message from the model.' })
export type OutputMessage = z.infer<ReturnType<typeof outputMessage>>

const functionCall = () =>
  z
    .looseObject({
      type: z.literal('function_call'),
      id: z.string(),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string().describe('Arguments as a JSON string.'),
      status: MessageStatus.unwrap(),
    })
    .meta({ id: 'FunctionCall', description: 'A function call requested by the model.' })

const reasoning = () =>
  z
    .looseObject({
      type: z.literal('reasoning'),
      id: z.string(),
      status: MessageStatus.unwrap(),
      summary: z.array(SummaryText._zod.innerType),
      content: z.array(ReasoningText._zod.innerType).optional(),
      encrypted_content: z.string().nullable().optional(),
    })
    .meta({ id: 'Reasoning', description: "The model's reasoning before its answer." })
export type Reasoning = z.infer<ReturnType<typeof reasoning>>

const webSearchCall = () =>
  z
    .looseObject({
      type: z.literal('web_search_call'),
      id: z.string(),
      status: z.enum(['in_progress', 'searching', 'completed', 'failed']),
      action: WebSearchAction,
    })
    .meta({
      id: 'WebSearchCall',
      description: 'A web search that the gateway ran before writing the message.',
    })
export type WebSearchCall = z.infer<ReturnType<typeof webSearchCall>>

const knownItem = () =>
  z.discriminatedUnion('type', [
    outputMessage(),
    reasoning(),
    functionCall(),
    webSearchCall(),
    imageGenerationCall(),
  ])

const outputItem = () =>
  openUnion(knownItem(), { id: z.string(), status: z.string().optional() }).meta({
    id: 'OutputItem',
    description: 'An output item. Rules can also script items of other types.',
  })
export type OutputItem = z.infer<ReturnType<typeof outputItem>>

export function isMessage(item: OutputItem): item is OutputMessage {
  return item.type === 'message'
}

export function isReasoning(item: OutputItem): item is Reasoning {
  return item.type === 'reasoning'
}

const responseUsage = () =>
  z
    .strictObject({
      input_tokens: tokens(),
      input_tokens_details: z.strictObject({ cached_tokens: tokens() }),
      output_tokens: tokens(),
      output_tokens_details: z.strictObject({ reasoning_tokens: tokens() }),
      total_tokens: tokens(),
    })
    .meta({ id: 'ResponseUsage', description: 'Number of tokens used by the response.' })
export type ResponseUsage = z.infer<ReturnType<typeof responseUsage>>

export const ResponseObject = z.lazy(() =>
  z
    .strictObject({
      id: z.string(),
      object: z.literal('response'),
      created_at: unixSeconds().describe('Unix timestamp in seconds.'),
      completed_at: unixSeconds().nullable(),
      model: z.string().describe('The requested model.'),
      status: ResponseStatus.unwrap(),
      error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
      incomplete_details: z.strictObject({ reason: IncompleteReason.unwrap() }).nullable(),
      instructions: z.union([z.string(), z.array(z.unknown())]).nullable(),
      text: z
        .looseObject({})
        .optional()
        .describe(
          'Text settings as requested. Some clients parse structured output only if its format is set here.',
        ),
      reasoning: z.looseObject({}).optional().describe('As requested.'),
      max_output_tokens: z.int().optional().describe('As requested.'),
      truncation: z.string().optional().describe('As requested.'),
      service_tier: z.string().optional().describe('As requested.'),
      previous_response_id: z.string().optional().describe('Present if responses are stored.'),
      store: z.literal(true).optional().describe('Present if requested.'),
      metadata: z.record(z.string(), z.unknown()).nullable(),
      temperature: z.number().nullable(),
      top_p: z.number().nullable(),
      presence_penalty: z.number().nullable(),
      frequency_penalty: z.number().nullable(),
      parallel_tool_calls: z.boolean(),
      tool_choice: z.union([z.string(), z.looseObject({})]),
      tools: z.array(z.looseObject({ type: z.string() })),
      output: z.array(outputItem()),
      usage: responseUsage(),
    })
    .meta({ id: 'ResponseObject', description: 'A model response.' }),
)
export type ResponseObject = z.infer<typeof ResponseObject>
