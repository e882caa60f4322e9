/**
 * Operations from an OpenAPI document: whatever it describes and nothing of ours answers. Routed when the gateway is
 * made; their schemas are read when they are first asked.
 */
import * as z from 'zod'
import { hash } from '../../lib/seed.ts'
import type { Operation, ResolverContext } from '../../operation.ts'
import { type FoundOperation, OpenApiDocument, shapeOf } from './openapi-document.ts'
import { PlainSchemas } from './openapi-schemas.ts'
import { parametersOf, parametersSchema, readRepeatedQuery } from './parameters.ts'
import { reading } from './reading.ts'
import { DocumentReply } from './reply.ts'
import { type RequestBody, requestBodyOf } from './request-body.ts'

/** @param given Parsed, OpenAPI 3.x. Throws a `DocumentError` for anything else. */
export function documentOperations(given: object, ours: readonly Operation[]): Operation[] {
  const document = new OpenApiDocument(given)
  const sides = { request: new PlainSchemas(document, 'request'), reply: new PlainSchemas(document, 'reply') }
  const answered = new Set(ours.map(({ method, path }) => `${method} ${shapeOf(path)}`))
  const ids = new Set(ours.map(({ id }) => id))
  return document.operations().flatMap((found) => {
    const line = `${found.method} ${shapeOf(found.route)}`
    if (answered.has(line)) return []
    answered.add(line)
    const id = idOf(found, ids)
    ids.add(id)
    return [new DocumentOperation(id, found, document, sides)]
  })
}

interface Sides {
  readonly request: PlainSchemas
  readonly reply: PlainSchemas
}

export class DocumentOperation implements Operation {
  readonly id: string
  readonly method: FoundOperation['method']
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly assumption = 'document'
  readonly response = z.unknown()
  readonly readQuery = readRepeatedQuery
  /** Where it stands in the document. */
  readonly found: FoundOperation
  readonly document: OpenApiDocument
  readonly #sides: Sides
  #request: RequestParts | undefined
  #reply: DocumentReply | undefined

  constructor(id: string, found: FoundOperation, document: OpenApiDocument, sides: Sides) {
    const { operation, method, route } = found
    const [tag] = Array.isArray(operation['tags']) ? operation['tags'] : []
    this.id = id
    this.method = method
    this.path = route
    this.summary = String(operation['summary'] ?? id)
    this.tag = String(tag ?? 'Document')
    this.found = found
    this.document = document
    this.#sides = sides
  }

  get params(): z.ZodType | undefined {
    return this.#parts.params
  }

  get query(): z.ZodType | undefined {
    return this.#parts.query
  }

  get headers(): z.ZodType | undefined {
    return this.#parts.headers
  }

  get body(): z.ZodType | undefined {
    return this.#parts.body
  }

  get bodyIsOptional(): boolean | undefined {
    return this.#parts.bodyIsOptional
  }

  get otherBody(): Operation['otherBody'] {
    return this.#parts.otherBody
  }

  resolve(context: ResolverContext): ReturnType<Operation['resolve']> {
    return reading(() => this.#answer(context))
  }

  #answer({ sandbox, params, body }: ResolverContext): ReturnType<Operation['resolve']> {
    this.#reply ??= new DocumentReply(this.document, this.#sides.reply, {
      id: this.id,
      summary: this.summary,
      operation: this.found.operation,
    })
    const asksForStream = (body as { stream?: unknown } | undefined)?.stream === true
    return this.#reply.make(hash(sandbox.seed, this.id, JSON.stringify(params ?? {})), asksForStream)
  }

  get #parts(): RequestParts {
    this.#request ??= reading(() => this.#readParts())
    return this.#request
  }

  #readParts(): RequestParts {
    const { request } = this.#sides
    const check = (place: 'path' | 'query' | 'header') =>
      parametersSchema(parametersOf(this.document, request, this.found, place))
    return {
      params: check('path'),
      query: check('query'),
      headers: check('header'),
      ...requestBodyOf(this.document, request, this.found.operation['requestBody']),
    }
  }
}

interface RequestParts extends RequestBody {
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly headers: z.ZodType | undefined
}

/** What the document calls it, or else its line as one word; neither twice. */
function idOf({ method, route, operation }: FoundOperation, taken: ReadonlySet<string>): string {
  const words = route.split(/[^A-Za-z\d]+/).filter((word) => word !== '')
  const line = method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const given = operation['operationId']
  const names = typeof given === 'string' && given !== '' ? [given, line] : [line]
  for (let number = 2; ; number++) {
    const free = names.find((name) => !taken.has(name))
    if (free !== undefined) return free
    names.push(`${line}${number}`)
  }
}
