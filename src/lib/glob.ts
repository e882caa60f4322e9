/**
 * Globs of names: `*` stands for any characters, none included; everything else for itself, case aside.
 *
 * The test that comes back takes the name in lower case: many globs are asked about one name.
 */
export function compileGlob(glob: string): (lowerCaseName: string) => boolean {
  const parts = glob.toLowerCase().split('*')
  const first = parts[0] as string
  const last = parts.at(-1) as string
  if (parts.length === 1) return (name) => name === first
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
