/**
 * Operations from an OpenAPI document that no built-in or custom operation implements. Routes are read when the gateway
 * is created, schemas on first use.
 */
import * as z from 'zod'
import type { Reply } from '../../http/reply.ts'
import { copy } from '../../lib/copy.ts'
import { hash } from '../../lib/seed.ts'
import { inOneLine } from '../../model/structured.ts'
import { type AnyOperation, type RequestContext, shapeOf } from '../../operation.ts'
import { isJson, OpenApiDocument, type PathOperation } from '../documents/openapi-document.ts'
import { type Draft, echoKey, echoPath } from './edits.ts'
import { PlainSchemas, reading } from './openapi-schemas.ts'
import { RecordReplies } from './record-replies.ts'
import { DocumentReply } from './reply.ts'
import { type Input, inputOf } from './request.ts'
import { resourcesOf, type Verb } from './resource.ts'

/**
 * Creates a document's operations, except those in `existing`. Throws a `DocumentError` unless the document is
 * OpenAPI 3.x.
 *
 * @param root Parsed document.
 */
export function documentOperations(root: unknown, existing: readonly AnyOperation[]): DocumentOperation[] {
  const document = new OpenApiDocument(root)
  const schemas = {
    request: new PlainSchemas(document, 'request'),
    reply: new PlainSchemas(document, 'reply'),
  }
  const lines = new Set(existing.map(({ method, path }) => `${method} ${shapeOf(path)}`))
  const ids = new Set(existing.map(({ id }) => id))
  const added = document.operations().flatMap((source) => {
    const line = `${source.method} ${shapeOf(source.route)}`
    if (lines.has(line)) return []
    lines.add(line)
    const id = idOf(source, ids)
    ids.add(id)
    return [new DocumentOperation(id, source, document, schemas)]
  })
  for (const resource of resourcesOf(added, existing)) {
    const replies = new RecordReplies(resource)
    for (const [verb, operation] of resource.operations) operation.keepRecords(verb, replies)
  }
  return added
}

interface Schemas {
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
  /** The operation's declaration in the document. */
  readonly source: PathOperation
  readonly document: OpenApiDocument
  readonly #schemas: Schemas
  /** Parts of the schemas that requests are not checked against. */
  readonly #unchecked = new Set<string>()
  /** Present if the operation uses a path's records. */
  #records: { readonly verb: Verb; readonly replies: RecordReplies } | undefined
  marks: AnyOperation['marks'] = {}
  #input: Input | undefined
  #documentReply: DocumentReply | undefined

  constructor(id: string, source: PathOperation, document: OpenApiDocument, schemas: Schemas) {
    const { operation, method, route } = source
    const [tag] = Array.isArray(operation['tags']) ? operation['tags'] : []
    this.id = id
    this.method = method
    this.path = route
    this.doc = {
      summary: String(operation['summary'] || id),
      tag: String(tag ?? 'Document'),
      isDescribed: true,
    }
    this.source = source
    this.document = document
    this.#schemas = schemas
  }

  /** Reads the request schemas on first use. */
  get input(): Input {
    this.#input ??= reading(() => inputOf(this.document, this.#schemas.request, this.source, this.#unchecked))
    return this.#input
  }

  keepRecords(verb: Verb, replies: RecordReplies): void {
    this.#records = { verb, replies }
    if (verb !== 'get' && verb !== 'list') this.marks = { writes: true }
  }

  /** Reads the reply's schemas on first use. */
  get documentReply(): DocumentReply {
    this.#documentReply ??= new DocumentReply(this.document, this.#schemas.reply, {
      id: this.id,
      summary: this.doc.summary,
      operation: this.source.operation,
    })
    return this.#documentReply
  }

  /** Returns the default of the first query parameter whose name passes a test, or undefined if there is none. */
  defaultOf(passes: (name: string) => boolean): unknown {
    const lists = [this.source.operation['parameters'], this.source.item['parameters']]
    const declarations = lists.flatMap((list) => (Array.isArray(list) ? list : []))
    const parameter = declarations
      .map((each) => this.document.resolve(each))
      .find((each) => each?.['in'] === 'query' && passes(String(each['name'])))
    return this.document.resolve(parameter?.['schema'])?.['default']
  }

  async resolve(context: RequestContext): Promise<Reply> {
    try {
      if (this.#unchecked.size > 0)
        context.warn(`Not checked in ${this.id} requests: ${inOneLine([...this.#unchecked])}`)
      const { verb, replies } = this.#records ?? {}
      const kept = verb && (await replies?.respond(verb, this, context))
      if (kept) return kept
      const sample = await this.reply(context)
      context.assume('documentSample')
      return sample
    } catch (error) {
      return reading(() => {
        throw error
      })
    }
  }

  /** Returns a copy of the JSON in the reply for this seed. */
  async sample(context: RequestContext, seed: string): Promise<Draft> {
    return copy(this.documentReply.sample({ seed, warn: context.warn }))
  }

  /**
   * Creates a reply.
   *
   * @param seed Default: derived from the operation and its path parameters.
   * @param edit See `DocumentReply.make`.
   */
  async reply(
    context: RequestContext,
    seed = hash(context.sandbox.seed, this.id, JSON.stringify(context.params ?? {})),
    edit?: (draft: Draft) => void,
  ): Promise<Reply> {
    const { params, body } = context
    const asksForStream = isJson(body) && body['stream'] === true
    return this.documentReply.make(asksForStream, { seed, warn: context.warn }, (draft) => {
      echoPath(draft, this.path, params)
      if (edit) edit(draft)
      else echoKey(draft, this.path, params)
    })
  }
}

/** Returns the document's operation id, or method and path in camel case. Adds a number if the id is taken. */
function idOf({ method, route, operation }: PathOperation, taken: ReadonlySet<string>): string {
  const words = route.split(/[^A-Za-z\d]+/).filter((word) => word !== '')
  const line = method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const { operationId } = operation
  const names = typeof operationId === 'string' && operationId !== '' ? [operationId, line] : [line]
  for (let number = 2; ; number++) {
    const free = names.find((name) => !taken.has(name))
    if (free !== undefined) return free
    names.push(`${line}${number}`)
  }
}
