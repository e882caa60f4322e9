/** Reads an OpenAPI 3 document: lists its operations and resolves its references. */

import { readAt } from '../../lib/value-path.ts'

export type Json = Readonly<Record<string, unknown>>

/** Thrown for a document that is not OpenAPI 3 or has external references. */
export class DocumentError extends Error {
  override name = 'DocumentError'
}

const documentMethods = ['get', 'put', 'post', 'delete', 'patch'] as const

export interface PathOperation {
  readonly method: (typeof documentMethods)[number]
  /** Path as written in the document. */
  readonly path: string
  /** Path relative to the gateway's base URL. */
  readonly route: string
  readonly operation: Json
  /** The path item, whose parameters apply to all methods. */
  readonly item: Json
}

export class OpenApiDocument {
  readonly root: Json

  /** @param document Parsed OpenAPI 3.x document. Throws a `DocumentError` for anything else. */
  constructor(document: unknown) {
    if (!isJson(document) || !isJson(document['paths']))
      throw new DocumentError('is not an OpenAPI document: it has no paths')
    const { openapi, swagger } = document
    if (typeof openapi !== 'string' || !openapi.startsWith('3.'))
      throw new DocumentError(
        `is not an OpenAPI 3 document: it has ${swagger === undefined ? `openapi: ${openapi}` : `swagger: ${swagger}`}`,
      )
    this.root = document
  }

  /** Follows references within the document. Returns undefined for a broken or external one. */
  resolve(value: unknown): Json | undefined {
    let target = value
    const seen = new Set<unknown>()
    while (isJson(target) && typeof target['$ref'] === 'string' && !seen.has(target)) {
      seen.add(target)
      target = this.#at(target['$ref'])
    }
    return isJson(target) ? target : undefined
  }

  operations(): PathOperation[] {
    return Object.entries(this.root['paths'] as Json).flatMap(([path, itemOrReference]) => {
      if (!path.startsWith('/')) return []
      const item = this.resolve(itemOrReference)
      if (!item) {
        const reference = Object(itemOrReference)['$ref']
        if (reference === undefined) return []
        throw new DocumentError(
          `has an external reference '${reference}' at '${path}': bundle the document into one file`,
        )
      }
      return documentMethods.flatMap((method) => {
        const operation = this.resolve(item[method])
        if (!operation) return []
        const servers = operation['servers'] ?? item['servers'] ?? this.root['servers']
        return [{ method, path, route: routeOf(path, servers), operation, item }]
      })
    })
  }

  #at(reference: string): unknown {
    return reference.startsWith('#/')
      ? readAt(this.root, reference.slice(2).split('/').map(unescaped))
      : undefined
  }
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** End of the gateway's base URL. */
const base = '/api/v1'

/** Returns a path relative to the base URL, without the server's prefix and `/api/v1`. */
export function routeOf(path: string, servers: unknown): string {
  const prefix = prefixOf(servers)
  const below = prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
  if (below.startsWith(`${base}/`)) return below.slice(base.length)
  const fullPath = prefix + below
  return fullPath.startsWith(`${base}/`) ? fullPath.slice(base.length) : below
}

/** Returns the first server's path, such as `/api/v1`, or an empty string if there is none. */
export function prefixOf(servers: unknown): string {
  const [server] = Array.isArray(servers) ? servers : []
  if (!isJson(server) || typeof server['url'] !== 'string') return ''
  const variables = Object(server['variables'])
  const url = server['url'].replace(
    /\{([^}]*)\}/g,
    (_, name: string) => Object(variables[name]).default ?? '',
  )
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/\/+$/, '')
}

function unescaped(step: string): string {
  let key = step
  try {
    key = decodeURIComponent(step)
  } catch {
    // A percent sign outside an escape sequence is literal.
  }
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
