/** Body fields that clients send but that have no effect here. They are accepted, even with `strict`. */
import { lookUp } from '../lib/json.ts'
import published from './sent-fields.json' with { type: 'json' }

/** Space-separated paths of body fields, by operation. `[]` stands for any index. */
export type SentFields = Readonly<Record<string, string>>

/** Returns true for a field that clients send. Its path starts with `body.`. */
export function isSentField(operation: string, path: string, lists: readonly SentFields[]): boolean {
  const field = path.replace(/^body\./, '').replace(/\[\d+\]/g, '[]')
  const name = operation === 'countMessageTokens' ? 'createMessage' : operation
  return [published as object as SentFields, ...lists].some((fields) =>
    lookUp(fields, name)?.split(' ').includes(field),
  )
}

/** Returns true for an input item type that the specification lacks. */
export function isSentItem(type: unknown): boolean {
  return published.items.split(' ').includes(String(type))
}
