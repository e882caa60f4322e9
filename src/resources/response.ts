// What POST /responses answers with. Spec: Response object. The fields beyond the specification are those
// that clients' own schemas require: see `assumptions.ts`.

import * as z from 'zod'

const unixSeconds = () => z.int().nonnegative()
const tokens = () => z.int().nonnegative()

export const ResponseStatus = z.lazy(() =>
  z.enum(['completed', 'incomplete', 'in_progress', 'failed', 'cancelled', 'queued']),
)
export type ResponseStatus = z.infer<typeof ResponseStatus>

export const IncompleteReason = z.lazy(() => z.enum(['max_output_tokens', 'content_filter']))
export type IncompleteReason = z.infer<typeof IncompleteReason>

export const MessageStatus = z.lazy(() => z.enum(['completed', 'incomplete', 'in_progress']))
export type MessageStatus = z.infer<typeof MessageStatus>

export const UrlCitation = z.lazy(() =>
  z
    .strictObject({
      type: z.literal('url_citation'),
      url: z.string().describe('Source page.'),
      title: z.string(),
      start_index: z.int().nonnegative().describe('Start offset into the text of its content part.'),
      end_index: z.int().nonnegative().describe('End offset into the same text, exclusive.'),
      content: z.string().optional().describe('Excerpt of the page.'),
    })
    .meta({ id: 'UrlCitation', description: 'A source of the words that it spans, in UTF-16 units.' }),
)

export type UrlCitation = z.infer<typeof UrlCitation>

export const OutputText = z.lazy(() =>
  z
    .strictObject({
      type: z.literal('output_text'),
      text: z.string(),
      annotations: z.array(UrlCitation._zod.innerType),
      logprobs: z.array(z.unknown()).optional(),
    })
    .meta({ id: 'OutputText', description: 'A content part that is text.' }),
)

export type OutputText = z.infer<typeof OutputText>

export const OutputRefusal = z.lazy(() =>
  z
    .strictObject({ type: z.literal('refusal'), refusal: z.string() })
    .meta({ id: 'OutputRefusal', description: 'A content part by which the model refuses.' }),
)

export type OutputRefusal = z.infer<typeof OutputRefusal>

const outputMessage = () =>
  z
    .strictObject({
      type: z.literal('message'),
      id: z.string(),
      status: MessageStatus.unwrap(),
      role: z.literal('assistant'),
      content: z.array(
        z.discriminatedUnion('type', [OutputText._zod.innerType, OutputRefusal._zod.innerType]),
      ),
    })
    .meta({ id: 'OutputMessage', description: 'What the model says.' })

export type OutputMessage = z.infer<ReturnType<typeof outputMessage>>

const functionCall = () =>
  z
    .strictObject({
      type: z.literal('function_call'),
      id: z.string(),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string().describe('JSON in a string.'),
      status: MessageStatus.unwrap(),
    })
    .meta({ id: 'FunctionCall', description: 'A function that the model wants called.' })

export type FunctionCall = z.infer<ReturnType<typeof functionCall>>

export const SummaryText = z.lazy(() =>
  z
    .strictObject({ type: z.literal('summary_text'), text: z.string() })
    .meta({ id: 'SummaryText', description: 'A part of the summary of what the model thought.' }),
)

export const ReasoningText = z.lazy(() =>
  z
    .strictObject({ type: z.literal('reasoning_text'), text: z.string() })
    .meta({ id: 'ReasoningText', description: 'A part of what the model thought.' }),
)

const reasoning = () =>
  z
    .strictObject({
      type: z.literal('reasoning'),
      id: z.string(),
      status: MessageStatus.unwrap().optional(),
      summary: z.array(SummaryText._zod.innerType),
      content: z.array(ReasoningText._zod.innerType).optional(),
      encrypted_content: z.string().nullable().optional(),
    })
    .meta({ id: 'Reasoning', description: 'What the model thought before it went on.' })

export type Reasoning = z.infer<ReturnType<typeof reasoning>>

const imageGenerationCall = () =>
  z
    .strictObject({
      type: z.literal('image_generation_call'),
      id: z.string(),
      status: z.enum(['in_progress', 'generating', 'completed', 'failed']),
      result: z.string().nullable().describe('The image in base64.'),
      revised_prompt: z.string().optional(),
      background: z.string().optional(),
      output_format: z.string().optional(),
      quality: z.string().optional(),
      size: z.string().optional(),
    })
    .meta({ id: 'ImageGenerationCall', description: 'An image that the model made.' })

export type ImageGenerationCall = z.infer<ReturnType<typeof imageGenerationCall>>

export const WebSearchAction = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('search'),
      query: z.string(),
      queries: z.array(z.string()).optional(),
      sources: z.array(z.strictObject({ type: z.literal('url'), url: z.string() })).optional(),
    }),
    z.strictObject({ type: z.literal('open_page'), url: z.string().nullable().optional() }),
    z.strictObject({ type: z.literal('find_in_page'), url: z.string(), pattern: z.string() }),
  ]),
)
export type WebSearchAction = z.infer<typeof WebSearchAction>

const webSearchCall = () =>
  z
    .strictObject({
      type: z.literal('web_search_call'),
      id: z.string(),
      status: z.enum(['in_progress', 'searching', 'completed', 'failed']),
      action: WebSearchAction,
    })
    .meta({ id: 'WebSearchCall', description: 'A search that was made before the message.' })

export type WebSearchCall = z.infer<ReturnType<typeof webSearchCall>>

const outputItem = () =>
  z
    .discriminatedUnion('type', [
      outputMessage(),
      reasoning(),
      functionCall(),
      webSearchCall(),
      imageGenerationCall(),
    ])
    .meta({ id: 'OutputItem', description: 'One item of the output.' })

export type OutputItem = z.infer<ReturnType<typeof outputItem>>

const responseUsage = () =>
  z
    .strictObject({
      input_tokens: tokens(),
      input_tokens_details: z.strictObject({ cached_tokens: tokens() }),
      output_tokens: tokens(),
      output_tokens_details: z.strictObject({ reasoning_tokens: tokens() }),
      total_tokens: tokens(),
    })
    .meta({ id: 'ResponseUsage', description: 'Tokens that the response took.' })

export type ResponseUsage = z.infer<ReturnType<typeof responseUsage>>

export const ResponseObject = z.lazy(() =>
  z
    .strictObject({
      id: z.string(),
      object: z.literal('response'),
      created_at: unixSeconds().describe('Unix timestamp in seconds.'),
      completed_at: unixSeconds().nullable(),
      model: z.string().describe('The model that was asked for.'),
      status: ResponseStatus.unwrap(),
      error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
      incomplete_details: z.strictObject({ reason: IncompleteReason.unwrap() }).nullable(),
      instructions: z.union([z.string(), z.array(z.unknown())]).nullable(),
      text: z
        .looseObject({})
        .optional()
        .describe('As it was asked for: some clients parse structured output only where it is named here.'),
      previous_response_id: z.string().optional().describe('Only where responses are stored.'),
      store: z.literal(true).optional().describe('Only where it was asked for.'),
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
