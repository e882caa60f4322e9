/**
 * Short texts made of longer ones: one line, one sentence.
 */
const whiteSpace = /\s+/

/** The first words of a text, as one short line. */
export function quoted(text: string, limit = 72): string {
  let line = ''
  for (const word of text.slice(0, 4 * limit).split(whiteSpace)) {
    if (line.length + word.length > limit) return `${line || word.slice(0, limit)} ...`.toWellFormed()
    line = line ? `${line} ${word}` : word
  }
  // A lone surrogate in the request must not become one in the reply.
  return line.trim().toWellFormed()
}

/** The first sentence of a text, as one line. */
export function firstSentence(text: string): string {
  const start = text.slice(0, 400)
  return quoted(/^.+?[.!?](?=\s)/s.exec(start)?.[0] ?? start, 240)
}

/** The text with a capital at its beginning; a Markdown link or a bold word there stays as it is. */
export function capitalized(text: string): string {
  return /^[a-z]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
