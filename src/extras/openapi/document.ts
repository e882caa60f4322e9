/** Reads an OpenAPI 3 document: lists its operations and resolves its references. */
import { parseDataText, readRegularFile } from '../../lib/data-file.ts'
import { isObject } from '../../lib/json.ts'
import { readPointer } from '../../lib/value-path.ts'

export type Json = Readonly<Record<string, unknown>>

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const

export interface PathOperation {
  readonly method: (typeof methods)[number]
  readonly route: string
  /** Query or fragment of the path, which lets a document describe a path more than once. */
  readonly variant: URLSearchParams
  readonly operation: Json
}

export class OpenApiDocument {
  readonly #root: Json

  /** @param root Parsed document. Throws a `TypeError` unless it is OpenAPI 3.x. */
  constructor(root: unknown) {
    if (!isObject(root) || !isObject(root['paths']))
      throw new TypeError('is not an OpenAPI document: it has no paths')
    const { openapi, swagger } = root
    if (typeof openapi !== 'string' || !openapi.startsWith('3.')) {
      const version = swagger === undefined ? `openapi: ${openapi}` : `swagger: ${swagger}`
      throw new TypeError(`is not an OpenAPI 3 document: it has ${version}`)
    }
    this.#root = root
  }

  /** Throws a `TypeError` if a path item is in another file. */
  operations(): PathOperation[] {
    return Object.entries(this.#root['paths'] as Json).flatMap(([path, value]) => {
      if (!path.startsWith('/') || !isObject(value)) return []
      const item = this.resolve(value)
      const [pathname = '', ...rest] = path.split(/[?#]/)
      return methods.flatMap((method) => {
        if (!isObject(item[method])) return []
        const operation = this.resolve(item[method])
        const servers = operation['servers'] ?? item['servers'] ?? this.#root['servers']
        const variant = new URLSearchParams(rest.join('&'))
        return [{ method, route: routeOf(pathname, servers), variant, operation }]
      })
    })
  }

  /** Follows references within the document. Throws a `TypeError` for a reference that it cannot follow. */
  resolve(value: unknown): Json {
    let target = value
    const seen = new Set<unknown>()
    while (isObject(target) && typeof target['$ref'] === 'string' && !seen.has(target)) {
      seen.add(target)
      target = this.at(target['$ref'])
    }
    return isObject(target) ? target : {}
  }

  at(reference: string): unknown {
    const target = reference === '#' ? undefined : readPointer(this.#root, reference)
    if (target !== undefined) return target
    throw new DocumentError(
      reference.startsWith('#')
        ? `unresolved reference '${reference}'`
        : `reference '${reference}' to another file: bundle the document into one file`,
    )
  }
}

export class DocumentError extends TypeError {}

const base = '/api/v1'

function routeOf(path: string, servers: unknown): string {
  const prefix = prefixOf(servers)
  const below = prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
  if (below.startsWith(`${base}/`)) return below.slice(base.length)
  const fullPath = prefix + below
  return fullPath.startsWith(`${base}/`) ? fullPath.slice(base.length) : below
}

function prefixOf(servers: unknown): string {
  const [server] = Array.isArray(servers) ? servers : []
  if (!isObject(server) || typeof server['url'] !== 'string') return ''
  const variables = Object(server['variables'])
  const url = server['url'].replace(
    /\{([^}]*)\}/g,
    (_, name: string) => Object(variables[name]).default ?? '',
  )
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/\/+$/, '')
}

/** Maximum file size in bytes. Published documents are about 2 MB. */
const maxFileSize = 64 * 1024 * 1024
/** Maximum number of tokens in YAML. Published documents have about half a million. */
const maxTokens = 1_500_000

/** The last file read, cached because tests create many gateways with the same document. */
let last: { name: string; changedAt: number | undefined; value: unknown } | undefined

/** Reads a YAML or JSON file in Node. The value is shared and must not be changed. Throws a `FileError`. */
export function readDocumentFile(file: string): unknown {
  const builtin = globalThis.process?.getBuiltinModule
  const name = builtin?.('node:path').resolve(file) ?? file
  const changedAt = builtin?.('node:fs').statSync(name, { throwIfNoEntry: false })?.mtimeMs
  if (changedAt !== undefined && last?.name === name && last.changedAt === changedAt) return last.value
  const { value } = parseDataText(file, readRegularFile(file, maxFileSize).toString(), null, maxTokens)
  last = { name, changedAt, value }
  return value
}
