/**
 * An OpenAPI 3 document as what is looked up in it: its operations, and where its references lead.
 */

export type Json = Readonly<Record<string, unknown>>

/** A document that cannot be used. */
export class DocumentError extends Error {
  override name = 'DocumentError'
}

export const documentMethods = ['get', 'put', 'post', 'delete', 'patch'] as const

/** Maximum number of references in a row. */
// mutation: equivalent: a bound for references in a circle; any similar number will do
const maxReferences = 20

export interface FoundOperation {
  readonly method: (typeof documentMethods)[number]
  /** As it stands in the document. */
  readonly path: string
  /** Below our base address. */
  readonly route: string
  readonly operation: Json
  /** The path item, which may have parameters for all methods. */
  readonly item: Json
}

export class OpenApiDocument {
  readonly root: Json

  /** @param document Parsed, OpenAPI 3.x. Throws a `DocumentError` for anything else. */
  constructor(document: unknown) {
    if (!isJson(document) || !isJson(document['paths']))
      throw new DocumentError('is no OpenAPI document: it has no paths')
    const { openapi, swagger } = document
    if (typeof openapi !== 'string' || !openapi.startsWith('3.'))
      throw new DocumentError(
        `is no OpenAPI 3 document: it says ${swagger === undefined ? `openapi: ${openapi}` : `swagger: ${swagger}`}`,
      )
    this.root = document
  }

  /** What a reference inside the document leads to, however many there are in a row; undefined where it leads nowhere. */
  resolve(value: unknown): Json | undefined {
    let found = value
    for (let step = 0; isJson(found) && typeof found['$ref'] === 'string' && step < maxReferences; step++)
      found = this.#at(found['$ref'])
    return isJson(found) ? found : undefined
  }

  operations(): FoundOperation[] {
    return Object.entries(this.root['paths'] as Json).flatMap(([path, given]) => {
      const item = this.resolve(given)
      if (!item && isJson(given))
        throw new DocumentError(
          `refers at '${path}' to '${given['$ref']}', outside of it: bundle it into one file`,
        )
      if (!item || !path.startsWith('/')) return []
      return documentMethods.flatMap((method) => {
        const operation = this.resolve(item[method])
        if (!operation) return []
        const servers = operation['servers'] ?? item['servers'] ?? this.root['servers']
        return [{ method, path, route: routeOf(path, servers), operation, item }]
      })
    })
  }

  #at(reference: string): unknown {
    if (!reference.startsWith('#/')) return undefined
    let found: unknown = this.root
    for (const step of reference.slice(2).split('/')) {
      const key = unescaped(step)
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
      found = Reflect.get(found, key)
    }
    return found
  }
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A path without the names of its parameters: two paths of one shape answer the same addresses. */
export function shapeOf(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}')
}

/** Where our base address ends. */
const base = '/api/v1'

/** A path below our base address: it loses the prefix of its server, and that base, where it carries them. */
export function routeOf(path: string, servers: unknown): string {
  const prefix = prefixOf(servers)
  const below = prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
  if (below.startsWith(`${base}/`)) return below.slice(base.length)
  const whole = prefix + below
  return whole.startsWith(`${base}/`) ? whole.slice(base.length) : below
}

/** The path of the first server, `/api/v1`; the empty string where it has none. */
function prefixOf(servers: unknown): string {
  const [server] = Array.isArray(servers) ? servers : []
  if (!isJson(server) || typeof server['url'] !== 'string') return ''
  const variables = isJson(server['variables']) ? server['variables'] : {}
  const url = server['url'].replace(/\{([^}]*)\}/g, (_, name: string) => {
    const variable = variables[name]
    return isJson(variable) ? String(variable['default'] ?? '') : ''
  })
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/\/+$/, '')
}

function unescaped(step: string): string {
  let key = step
  try {
    key = decodeURIComponent(step)
  } catch {
    // A percent sign that is none of an encoding stands for itself.
  }
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
