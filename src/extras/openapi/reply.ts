/**
 * The reply of an OpenAPI operation: its own success status, with the example of the document where its schema accepts
 * it, and otherwise with a value made of the schema.
 */
import { toBytes } from '../../http/encode.ts'
import { GatewayError } from '../../http/errors.ts'
import { httpToken } from '../../http/header-record.ts'
import { isJson, type Json, type OpenApiDocument } from '../../http/openapi-document.ts'
import type { Reply } from '../../http/reply.ts'
import { hash } from '../../lib/seed.ts'
import { Exhausted } from '../../model/json-schema/budget.ts'
import { problemsOf } from '../../model/json-schema/check.ts'
import { makeValue, type ValueSource } from '../../model/json-schema/make-value.ts'
import {
  LostReference,
  listedValues,
  propertiesOf,
  type SchemaObject,
} from '../../model/json-schema/schema.ts'
import { examplesOfSchema, inOneLine, wordsOf } from '../../model/structured.ts'
import { follow, type PlainSchemas } from './openapi-schemas.ts'

interface Described {
  readonly id: string
  readonly summary: string
  readonly operation: Json
}

type Warn = (message: string) => void

/** A value that is made: its seed, and its name in messages. */
interface Making {
  readonly seed: string
  readonly what: string
  readonly warn: Warn
}

export class DocumentReply {
  readonly status: number
  /** Whether it is an event stream, or may be one. */
  readonly streams: boolean
  readonly #document: OpenApiDocument
  readonly #schemas: PlainSchemas
  readonly #described: Described
  readonly #response: Json
  /** By media type. */
  readonly #content: Json
  /** The media type that is answered; undefined where there is no body, or only a stream. */
  readonly #type: string | undefined
  /** Refusals of parts that no seed makes smaller: they take the whole budget, so they are found once. */
  readonly #tooLarge = new Map<string, GatewayError>()

  constructor(document: OpenApiDocument, schemas: PlainSchemas, described: Described) {
    this.#document = document
    this.#schemas = schemas
    this.#described = described
    const [status, given] = successOf(described.operation['responses'])
    this.status = status
    this.#response = follow(document, given) ?? {}
    this.#content = isJson(this.#response['content']) ? this.#response['content'] : {}
    const types = Object.keys(this.#content)
    this.streams = types.some(isStream)
    const others = types.filter((type) => !isStream(type))
    this.#type = others.find((type) => /json|\*\/\*/i.test(type)) ?? others[0]
  }

  /**
   * The reply; throws 501 for a stream, and 500 where the document describes nothing that can be made.
   *
   * @param seed What its values depend on.
   * @param warn Reports parts of a schema that a value may violate.
   */
  make(seed: string, asksForStream: boolean, warn: Warn): Reply {
    const { id } = this.#described
    if (this.streams && (asksForStream || this.#type === undefined))
      throw refused(
        501,
        `${id} answers with a stream, and none is made from a document: script it by a rule with reply.frames`,
      )
    const headers = this.#headers(seed, warn)
    const type = this.#type
    if (type === undefined) return { status: this.status, headers, body: { kind: 'none' } }
    const media = isJson(this.#content[type]) ? (this.#content[type] as Json) : {}
    const name = concrete(type)
    if (!mediaType.test(name))
      throw refused(500, `The content type ${JSON.stringify(type)} of ${id} is no media type`)
    headers['content-type'] = name
    const isText = !/json/i.test(name)
    if (isText && !isTextual(name)) return this.#bytes(seed, headers)
    const making = { seed: hash(seed, 'body'), what: 'reply', warn }
    const value = this.#valueOf(media, isText ? { type: 'string' } : true, making)
    if (!isText) return { status: this.status, headers, body: { kind: 'json', value } }
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return {
      status: this.status,
      headers,
      body: { kind: 'frames', frames: [{ kind: 'bytes', bytes: text }] },
    }
  }

  #bytes(seed: string, headers: Record<string, string>): Reply {
    const bytes = toBytes(hash(seed, 'bytes').repeat(4))
    return { status: this.status, headers, body: { kind: 'frames', frames: [{ kind: 'bytes', bytes }] } }
  }

  /** The headers that a reply must have, or that have an example. */
  #headers(seed: string, warn: Warn): Record<string, string> {
    const headers: Record<string, string> = {}
    for (const [name, given] of Object.entries(
      isJson(this.#response['headers']) ? this.#response['headers'] : {},
    )) {
      const header = this.#document.resolve(given)
      if (!header || !httpToken.test(name) || ofTheServer.test(name)) continue
      if (header['required'] !== true && header['example'] === undefined) continue
      const making = { seed: hash(seed, name), what: `header ${name}`, warn }
      const value = this.#valueOf(header, { type: 'string' }, making)
      headers[name.toLowerCase()] = (
        typeof value === 'object' ? JSON.stringify(value) : String(value)
      ).replace(/[^\t\x20-\x7e]/g, '?')
    }
    return headers
  }

  #valueOf(described: Json, usual: unknown, { seed, what, warn }: Making): unknown {
    const { id, summary } = this.#described
    const known = this.#tooLarge.get(what)
    if (known) throw known
    const schema = this.#schemas.rooted(described['schema'] ?? usual)
    try {
      const example = this.#exampleOf(described)
      if (example !== undefined && problemsOf(schema, example).length === 0) return example
      const words = wordsOf(summary || id)
      const ignored = new Set<string>()
      const source: ValueSource = (place) => {
        if (leavesDiscriminatorOpen(place.schemas)) ignored.add("'discriminator' is not simulated")
        return examplesOfSchema(place) ?? words(place)
      }
      const made = makeValue(schema, { seed, source })
      const { value } = made
      const doubts = [...ignored, ...made.doubts]
      if (doubts.length > 0) warn(`The ${what} of ${id} may not fit its schema: ${inOneLine(doubts)}`)
      return value
    } catch (error) {
      if (error instanceof LostReference) throw error
      const refusal = refused(
        500,
        `The ${what} of ${id} cannot be made from the document: ${(error as Error).message}`,
      )
      if (error instanceof Exhausted) this.#tooLarge.set(what, refusal)
      throw refusal
    }
  }

  #exampleOf({ example, examples }: Json): unknown {
    if (example !== undefined) return example
    const [first] = isJson(examples) ? Object.values(examples) : []
    return this.#document.resolve(first)?.['value']
  }
}

/** The lowest status of success, or what the document gives in its place. */
function successOf(responses: unknown): [status: number, response: unknown] {
  const entries = isJson(responses) ? Object.entries(responses) : []
  const success = entries.filter(([status]) => /^2(\d\d|XX)$/i.test(status)).sort()[0]
  const other =
    entries.find(([status]) => status === 'default') ?? entries.find(([status]) => /^3\d\d$/.test(status))
  const [status, response] = success ?? other ?? ['204', undefined]
  return [/^\d+$/.test(status) ? Number(status) : 200, response]
}

/** If true, a discriminator applies, and no schema lists the values of its property. */
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

/** Spec: RFC 9110, 8.3.1. */
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;[\t\x20-\x7e]*)?$/

/** Headers that follow from the body, and how it is framed. */
const ofTheServer = /^(content-(type|length|encoding)|transfer-encoding|trailer|connection)$/i

function isTextual(type: string): boolean {
  return /^text\/|[/+](xml|yaml|csv|x-ndjson)\b/i.test(type)
}

/** A range of types as one of them. */
function concrete(type: string): string {
  const usual: Record<string, string> = {
    audio: 'mpeg',
    image: 'png',
    video: 'mp4',
    text: 'plain',
    application: 'json',
  }
  if (type === '*/*') return 'application/json'
  return type.replace(/^(\w+)\/\*$/, (range, kind: string) =>
    usual[kind] ? `${kind}/${usual[kind]}` : range,
  )
}

function refused(status: number, message: string): GatewayError {
  return new GatewayError(status, message, undefined, { assumption: 'document' })
}
