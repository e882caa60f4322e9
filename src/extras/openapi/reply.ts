/**
 * Creates successful replies for an OpenAPI document's operations. The body is the document's example if it is valid,
 * otherwise a value generated from the schema.
 */

import { toBytes } from '../../http/encode.ts'
import { GatewayError } from '../../http/errors.ts'
import { httpToken } from '../../http/header-record.ts'
import type { Reply } from '../../http/reply.ts'
import { hash } from '../../lib/seed.ts'
import { Exhausted } from '../../model/json-schema/budget.ts'
import { problemsOf } from '../../model/json-schema/check.ts'
import { generateValue } from '../../model/json-schema/generate-value.ts'
import { LostReference, listedValues, propertiesOf } from '../../model/json-schema/schema.ts'
import { examplesOfSchema, inOneLine, wordsOf } from '../../model/structured.ts'
import type { SchemaObject, ValueSource } from '../../resources/json-schema.ts'
import { isJson, type Json, type OpenApiDocument } from '../documents/openapi-document.ts'
import { type Draft, edited } from './edits.ts'
import { follow, type PlainSchemas } from './openapi-schemas.ts'
import { sampleFile } from './sample-file.ts'

interface Described {
  readonly id: string
  readonly summary: string
  readonly operation: Json
}

/** Settings for generating values. */
export interface Making {
  readonly seed: string
  /** Called with a message if a value may violate its schema. */
  readonly warn: (message: string) => void
}

export class DocumentReply {
  readonly status: number
  /** If true, the operation can reply with an event stream. */
  readonly streams: boolean
  readonly #document: OpenApiDocument
  readonly #schemas: PlainSchemas
  readonly #described: Described
  readonly #response: Json
  /** The response's media type objects, by media type. */
  readonly #content: Json
  /** Media type of replies; undefined if there is no body or only a stream. */
  readonly #type: string | undefined
  /**
   * Errors for parts of the reply that exceed the generation budget. Cached because another attempt, even with a
   * different seed, would use up the budget again.
   */
  readonly #tooLarge = new Map<string, GatewayError>()

  constructor(document: OpenApiDocument, schemas: PlainSchemas, described: Described) {
    this.#document = document
    this.#schemas = schemas
    this.#described = described
    const [status, response] = successOf(described.operation['responses'])
    this.status = status
    this.#response = follow(document, response) ?? {}
    this.#content = Object(this.#response['content'])
    const types = Object.keys(this.#content)
    this.streams = types.some(isStream)
    const others = types.filter((type) => !isStream(type))
    this.#type = others.find((type) => /json|\*\/\*/i.test(type)) ?? others[0]
  }

  /** Schema of a JSON body; undefined if the body is not JSON. */
  get schema(): SchemaObject | undefined {
    return /json/i.test(concrete(this.#type ?? '')) ? this.#schemas.rooted(this.#media['schema']) : undefined
  }

  get #media(): Json {
    return Object(this.#content[this.#type as string])
  }

  /** Returns a reply's JSON or text body. Throws the same errors as `make`. */
  sample(making: Making): unknown {
    return this.#valueOf(this.#media, 'body', 'reply', making)
  }

  /**
   * Creates a reply. Throws 501 for a stream, and 500 if no value can be generated.
   *
   * @param edit Edits the JSON body in `draft.value`. Changes that the schema rejects are undone.
   */
  make(asksForStream: boolean, making: Making, edit: (draft: Draft) => void): Reply | Promise<Reply> {
    const { id } = this.#described
    if (this.streams && (asksForStream || this.#type === undefined))
      throw refused(
        501,
        `${id} replies with a stream, which cannot be generated from a document: add a rule with reply.frames`,
      )
    const headers = this.#headers(making)
    const type = this.#type
    if (type === undefined) return { status: this.status, headers, body: { kind: 'none' } }
    const name = concrete(type)
    if (!mediaType.test(name))
      throw refused(500, `The content type ${JSON.stringify(type)} of ${id} is not a media type`)
    headers['content-type'] = name
    const isText = !/json/i.test(name)
    if (isText && !isTextual(name)) return this.#bytes(making.seed, headers)
    if (!isText) {
      const value = edited(this.sample(making), this.schema as SchemaObject, edit)
      return { status: this.status, headers, body: { kind: 'json', value } }
    }
    const value = this.sample(making)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return {
      status: this.status,
      headers,
      body: { kind: 'frames', frames: [{ kind: 'bytes', bytes: text }] },
    }
  }

  async #bytes(seed: string, headers: Record<string, string>): Promise<Reply> {
    const bytes = (await sampleFile(headers['content-type'])) ?? toBytes(hash(seed, 'bytes'))
    return {
      status: this.status,
      headers: { ...headers, 'content-length': String(bytes.length) },
      body: { kind: 'frames', frames: [{ kind: 'bytes', bytes }] },
    }
  }

  /** Returns headers that are required or have an example. */
  #headers(making: Making): Record<string, string> {
    const headers: Record<string, string> = {}
    for (const [name, declaration] of Object.entries(Object(this.#response['headers']))) {
      const header = this.#document.resolve(declaration)
      if (!header || !httpToken.test(name) || framingHeaders.test(name)) continue
      if (header['required'] !== true && header['example'] === undefined) continue
      const value = this.#valueOf(header, name, `header ${name}`, making)
      headers[name.toLowerCase()] = (
        typeof value === 'object' ? JSON.stringify(value) : String(value)
      ).replace(/[^\t\x20-\x7e]/g, '?')
    }
    return headers
  }

  /**
   * @param part Part of the seed.
   * @param what Name in messages.
   */
  #valueOf(described: Json, part: string, what: string, making: Making): unknown {
    const { id, summary } = this.#described
    const { warn } = making
    const seed = hash(making.seed, part)
    const cached = this.#tooLarge.get(what)
    if (cached) throw cached
    const schema = this.#schemas.rooted(described['schema'])
    try {
      const example = this.#exampleOf(described)
      if (example !== undefined && problemsOf(schema, example).length === 0) return example
      const words = wordsOf(summary)
      const ignored = new Set<string>()
      const source: ValueSource = (place) => {
        if (leavesDiscriminatorOpen(place.schemas)) ignored.add("'discriminator' is not simulated")
        return examplesOfSchema(place) ?? words(place)
      }
      const generated = generateValue(schema, { seed, source })
      const doubts = [...ignored, ...generated.doubts]
      if (doubts.length > 0) warn(`The ${what} of ${id} may not match its schema: ${inOneLine(doubts)}`)
      return generated.value
    } catch (error) {
      if (error instanceof LostReference) throw error
      const refusal = refused(
        500,
        `Cannot generate the ${what} of ${id} from the document: ${(error as Error).message}`,
      )
      if (error instanceof Exhausted) this.#tooLarge.set(what, refusal)
      throw refusal
    }
  }

  #exampleOf({ example, examples }: Json): unknown {
    if (example !== undefined) return example
    const [first] = Object.values(Object(examples))
    return this.#document.resolve(first)?.['value']
  }
}

/** Returns the response with the lowest success status or, if there is none, `default` or a redirect. */
function successOf(responses: unknown): [status: number, response: unknown] {
  const entries = Object.entries(Object(responses))
  const success = entries.filter(([status]) => /^2(\d\d|XX)$/i.test(status)).sort()[0]
  const other =
    entries.find(([status]) => status === 'default') ?? entries.find(([status]) => /^3\d\d$/.test(status))
  const [status, response] = success ?? other ?? ['204', undefined]
  return [/^\d+$/.test(status) ? Number(status) : 200, response]
}

/** Returns true if a discriminator applies and no schema lists its property's values. */
function leavesDiscriminatorOpen(schemas: readonly SchemaObject[]): boolean {
  return schemas.some(({ discriminator }) => {
    if (!isJson(discriminator)) return false
    const name = String(discriminator['propertyName'])
    const properties = schemas.map((schema) => propertiesOf(schema).get(name))
    return !properties.some((property) => isJson(property) && listedValues(property) !== undefined)
  })
}

function isStream(type: string): boolean {
  return /^text\/event-stream/i.test(type)
}

/** RFC 9110, 8.3.1. */
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;[\t\x20-\x7e]*)?$/

/** Headers that the server sets according to the body and its framing. */
const framingHeaders = /^(content-(type|length|encoding)|transfer-encoding|trailer|connection)$/i

function isTextual(type: string): boolean {
  return /^text\/|[/+](xml|yaml|csv|x-ndjson)\b/i.test(type)
}

/** Returns a concrete type for a range such as `image/*`. */
function concrete(type: string): string {
  const defaults: Record<string, string> = {
    audio: 'mpeg',
    image: 'png',
    video: 'mp4',
    text: 'plain',
    application: 'json',
  }
  if (type === '*/*') return 'application/json'
  return type.replace(/^(\w+)\/\*$/, (range, kind: string) =>
    defaults[kind] ? `${kind}/${defaults[kind]}` : range,
  )
}

function refused(status: number, message: string): GatewayError {
  return new GatewayError(status, message, undefined, { assumption: 'document' })
}
