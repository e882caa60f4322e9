/** Shortens text for messages, because quoted values may contain line breaks and have any length. */

/** Joins lines with spaces, and omits the middle of text longer than 1,000 characters. */
export function oneLine(text: string): string {
  const line = joinLines(text)
  // Truncation can split a surrogate pair.
  return line.length > 1000 ? `${line.slice(0, 700)} … ${line.slice(-300)}`.toWellFormed() : line
}

/**
 * Truncates text and appends `…` if anything was cut.
 *
 * @param max Maximum number of UTF-16 code units to keep.
 */
export function truncate(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}

/** Replaces each line break and the whitespace around it with one space. */
export function joinLines(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
