/**
 * A request as rules see it. Values that several rules need are computed once.
 */

/** What a rule can look at. */
export interface RuleRequest {
  /** Operation id; undefined for a path that no operation describes. */
  operation: string | undefined
  /** Upper case: `POST`. */
  method: string
  /** Below the base address: `/chat/completions`. */
  path: string
  params: Readonly<Record<string, string>>
  /** May be worked out whenever it is read. */
  readonly query: Record<string, string>
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Parsed JSON, or undefined where there is none. */
  body: unknown
  /** Hash of method, path, query and body: the same for the same call. */
  contentKey: string
  /** How often this very content came before; 0 the first time. */
  occurrence: number
}

/** The part of it that conditions are about. */
export type Asked = Pick<RuleRequest, 'params' | 'query' | 'headers' | 'body'>

export class RequestView {
  readonly request: Asked
  readonly model: string | undefined
  /** The same for comparing, where case does not matter. */
  readonly lowerCaseModel: string | undefined
  /** The request asks for an event stream. Spec: POST /responses, `stream`. */
  readonly streams: boolean
  #inputText: string | undefined
  #query: Record<string, string> | undefined

  constructor(request: Asked) {
    this.request = request
    const model = this.field('model')
    this.model = typeof model === 'string' ? model : undefined
    this.lowerCaseModel = this.model?.toLowerCase()
    this.streams = this.field('stream') === true
  }

  get params(): Readonly<Record<string, string>> {
    return this.request.params
  }

  get query(): Record<string, string> {
    this.#query ??= this.request.query
    return this.#query
  }

  get headers(): Readonly<Record<string, string>> {
    return this.request.headers
  }

  get body(): unknown {
    return this.request.body
  }

  /** A field of the body at its top level. */
  field(name: string): unknown {
    const { body } = this.request
    if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined
    return Reflect.get(body, name)
  }

  /** All text of `input`, one message a line; of `messages` where the path is one of chat completions. */
  get inputText(): string {
    this.#inputText ??= texts(this.field('input') ?? this.field('messages')).join('\n')
    return this.#inputText
  }
}

/** The texts in an input: itself, the items of a list, the `content` of a message, the `text` of a part. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(texts)
  if (typeof value !== 'object' || value === null) return []
  return [...texts(Reflect.get(value, 'text')), ...texts(Reflect.get(value, 'content'))]
}
