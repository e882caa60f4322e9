/** Shortens text for messages, because quoted values may contain line breaks and have any length. */

/** Joins lines with spaces, and omits the middle of text longer than 1,000 characters. */
export function oneLine(text: string): string {
  const line = text
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')
  return line.length > 1000 ? `${copy(line.slice(0, 700))} … ${copy(line.slice(-300))}` : line
}

/**
 * Truncates text and appends `…` if anything was cut.
 *
 * @param max Maximum number of UTF-16 code units to keep.
 */
export function truncate(text: string, max: number): string {
  return text.length > max ? `${copy(text.slice(0, max))}…` : text
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Copies part of a text, which would keep the whole text in memory. Half a surrogate pair becomes U+FFFD. */
function copy(part: string): string {
  return decoder.decode(encoder.encode(part))
}
