/**
 * Describes the events of POST /responses. Spec: Events. The specification describes only `response.output_item.added`
 * and `response.completed`; the other events are known from published clients.
 */
import * as z from 'zod'
import { itemKinds, textEventOf } from '../../operations/responses/item-kinds.ts'
import { OutputRefusal, OutputText, ResponseObject } from '../../operations/responses/response-object.ts'
import { Annotation, ReasoningText, SummaryText } from '../../resources/response.ts'

export const ResponseStreamEvent = z.lazy(() => {
  // Uses the inner schema, which is built once. `unwrap()` would build another one with the same id.
  const response = ResponseObject._zod.innerType
  const item = response.shape.output.element
  const index = z.int().nonnegative()
  const ofItem = { item_id: z.string(), output_index: index }
  const ofPart = { ...ofItem, content_index: index }
  const ofSummary = { ...ofItem, summary_index: index }
  const part = z.discriminatedUnion('type', [OutputText, OutputRefusal, ReasoningText])
  const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
    z.strictObject({ type: z.literal(type), sequence_number: index, ...fields })
  const textEvents = (type: string, place: z.ZodRawShape, name: string, more?: z.ZodRawShape) => [
    event(`${type}.delta`, { ...place, delta: z.string() }),
    event(`${type}.done`, { ...place, ...more, [name]: z.string() }),
  ]
  const itemEvents = Object.entries(itemKinds).flatMap(([type, { before, after, ends, text }]) => {
    const states = [before, after, ends].flatMap((names = []) => names)
    const events = states.map((state) => event(`response.${type}.${state}`, ofItem))
    if (text === undefined) return events
    const name = type === 'function_call' ? { name: z.string() } : undefined
    return [...events, ...textEvents(textEventOf(type, text), ofItem, text.replace(/.*\./, ''), name)]
  })
  const ofCommand = { output_index: index, command_index: index }
  return z
    .discriminatedUnion('type', [
      event('response.created', { response }),
      event('response.in_progress', { response }),
      event('response.output_item.added', { output_index: index, item }),
      event('response.content_part.added', { ...ofPart, part }),
      ...textEvents('response.output_text', { ...ofPart, logprobs: z.array(z.unknown()) }, 'text'),
      event('response.output_text.annotation.added', {
        ...ofPart,
        annotation_index: index,
        annotation: Annotation,
      }),
      event('response.content_part.done', { ...ofPart, part }),
      ...textEvents('response.refusal', ofPart, 'refusal'),
      event('response.reasoning_summary_part.added', { ...ofSummary, part: SummaryText }),
      ...textEvents('response.reasoning_summary_text', ofSummary, 'text'),
      event('response.reasoning_summary_part.done', { ...ofSummary, part: SummaryText }),
      ...textEvents('response.reasoning_text', ofPart, 'text'),
      ...itemEvents,
      event('response.shell_call_command.added', { ...ofCommand, command: z.string() }),
      event('response.shell_call_command.delta', { ...ofCommand, delta: z.string() }),
      event('response.shell_call_command.done', { ...ofCommand, command: z.string() }),
      event('response.image_generation_call.partial_image', {
        ...ofItem,
        partial_image_index: index,
        partial_image_b64: z.string(),
      }),
      event('response.output_item.done', { output_index: index, item }),
      event('response.completed', { response }),
      event('response.incomplete', { response }),
      event('response.failed', { response }),
    ])
    .meta({ id: 'ResponseStreamEvent', description: 'A stream event, discriminated by type.' })
})
