/**
 * Fills in templates in scripted replies: `{{ body.metadata.user }}` is replaced by the value at that path.
 * Text that starts with `{{=<% %>=}}` is not a template; everything after this prefix is copied verbatim.
 */
import { GatewayError } from '../http/errors.ts'
import { meantBy } from '../lib/did-you-mean.ts'
import { isObject } from '../lib/loose-reading.ts'
import { readAt, readPath } from '../lib/value-path.ts'

/** Values that templates can refer to. */
export type TemplateValues = Readonly<Record<string, unknown>>

/** Maximum number of characters that one reply's templates may write. */
const maxOutput = 1024 * 1024
const verbatim = '{{=<% %>=}}'

export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

/** Returns the problem with an invalid template. */
export function templateProblem(text: string): string | undefined {
  for (const { path, tag } of partsOf(text)) {
    if (path === undefined) continue
    if (!tag.endsWith('}}')) return `${tag.slice(0, 20)} is not closed`
    if (readPath(path).length === 0) return `${tag} is empty`
    if (/^[#^/>&!={]/.test(path))
      return `${tag} is not a path: templates support only values, as in {{ body.model }}; use a function in reply() for anything else`
  }
  return undefined
}

/**
 * Returns a function that fills in all templates in a value. The function throws if the templates of one reply write
 * too much text in total.
 *
 * @param warn Called for each path without a value, which is replaced by an empty string.
 */
export function templateWriter(
  values: TemplateValues,
  warn: (message: string) => void,
): <Value>(value: Value) => Value {
  let left = maxOutput
  const valueAt = (path: string) => {
    const keys = readPath(path)
    const value = readAt(values, keys)
    const root = String(keys[0])
    const hint = root in values ? '' : meantBy(root, Object.keys(values))
    if (value === undefined) warn(`the template uses '${path}', which the request does not have${hint}`)
    if (value === undefined || value === null) return ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  const write = (text: string) =>
    partsOf(text)
      .map(({ tag, path }) => {
        const written = path === undefined ? tag : valueAt(path)
        left -= written.length
        if (left < 0)
          throw new GatewayError(500, `The templates of one reply may write at most ${maxOutput} characters`)
        return written
      })
      .join('')
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return isTemplate(value) ? write(value) : value
    if (Array.isArray(value)) return value.map(inside)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inside(inner)]))
  }
  return (value) => inside(value) as typeof value
}

/** Splits a template into text and tags. Only tags have a `path`. */
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
