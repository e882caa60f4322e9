/** Reads unvalidated bodies. Missing values and values of the wrong type are read as empty. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a string unchanged, or the text and refusals in content parts, one per line. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((part) => {
      const { text, refusal } = fieldsOf(part)
      return typeof text === 'string' ? text : typeof refusal === 'string' ? refusal : ''
    })
    .join('\n')
}
