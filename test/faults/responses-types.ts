/**
 * Maps event types of the chat and messages protocols to the Responses protocol's, so that one set of
 * expected effects covers all protocols. Written independently of the code under test.
 */
import type { Wire } from './wire.ts'

export type Protocol = 'responses' | 'chat' | 'messages'

interface OtherEvent {
  type?: string
  error?: unknown
  choices?: { delta?: Record<string, unknown>; finish_reason?: unknown }[]
  delta?: { type?: string }
}

/** Returns the reply with its event types mapped to the Responses protocol's. */
export function toResponsesTypes(wire: Wire, protocol: Protocol): Wire {
  if (protocol === 'responses') return wire
  const typesOf = protocol === 'chat' ? chunkTypes : messageTypes
  const types = wire.events.flatMap((event) => (event ? typesOf(event as OtherEvent) : []))
  return { ...wire, types: types.map((type) => (mappedTypes.has(type) ? `response.${type}` : type)) }
}

const [delta, annotation, textDone] = [
  'output_text.delta',
  'output_text.annotation.added',
  'output_text.done',
] as const
const mappedTypes = new Set<string>([delta, annotation, textDone, 'output_item.done', 'completed', 'failed'])

function chunkTypes({ type, error, choices = [] }: OtherEvent): string[] {
  if (error) return ['failed']
  if (type) return [type]
  const [{ delta: piece = {}, finish_reason = null } = {}] = choices
  if (finish_reason !== null) return [textDone, 'output_item.done', 'completed']
  if (piece['annotations']) return [annotation]
  return piece['content'] ? [delta] : []
}

function messageTypes({ type = '', delta: piece }: OtherEvent): string[] {
  if (type === 'content_block_delta') return [piece?.type === 'citations_delta' ? annotation : delta]
  const responsesTypes: Record<string, string[]> = {
    content_block_stop: [textDone, 'output_item.done'],
    message_delta: ['completed'],
    error: ['failed'],
  }
  return responsesTypes[type] ?? [type]
}
