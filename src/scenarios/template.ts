/**
 * Fills in templates in scripted replies: `{{ body.metadata.user }}` is replaced by the value at that path.
 * Text that starts with `{{=<% %>=}}` is not a template; everything after this prefix is copied verbatim.
 */
import { GatewayError } from '../http/errors.ts'
import { meantBy } from '../lib/did-you-mean.ts'
import { uuid } from '../lib/seed.ts'
import { mapInside, readAt, readPath } from '../lib/value-path.ts'
import { type Conversation, lastUserText } from '../resources/conversation.ts'
import { modelOf, type RuleRequest } from './condition.ts'

export interface TemplateCall extends Omit<RuleRequest, 'operation' | 'route'> {
  readonly path: string
  readonly at: number
  readonly state: { readonly seed: string | number }
  warn(message: string): void
}

/** @param number 1-based position among the calls that match the rule's conditions; in a script, the turn. */
export type FillTemplates = <Scripted extends object>(scripted: Scripted, number: number) => Scripted

/** Maximum number of characters that one reply's templates may produce. */
const maxOutput = 1024 * 1024
/** Maximum number of templates in one reply. Each template can lead to a warning. */
const maxTemplates = 10_000
const verbatim = '{{=<% %>=}}'

export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

const tag = /\{\{(.*?)\}\}/gs

export function templateProblem(text: string): string | undefined {
  if (text.startsWith(verbatim)) return undefined
  // Checked first: the expression above would search the rest of the text after each unclosed tag.
  const last = text.lastIndexOf('{{')
  if (last > text.lastIndexOf('}}')) return `${text.slice(last, last + 20)} is not closed`
  for (const [whole, path = ''] of text.matchAll(tag)) {
    if (path.includes('{{')) return `${whole.slice(0, 20)} is not closed`
    if (readPath(path.trim()).length === 0) return `${whole} is empty`
    if (/^\s*[#^/>&!={]/.test(path))
      return `${whole} is not a path: templates support only values, as in {{ body.model }}; use a function in reply() for anything else`
  }
  return undefined
}

/** Replaces a path that has no value with an empty string. Throws a 500 if a reply's templates exceed the limits. */
export function templateFiller(
  call: TemplateCall,
  readConversation: () => Conversation | undefined,
): FillTemplates {
  return (scripted, number) => {
    if (!isTemplate(JSON.stringify(scripted))) return scripted
    const values: Readonly<Record<string, unknown>> = valuesOf(call, readConversation, number)
    let left = maxOutput
    let count = 0
    const missing = new Set<string>()
    const valueAt = (path: string) => {
      if (++count > maxTemplates)
        throw new GatewayError(500, `One reply can have at most ${maxTemplates} templates`)
      const keys = readPath(path)
      const value = readAt(values, keys)
      const root = String(keys[0])
      const isNew = value === undefined && missing.size < missing.add(path).size
      const hint = isNew && !(root in values) ? meantBy(root, Object.keys(values)) : ''
      if (isNew) call.warn(`the template uses '${path}', which the request does not have${hint}`)
      if (value === undefined || value === null) return ''
      const written = typeof value === 'string' ? value : JSON.stringify(value)
      left -= written.length
      if (left >= 0) return written
      throw new GatewayError(500, `The templates in one reply can produce at most ${maxOutput} characters`)
    }
    const fill = (value: unknown) => {
      if (typeof value !== 'string') return value
      if (value.startsWith(verbatim)) return value.slice(verbatim.length)
      return value.replace(tag, (_, path: string) => valueAt(path.trim()))
    }
    return mapInside(scripted, fill) as typeof scripted
  }
}

function valuesOf(call: TemplateCall, readConversation: () => Conversation | undefined, number: number) {
  const { params, query, headers, body, method, path, contentKey, occurrence, at, state } = call
  let drawn = 0
  return {
    ...{ body, params, query, headers, method, path, model: modelOf(body) },
    call: number,
    now: new Date(at).toISOString(),
    input: lastUserText(readConversation() ?? { items: [], tools: [] }),
    random: {
      get uuid() {
        return uuid(state.seed, 'template', contentKey, occurrence, drawn++)
      },
    },
  }
}
