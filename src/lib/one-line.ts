/**
 * Texts for people as one line. What they quote may have line breaks, and be as long as a caller likes.
 */

/** The same words; a text of over 1,000 characters loses its middle. */
export function oneLine(text: string): string {
  const line = withoutBreaks(text)
  // A cut may fall inside a character.
  return line.length > 1000 ? `${line.slice(0, 700)} … ${line.slice(-300)}`.toWellFormed() : line
}

/** Each line break, with the blanks around it, as one space. */
export function withoutBreaks(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
