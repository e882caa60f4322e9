/**
 * Reads a body that nobody has checked: whatever is missing, or of another type, reads as empty.
 */

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text, or the texts and refusals of content parts, one a line. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((part) => {
      const { text, refusal } = fieldsOf(part)
      return typeof text === 'string' ? text : typeof refusal === 'string' ? refusal : ''
    })
    .join('\n')
}
