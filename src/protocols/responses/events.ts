/**
 * A response as the events that tell it, one delta for each token. Spec: Events; the events beyond the documented
 * ones are those that published clients know, in the order in which all of them accept them.
 */
import type { StreamEvent } from '../../http/reply.ts'
import { Tokenizer } from '../../model/tokens.ts'
import type { Answer, ChoiceItem } from '../../resources/answer.ts'
import type {
  FunctionCall,
  ImageGenerationCall,
  OutputItem,
  OutputMessage,
  OutputRefusal,
  OutputText,
  Reasoning,
  ResponseObject,
  WebSearchCall,
} from '../../resources/response.ts'

/** Every event in order, each delta when it is read. */
export function responseEvents(
  response: ResponseObject,
  { choices: [{ items }], isInterleaved }: Pick<Answer, 'choices' | 'isInterleaved'>,
): Iterable<StreamEvent> {
  const begun = inProgress(response)
  const told = response.output.map((item, index) => itemEvents(item, index, previewsOf(items[index])))
  return new Events([
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...(isInterleaved ? alternating(told.map((events) => new Events(events))) : told.flat()),
    { type: lastEvent(response), response },
  ])
}

function previewsOf(choice: ChoiceItem | undefined): readonly string[] | undefined {
  return choice?.item.type === 'image_generation_call' ? choice.item.previews : undefined
}

/** A text of which every token is an event. */
class Deltas {
  readonly text: string
  readonly toEvent: (delta: string) => StreamEvent

  constructor(text: string, toEvent: (delta: string) => StreamEvent) {
    this.text = text
    this.toEvent = toEvent
  }
}

type Told = StreamEvent | Deltas

/** The events that are told, one after another. A generator would take a tenth more of an unpaced stream. */
class Events implements IterableIterator<StreamEvent, undefined> {
  readonly #told: readonly Told[]
  #place = 0
  /** Of the text at this place. */
  #tokenizer: Tokenizer | undefined

  constructor(told: readonly Told[]) {
    this.#told = told
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<StreamEvent, undefined> {
    while (this.#place < this.#told.length) {
      const told = this.#told[this.#place] as Told
      if (!(told instanceof Deltas)) {
        this.#place++
        return { done: false, value: told }
      }
      this.#tokenizer ??= new Tokenizer(told.text)
      const token = this.#tokenizer.next()
      if (token !== undefined) return { done: false, value: told.toEvent(token) }
      this.#tokenizer = undefined
      this.#place++
    }
    return { done: true, value: undefined }
  }
}

/** No client knows an event of its own for the other statuses: the response says it. */
function lastEvent({ status }: ResponseObject): string {
  return status === 'incomplete' || status === 'failed' ? `response.${status}` : 'response.completed'
}

/** One of each in turn, until all are at their end. */
function* alternating(items: readonly Iterator<StreamEvent>[]): Generator<StreamEvent> {
  for (let open = [...items]; open.length > 0; ) {
    const still: Iterator<StreamEvent>[] = []
    for (const events of open) {
      const { done, value } = events.next()
      if (done) continue
      yield value
      still.push(events)
    }
    open = still
  }
}

function itemEvents(item: OutputItem, index: number, previews: readonly string[] | undefined): Told[] {
  switch (item.type) {
    case 'message':
      return messageEvents(item, index)
    case 'reasoning':
      return reasoningEvents(item, index)
    case 'function_call':
      return functionCallEvents(item, index)
    case 'web_search_call':
      return webSearchEvents(item, index)
    case 'image_generation_call':
      return imageEvents(item, index, previews)
  }
}

/** The response before anything of it is there. */
function inProgress(response: ResponseObject): ResponseObject {
  return {
    ...response,
    status: 'in_progress',
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: {
      ...response.usage,
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: response.usage.input_tokens,
    },
  }
}

function messageEvents(item: OutputMessage, output_index: number): Told[] {
  return [
    added({ ...item, status: 'in_progress', content: [] }, output_index),
    ...item.content.flatMap((part, content_index) => {
      const position = { item_id: item.id, output_index, content_index }
      return part.type === 'refusal' ? refusalEvents(part, position) : textEvents(part, position)
    }),
    done(item, output_index),
  ]
}

interface Position {
  item_id: string
  output_index: number
  content_index: number
}

function textEvents(part: OutputText, position: Position): Told[] {
  const { item_id, output_index, content_index } = position
  const type = 'response.output_text.delta'
  return [
    { type: 'response.content_part.added', ...position, part: { ...part, text: '', annotations: [] } },
    new Deltas(part.text, (delta) => ({ type, item_id, output_index, content_index, delta, logprobs: [] })),
    ...part.annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...position,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...position, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...position, part },
  ]
}

function refusalEvents(part: OutputRefusal, position: Position): Told[] {
  return [
    { type: 'response.content_part.added', ...position, part: { ...part, refusal: '' } },
    new Deltas(part.refusal, (delta) => ({ type: 'response.refusal.delta', ...position, delta })),
    { type: 'response.refusal.done', ...position, refusal: part.refusal },
    { type: 'response.content_part.done', ...position, part },
  ]
}

function reasoningEvents(item: Reasoning, output_index: number): Told[] {
  const { id: item_id, summary, content = [] } = item
  const { content: _, ...empty } = { ...item, summary: [] }
  return [
    added(item.status ? { ...empty, status: 'in_progress' } : empty, output_index),
    ...summary.flatMap((part, summary_index): Told[] => {
      const position = { item_id, output_index, summary_index }
      const { text } = part
      const type = 'response.reasoning_summary_text.delta'
      return [
        { type: 'response.reasoning_summary_part.added', ...position, part: { ...part, text: '' } },
        new Deltas(text, (delta) => ({ type, ...position, delta })),
        { type: 'response.reasoning_summary_text.done', ...position, text },
        { type: 'response.reasoning_summary_part.done', ...position, part },
      ]
    }),
    ...content.flatMap((part, content_index): Told[] => {
      const position = { item_id, output_index, content_index }
      const { text } = part
      return [
        { type: 'response.content_part.added', ...position, part: { ...part, text: '' } },
        new Deltas(text, (delta) => ({ type: 'response.reasoning_text.delta', ...position, delta })),
        { type: 'response.reasoning_text.done', ...position, text },
        { type: 'response.content_part.done', ...position, part },
      ]
    }),
    done(item, output_index),
  ]
}

function functionCallEvents(item: FunctionCall, output_index: number): Told[] {
  const { id: item_id, name } = item
  const type = 'response.function_call_arguments.delta'
  return [
    added({ ...item, status: 'in_progress', arguments: '' }, output_index),
    new Deltas(item.arguments, (delta) => ({ type, item_id, output_index, delta })),
    {
      type: 'response.function_call_arguments.done',
      item_id,
      output_index,
      name,
      arguments: item.arguments,
    },
    done(item, output_index),
  ]
}

function webSearchEvents(item: WebSearchCall, output_index: number): Told[] {
  const position = { item_id: item.id, output_index }
  return [
    added({ ...item, status: 'in_progress' }, output_index),
    { type: 'response.web_search_call.in_progress', ...position },
    { type: 'response.web_search_call.searching', ...position },
    ...(item.status === 'completed' ? [{ type: 'response.web_search_call.completed', ...position }] : []),
    done(item, output_index),
  ]
}

function imageEvents(
  item: ImageGenerationCall,
  output_index: number,
  previews: readonly string[] = [],
): Told[] {
  const position = { item_id: item.id, output_index }
  return [
    added({ ...item, status: 'in_progress', result: null }, output_index),
    { type: 'response.image_generation_call.in_progress', ...position },
    { type: 'response.image_generation_call.generating', ...position },
    ...previews.map((partial_image_b64, partial_image_index) => ({
      type: 'response.image_generation_call.partial_image',
      ...position,
      partial_image_index,
      partial_image_b64,
    })),
    ...(item.status === 'completed'
      ? [{ type: 'response.image_generation_call.completed', ...position }]
      : []),
    done(item, output_index),
  ]
}

function added(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.added', output_index, item }
}

function done(item: object, output_index: number): StreamEvent {
  return { type: 'response.output_item.done', output_index, item }
}
