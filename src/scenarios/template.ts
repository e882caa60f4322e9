/**
 * Templates in scripted replies, `{{ body.metadata.user }}`: Mustache, which runs no code. Values are written as they
 * are, without escapes of HTML; `{{=<% %>=}}` at the start of a text writes braces as they stand.
 */
import Mustache from 'mustache'
import { GatewayError } from '../http/errors.ts'

/** What templates can name, beside `random.uuid`. */
export type TemplateValues = Readonly<Record<string, unknown>>

/** Characters that all templates of one reply may write together; a section that repeats costs a few each time. */
const maxOutput = 1024 * 1024
const repetitionCost = 16

/** Spaces and line breaks in a row, anywhere in a template. */
const maxBlanks = 100

export function isTemplate(text: string): boolean {
  return text.includes('{{')
}

/** What is wrong with a template; undefined for one that can be used. */
export function templateProblem(text: string): string | undefined {
  // The library looks for the end of a tag from every blank of a row anew.
  if (text.split(/\S+/).some((blanks) => blanks.length > maxBlanks))
    return `a template may have ${maxBlanks} blanks in a row`
  try {
    const partial = namesOf(tokensOf(text), '>')[0]
    return partial === undefined ? undefined : `{{> ${partial} }} names another template, and there are none`
  } catch (error) {
    return (error as Error).message
  }
}

/** Writes the templates of one reply. */
export class TemplateWriter {
  readonly #values: TemplateValues
  readonly #writer: Writer

  /** @param warn Is told of every value that there is none of; it is written as nothing. */
  constructor(values: TemplateValues, warn: (message: string) => void) {
    this.#values = values
    this.#writer = new Writer(warn)
  }

  /** Throws where a reply gets too long. */
  write(text: string): string {
    return isTemplate(text) ? this.#writer.write(text, this.#values) : text
  }

  /** The same of every text inside a value. */
  writeInside<Value>(value: Value): Value {
    return this.#inside(value) as Value
  }

  #inside(value: unknown): unknown {
    if (typeof value === 'string') return this.write(value)
    if (Array.isArray(value)) return value.map((inner) => this.#inside(inner))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#inside(inner)]))
  }
}

/** Finds own fields only: what objects inherit is code. */
class Values extends Mustache.Context {
  readonly #above: Values | undefined
  readonly #spend: (cost: number) => void

  constructor(view: unknown, above: Values | undefined, spend: (cost: number) => void) {
    super(view as object, above as never)
    this.#above = above
    this.#spend = spend
  }

  override push(view: unknown): Values {
    this.#spend(repetitionCost)
    return new Values(view, this, this.#spend)
  }

  override lookup(name: string): unknown {
    if (name === '.') return this.view
    const path = name.split('.')
    const first = path[0] as string
    if (!hasOwn(this.view, first)) return this.#above?.lookup(name)
    return path.reduce<unknown>(
      (value, key) => (hasOwn(value, key) ? Reflect.get(value as object, key) : undefined),
      this.view,
    )
  }
}

function hasOwn(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

class Writer extends Mustache.Writer {
  readonly #warn: (message: string) => void
  #left = maxOutput

  constructor(warn: (message: string) => void) {
    super()
    this.#warn = warn
  }

  write(text: string, values: TemplateValues): string {
    const context = new Values(values, undefined, (cost) => this.#spend(cost))
    return this.renderTokens(tokensOf(text) as never, context, undefined, text)
  }

  override escapedValue(token: string[], context: Mustache.Context): string {
    return this.#textOf(token[1] as string, context)
  }

  override unescapedValue(token: string[], context: Mustache.Context): string {
    return this.#textOf(token[1] as string, context)
  }

  override rawValue(token: string[]): string {
    return this.#spent(token[1] as string)
  }

  #textOf(name: string, context: Mustache.Context): string {
    const value: unknown = context.lookup(name)
    if (value === undefined) this.#warn(`the template names '${name}', which this request has not`)
    if (value === undefined || value === null) return ''
    return this.#spent(typeof value === 'string' ? value : JSON.stringify(value))
  }

  #spent(text: string): string {
    this.#spend(text.length)
    return text
  }

  #spend(cost: number): void {
    this.#left -= cost
    if (this.#left < 0)
      throw new GatewayError(500, `Templates of one reply may write ${maxOutput} characters`)
  }
}

/** Parsed templates, short ones only; all are forgotten when there are many. */
const parsed = new Map<string, unknown[]>()
const maxParsed = 1000
const maxParsedLength = 4096

function tokensOf(text: string): unknown[] {
  const known = parsed.get(text)
  if (known) return known
  const tokens = parser.parse(text)
  if (text.length > maxParsedLength) return tokens
  if (parsed.size >= maxParsed) parsed.clear()
  parsed.set(text, tokens)
  return tokens
}

/** Without the cache of the library, which has no bound. */
const parser = Object.assign(new Mustache.Writer(), { templateCache: undefined })

/** The names in tokens of one kind, those inside sections too. */
function namesOf(tokens: readonly unknown[], kind: string): string[] {
  return tokens.flatMap((token) => {
    const [type, name, , , inner] = token as [string, string, number, number, unknown]
    return [...(type === kind ? [name] : []), ...(Array.isArray(inner) ? namesOf(inner, kind) : [])]
  })
}
