/**
 * Operations from an OpenAPI document: whatever it describes and nothing of ours answers. Routed when the gateway is
 * made; their schemas are read when they are first asked.
 */
import * as z from 'zod'
import { OpenApiDocument, type PathOperation, shapeOf } from '../../http/openapi-document.ts'
import { hash } from '../../lib/seed.ts'
import { inOneLine } from '../../model/structured.ts'
import type { AnyOperation, ResolverContext } from '../../operation.ts'
import { PlainSchemas, reading } from './openapi-schemas.ts'
import { DocumentReply } from './reply.ts'
import { type Input, inputOf } from './request.ts'

/** @param given Parsed, OpenAPI 3.x. Throws a `DocumentError` for anything else. */
export function documentOperations(given: object, ours: readonly AnyOperation[]): DocumentOperation[] {
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

export class DocumentOperation implements AnyOperation {
  readonly id: string
  readonly method: PathOperation['method']
  readonly path: string
  readonly doc: { readonly summary: string; readonly tag: string; readonly isDescribed: true }
  readonly output = z.unknown()
  readonly assumes = 'document'
  /** Where it stands in the document. */
  readonly found: PathOperation
  readonly document: OpenApiDocument
  readonly #sides: Sides
  /** Parts of the document that requests are not checked by. */
  readonly #unchecked = new Set<string>()
  #input: Input | undefined
  #reply: DocumentReply | undefined

  constructor(id: string, found: PathOperation, document: OpenApiDocument, sides: Sides) {
    const { operation, method, route } = found
    const [tag] = Array.isArray(operation['tags']) ? operation['tags'] : []
    this.id = id
    this.method = method
    this.path = route
    this.doc = {
      summary: String(operation['summary'] ?? id),
      tag: String(tag ?? 'Document'),
      isDescribed: true,
    }
    this.found = found
    this.document = document
    this.#sides = sides
  }

  /** Reads the schemas of the request on first use. */
  get input(): Input {
    this.#input ??= reading(() => inputOf(this.document, this.#sides.request, this.found, this.#unchecked))
    return this.#input
  }

  resolve(context: ResolverContext): ReturnType<AnyOperation['resolve']> {
    return reading(() => this.#answer(context))
  }

  #answer({ sandbox, params, body, warn }: ResolverContext): ReturnType<AnyOperation['resolve']> {
    this.#reply ??= new DocumentReply(this.document, this.#sides.reply, {
      id: this.id,
      summary: this.doc.summary,
      operation: this.found.operation,
    })
    if (this.#unchecked.size > 0)
      warn(`Not checked in requests of ${this.id}: ${inOneLine([...this.#unchecked])}`)
    const asksForStream = (body as { stream?: unknown } | undefined)?.stream === true
    return this.#reply.make(hash(sandbox.seed, this.id, JSON.stringify(params ?? {})), asksForStream, warn)
  }
}

/** What the document calls it, or else its line as one word; neither twice. */
function idOf({ method, route, operation }: PathOperation, taken: ReadonlySet<string>): string {
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
