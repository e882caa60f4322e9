/**
 * Texts for people: one line, or the beginning. What they quote may have line breaks, and be as long as a caller likes.
 */

/** The same words; a text of over 1,000 characters loses its middle. */
export function oneLine(text: string): string {
  const line = withoutBreaks(text)
  // A cut may fall inside a character.
  return line.length > 1000 ? `${line.slice(0, 700)} … ${line.slice(-300)}`.toWellFormed() : line
}

/**
 * The beginning of a text, with `…` where more follows.
 *
 * @param max UTF-16 units that are kept. A cut may fall inside a character.
 */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}

/** Each line break, with the blanks around it, as one space. */
export function withoutBreaks(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
