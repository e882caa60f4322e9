/** Operations from an OpenAPI document, which reply with its examples or with samples of its schemas. */
import * as z from 'zod'
import { toBytes } from '../../http/encode.ts'
import { GatewayError } from '../../http/errors.ts'
import type { Reply } from '../../http/reply.ts'
import { fieldsOf, listOf } from '../../lib/json.ts'
import { hash } from '../../lib/seed.ts'
import { type AnyOperation, type RequestContext, shapeOf } from '../../operation.ts'
import type { SchemaObject } from '../../resources/json-schema.ts'
import { DocumentError, type Json, OpenApiDocument, type PathOperation } from './document.ts'
import { replySchema } from './reply-schema.ts'

/** Omits operations in `existing`. Throws a `TypeError` unless the document is OpenAPI 3.x. */
export function documentOperations(root: unknown, existing: readonly AnyOperation[]): AnyOperation[] {
  const document = new OpenApiDocument(root)
  const lineOf = (method: string, path: string) => `${method} ${shapeOf(path)}`
  const taken = new Set(existing.map(({ method, path }) => lineOf(method, path)))
  const variants = new Map<string, [PathOperation, ...PathOperation[]]>()
  for (const each of document.operations()) {
    const line = lineOf(each.method, each.route)
    const others = variants.get(line)
    if (others) others.push(each)
    else if (!taken.has(line)) variants.set(line, [each])
  }
  const ids = new Set(existing.map(({ id }) => id))
  return [...variants.values()].map((sources) => {
    const id = idOf(sources[0], ids)
    ids.add(id)
    return toOperation(id, sources, document)
  })
}

function toOperation(
  id: string,
  sources: readonly [PathOperation, ...PathOperation[]],
  document: OpenApiDocument,
): AnyOperation {
  const [{ method, route, operation }] = sources
  const summary = String(operation['summary'] || id)
  const samples = sources.map((source) => new Sample(id, summary, source, document))
  return {
    id,
    method,
    path: route,
    doc: {
      summary,
      tag: String(listOf(operation['tags'])[0] ?? 'Document'),
    },
    input: {
      params: z.unknown(),
      query: z.unknown(),
      readQuery: (search) => ({ search }),
      ...(method !== 'get' && {
        body: z.unknown(),
        bodyIsOptional: true,
        otherBody: { types: ['*'], isJsonToo: true },
      }),
    },
    output: z.unknown(),
    assumes: 'documentSample',
    resolve(context) {
      const query = new URLSearchParams(String(fieldsOf(context.query)['search']))
      const isAsked = ({ source: { variant } }: Sample) =>
        variant.size > 0 && [...variant].every(([name, value]) => query.get(name) === value)
      const plain = samples.find(({ source }) => source.variant.size === 0)
      return (samples.find(isAsked) ?? plain ?? (samples[0] as Sample)).reply(context)
    },
  }
}

class Sample {
  readonly #id: string
  readonly #summary: string
  readonly source: PathOperation
  readonly #document: OpenApiDocument
  #schema: SchemaObject | undefined

  constructor(id: string, summary: string, source: PathOperation, document: OpenApiDocument) {
    this.#id = id
    this.#summary = summary
    this.source = source
    this.#document = document
  }

  async reply(context: RequestContext): Promise<Reply> {
    try {
      return await this.#reply(context)
    } catch (error) {
      if (!(error instanceof DocumentError || error instanceof GatewayError)) throw error
      const message = `${this.#id} has no sample in the OpenAPI document: ${error.message}`
      throw new GatewayError(501, message, undefined, { assumption: 'documentSample' })
    }
  }

  async #reply(context: RequestContext): Promise<Reply> {
    const [status, response] = successOf(this.source.operation['responses'])
    const content = fieldsOf(this.#document.resolve(response)['content'])
    const others = Object.keys(content).filter((type) => !isStream(type))
    const type = others.find((each) => /json|\*\/\*/i.test(each)) ?? others[0]
    const streams = others.length < Object.keys(content).length
    if (streams && (type === undefined || fieldsOf(context.body)['stream'] === true))
      throw new DocumentError('streams are not generated: add a rule with reply.frames')
    if (type === undefined) return { status, headers: {}, body: { kind: 'none' } }
    const name = type.replace('*/*', 'application/json').replace('/*', '/plain')
    if (!mediaType.test(name)) throw new DocumentError(`'${type}' is not a media type`)
    const headers = { 'content-type': name }
    const value = () => this.#value(fieldsOf(content[type]), context)
    if (/json/i.test(name)) return { status, headers, body: { kind: 'json', value: await value() } }
    const bytes = isText(name) ? inText(await value()) : hash(context.sandbox.seed, this.#id)
    const length = String(toBytes(bytes).length)
    return {
      status,
      headers: { ...headers, 'content-length': length },
      body: { kind: 'frames', frames: [{ kind: 'bytes', bytes }] },
    }
  }

  async #value({ example, examples, schema = {} }: Json, context: RequestContext): Promise<unknown> {
    const [first] = Object.values(fieldsOf(examples))
    const given = example ?? this.#document.resolve(first)['value']
    if (given !== undefined) return given
    this.#schema ??= replySchema(this.#document, schema)
    const { sandbox, params, warn } = context
    const seed = hash(sandbox.seed, this.#id, JSON.stringify(params ?? {}))
    const { loadFakeValue } = await import('../../model/structured.ts')
    const fakeValue = await loadFakeValue()
    return fakeValue(this.#schema, { path: 'reply', subject: this.#summary, seed, warn })
  }
}

/** Returns the response with the lowest success status or, if there is none, `default` or a redirect. */
function successOf(responses: unknown): [status: number, response: unknown] {
  const entries = Object.entries(fieldsOf(responses))
  const success = entries.filter(([status]) => /^2(\d\d|XX)$/i.test(status)).sort()[0]
  const other =
    entries.find(([status]) => status === 'default') ?? entries.find(([status]) => /^3\d\d$/.test(status))
  const [status, response] = success ?? other ?? ['204', undefined]
  return [/^\d+$/.test(status) ? Number(status) : 200, response]
}

function isStream(type: string): boolean {
  return /^text\/event-stream/i.test(type)
}

function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isText(type: string): boolean {
  return /^text\/|[/+](xml|yaml|javascript|x-www-form-urlencoded)\b/i.test(type)
}

/** RFC 9110, 8.3.1. */
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;[\t\x20-\x7e]*)?$/

/** Returns the document's operation id, or the method and path in camel case. Adds a number if the id is taken. */
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
