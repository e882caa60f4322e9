/** Compiles a glob, in which `*` matches any number of characters, to a predicate for lowercase names. */
export function compileGlob(glob: string): (lowerCaseName: string) => boolean {
  return compileParts(glob.toLowerCase().split('*'))
}

/** Returns a predicate for text that consists of the parts, in order, with any characters in between. */
export function compileParts(parts: readonly string[]): (text: string) => boolean {
  const first = parts[0] as string
  const last = parts.at(-1) as string
  if (parts.length === 1) return (text) => text === first
  const middle = parts.slice(1, -1)
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let from = first.length
    for (const part of middle) {
      const index = text.indexOf(part, from)
      if (index < 0) return false
      from = index + part.length
    }
    return from <= text.length - last.length
  }
}
