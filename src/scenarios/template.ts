/**
 * Templates in scripted replies: `{{ body.metadata.user }}` is replaced by the value at that path. A text that starts
 * with `{{=<% %>=}}` is no template: the rest of it is written as it is.
 */
import { GatewayError } from '../http/errors.ts'
import { readAt, readPath } from '../lib/value-path.ts'

/** What templates can name. */
export type TemplateValues = Readonly<Record<string, unknown>>

/** Characters that all templates of one reply may write together. */
const maxOutput = 1024 * 1024
const verbatim = '{{=<% %>=}}'

export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

/** Returns the problem of a template that cannot be used. */
export function templateProblem(text: string): string | undefined {
  for (const { path, tag } of partsOf(text)) {
    if (path === undefined) continue
    if (!tag.endsWith('}}')) return `${tag.slice(0, 20)} has no end`
    if (readPath(path).length === 0) return `${tag} names nothing`
    if (/^[#^/>&!={]/.test(path))
      return `${tag} is not a path: a template has values only, as in {{ body.model }}; a function in reply() can do more`
  }
  return undefined
}

/**
 * Returns a function that writes all templates inside a value. Throws if a reply gets too long.
 *
 * @param warn Called for every path without a value; it is written as nothing.
 */
export function templateWriter(
  values: TemplateValues,
  warn: (message: string) => void,
): <Value>(value: Value) => Value {
  let left = maxOutput
  const valueAt = (path: string) => {
    const value = readAt(values, readPath(path))
    if (value === undefined) warn(`the template names '${path}', which this request has not`)
    if (value === undefined || value === null) return ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  const write = (text: string) =>
    partsOf(text)
      .map(({ tag, path }) => {
        const written = path === undefined ? tag : valueAt(path)
        left -= written.length
        if (left < 0) throw new GatewayError(500, `Templates of one reply may write ${maxOutput} characters`)
        return written
      })
      .join('')
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return isTemplate(value) ? write(value) : value
    if (Array.isArray(value)) return value.map(inside)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inside(inner)]))
  }
  return (value) => inside(value) as typeof value
}

/** The texts and tags of a template; a text has no path. */
function partsOf(text: string): { tag: string; path?: string }[] {
  if (text.startsWith(verbatim)) return [{ tag: text.slice(verbatim.length) }]
  const [first = '', ...rest] = text.split('{{')
  return [
    { tag: first },
    ...rest.flatMap((part) => {
      const end = part.indexOf('}}')
      if (end < 0) return { tag: `{{${part}`, path: part.trim() }
      return [
        { tag: `{{${part.slice(0, end + 2)}`, path: part.slice(0, end).trim() },
        { tag: part.slice(end + 2) },
      ]
    }),
  ]
}
