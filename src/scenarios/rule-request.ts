/**
 * What rules look at: a call record, or whatever has the same fields. What several conditions derive from a body is
 * derived once.
 */

/** The part of a request that conditions are about. */
export interface Conditioned {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The last of each parameter: an operation refuses one that is repeated. */
  readonly query: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON; undefined where there is none. */
  readonly body: unknown
}

export interface RuleRequest extends Conditioned {
  /** Operation id; undefined for a path that no operation describes. */
  readonly operation: string | undefined
  /** Upper case: `POST`. */
  readonly method: string
  /** The path below the base address, `/chat/completions`; undefined where it does not lie below one. */
  readonly route: string | undefined
  /** Hash of method, path, query and body: the same for the same request. */
  readonly contentKey: string
  /** How often the same request came before; 0 the first time. */
  readonly occurrence: number
  /** Refused by its path, method, key, body or content type: only rules for every call are about it. Default: false. */
  readonly isRefused?: boolean
}

/** A field of the body at its top level. */
export function bodyField(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined
  return Reflect.get(body, name)
}

/** Whether it asks for an event stream. Spec: POST /responses, `stream`. */
export function asksForStream(body: unknown): boolean {
  return bodyField(body, 'stream') === true
}

export function modelOf(body: unknown): string | undefined {
  const model = bodyField(body, 'model')
  return typeof model === 'string' ? model : undefined
}

const inputTexts = new WeakMap<object, string>()

/** All text of `input`, one message a line; of `messages` where the path is one of chat completions. */
export function inputTextOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return ''
  const text =
    inputTexts.get(body) ?? texts(bodyField(body, 'input') ?? bodyField(body, 'messages')).join('\n')
  inputTexts.set(body, text)
  return text
}

/** The texts in an input: itself, the items of a list, the `content` of a message, the `text` of a part. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(texts)
  if (typeof value !== 'object' || value === null) return []
  return [...texts(Reflect.get(value, 'text')), ...texts(Reflect.get(value, 'content'))]
}
