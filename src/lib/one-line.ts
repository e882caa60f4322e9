/** Joins lines with spaces, and omits the middle of text longer than 1,000 characters. */
export function oneLine(text: string): string {
  const ends = text.length > 20_000 ? `${text.slice(0, 10_000)} … ${text.slice(-10_000)}` : text
  const line = ends
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')
  return line.length > 1000 ? `${line.slice(0, 700)} … ${line.slice(-300)}`.toWellFormed() : line
}

/** Counts UTF-16 code units. Appends `…` if anything was cut. */
export function truncate(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…`.toWellFormed() : text
}
