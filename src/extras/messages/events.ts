/** Converts a message to named events, and locates its parts for faults. */
import { encodeEvent } from '../../http/encode.ts'
import type { StreamEvent } from '../../http/reply.ts'
import { fieldsOf, listOf } from '../../lib/json.ts'
import { tokenize } from '../../model/tokens.ts'
import type { Answer } from '../../resources/answer.ts'
import type { AnswerPart, StreamPlaces } from '../../resources/protocol.ts'
import { failureStatus, type MessageBlock, type MessageObject, toMessagesError } from './message.ts'

/** Yields a message's events. A failed answer ends with an error event instead of a stop reason. */
export function* messageEvents(
  message: MessageObject,
  { choices: [{ end }] }: Answer,
): Generator<StreamEvent> {
  const { content, stop_reason, stop_sequence, usage } = message
  const started = { ...message, content: [], stop_reason: null, stop_sequence: null }
  const { server_tool_use: _, ...used } = usage
  yield { type: 'message_start', message: { ...started, usage: { ...used, output_tokens: 1 } } }
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block) }
    if (index === 0) yield { type: 'ping' }
    for (const delta of deltas(block)) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  if (end.error) {
    yield toMessagesError(failureStatus, end.error.message)
    return
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }
  yield { type: 'message_stop' }
}

/** Returns a block without its content, as sent in the block's first event. */
function emptied(block: MessageBlock): MessageBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: '', citations: block.citations && [] }
    case 'thinking':
      return { ...block, thinking: '', signature: '' }
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, input: {} }
    default:
      return block
  }
}

function* deltas(block: MessageBlock): Generator<object> {
  switch (block.type) {
    case 'text':
      for (const text of tokenize(block.text)) yield { type: 'text_delta', text }
      for (const citation of block.citations ?? []) yield { type: 'citations_delta', citation }
      break
    case 'thinking':
      for (const thinking of tokenize(block.thinking)) yield { type: 'thinking_delta', thinking }
      yield { type: 'signature_delta', signature: block.signature }
      break
    case 'tool_use':
    case 'server_tool_use':
      for (const partial_json of tokenize(JSON.stringify(block.input)))
        yield { type: 'input_json_delta', partial_json }
  }
}

function deltaTypeOf({ type, delta }: StreamEvent): string {
  return type === 'content_block_delta' ? String(fieldsOf(delta)['type']) : ''
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' } as const

function kindOf(block: unknown): AnswerPart['kind'] {
  const { type } = fieldsOf(block)
  if (type === 'text') return type
  if (type === 'thinking' || type === 'redacted_thinking') return 'reasoning'
  return type === 'tool_use' ? 'call' : 'other'
}

/** Locates a message's parts in its events, for faults. */
export const messagesPlaces: StreamPlaces = {
  owns: ({ type = '' }) => /^(message|content_block)_/.test(type),
  isDelta: (event) => /^(text|thinking|input_json)_delta$/.test(deltaTypeOf(event)),
  isReasoningDelta: (event) => deltaTypeOf(event) === 'thinking_delta',
  isFinal: ({ type }) => type === 'message_delta' || type === 'message_stop',
  endsWithoutDone: true,
  ended(value, reason) {
    const { stop_reason, delta } = value as Partial<MessageObject> & { delta?: Partial<MessageObject> }
    const ended = { stop_reason: stopReasons[reason] }
    if (stop_reason != null) return { ...value, ...ended }
    return delta?.stop_reason == null ? value : { ...value, delta: { ...delta, ...ended } }
  },
  partsOf(value) {
    const { type, index, content_block, content } = value as StreamEvent
    if (index === undefined)
      return listOf(content).map((block, place) => {
        const at = `content.${place}`
        const texts = [`${at}.text`, `${at}.input`]
        return { kind: kindOf(block), of: `${place}`, at, texts, id: `${at}.id`, name: `${at}.name` }
      })
    const paths = { id: 'content_block.id', name: 'content_block.name', index: 'index' }
    const isDelta = type === 'content_block_delta'
    const texts = isDelta ? ['delta.text', 'delta.partial_json'] : []
    return [
      {
        kind: content_block ? kindOf(content_block) : undefined,
        of: `${index}`,
        at: '',
        ...paths,
        texts,
        isDelta,
      },
    ]
  },
  refused: (value) => messagesPlaces.ended(value, 'content_filter'),
  encode: (event) => (event.type === undefined ? '' : `event: ${event.type}\n`) + encodeEvent(event),
  failure: ({ code: type = 'overloaded_error', message }) => ({ type: 'error', error: { type, message } }),
  heartbeat: (kind) => (kind === 'ping' ? { type: 'ping' } : undefined),
}
