/**
 * Globs of names: `*` stands for any characters, none included; everything else for itself, case aside.
 *
 * The test that comes back takes the name in lower case: many globs are asked about one name.
 */
export function compileGlob(glob: string): (lowerCaseName: string) => boolean {
  return compileParts(glob.toLowerCase().split('*'))
}

/** Returns a test of texts: the parts in their order, with any characters between them. */
export function compileParts(parts: readonly string[]): (text: string) => boolean {
  const first = parts[0] as string
  const last = parts.at(-1) as string
  if (parts.length === 1) return (text) => text === first
  const middle = parts.slice(1, -1)
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let from = first.length
    for (const part of middle) {
      const found = text.indexOf(part, from)
      if (found < 0) return false
      from = found + part.length
    }
    return from <= text.length - last.length
  }
}
