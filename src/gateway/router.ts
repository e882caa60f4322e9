/** Finds a request's operation or, for an unknown path, suggests the operation that was probably meant. */
import { GatewayError, invalidRequest, messageOf } from '../http/errors.ts'
import { hideInString } from '../http/secrets.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { decodeUrl } from '../lib/address.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { truncate } from '../lib/one-line.ts'
import { type AnyOperation, shapeOf } from '../operation.ts'
import type { Call } from './call.ts'
import type { GatewayCore } from './gateway.ts'

interface Route {
  readonly operation: AnyOperation
  readonly method: string
  readonly expression: RegExp
  readonly names: readonly string[]
  /** Sort key that puts literal segments before parameters: `/models/{}/endpoints` before `/models/{}/{}`. */
  readonly rank: string
}

export class Router {
  readonly #routes: readonly Route[]
  readonly #byId: ReadonlyMap<string, AnyOperation>
  readonly operations: readonly AnyOperation[]

  constructor(operations: readonly AnyOperation[]) {
    this.operations = operations
    this.#byId = new Map(operations.map((operation) => [operation.id, operation]))
    this.#routes = operations
      .map(toRoute)
      .sort((left, right) => Number(left.rank > right.rank) - Number(left.rank < right.rank))
  }

  operation(id: string | undefined): AnyOperation | undefined {
    return id === undefined ? undefined : this.#byId.get(id)
  }

  /** HEAD finds the GET operation. Without a match, `allow` lists the methods that the path supports. */
  find(method: string, path: string) {
    const wanted = method === 'HEAD' ? 'GET' : method
    const matching = this.#routes.filter(({ expression }) => expression.test(path))
    const route = matching.find(({ method }) => method === wanted)
    if (route) return { operation: route.operation, params: readParams(route, path), allow: [] }
    const allow = new Set(matching.map(({ method }) => method))
    if (allow.has('GET')) allow.add('HEAD')
    return { operation: undefined, params: {}, allow: [...allow] }
  }
}

function toRoute(operation: AnyOperation): Route {
  const { method, path } = operation
  // Clients encode the slash in `{author}/{slug}`, which they see as one id.
  const steps = path
    .split(/\{[^}]*\}/)
    .map((text) => (text === '/' ? '(?:/|%2[Ff])' : text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
  const names = Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name as string)
  return {
    operation,
    method: method.toUpperCase(),
    expression: new RegExp(`^${steps.join('([^/]*)')}$`),
    names,
    rank: shapeOf(path).replaceAll('{}', '\uffff'),
  }
}

function readParams({ expression, names }: Route, path: string): Record<string, string> {
  const [, ...texts] = expression.exec(path) ?? []
  return Object.fromEntries(texts.map((text, place) => [names[place], decodeUrl(text) ?? text]))
}

export function assertUrl({ path, search }: Pick<Call, 'path' | 'search'>): void {
  if (search.length > maxQuery) throw new GatewayError(414)
  if (decodeUrl(path) !== undefined) return
  const message = 'Has invalid percent-encoding: write a percent sign as %25'
  throw invalidRequest([{ path: 'path', message, rule: 'percent_encoding' }])
}

/** Maximum length of a query in characters. Servers accept 16 KB; in-process calls could have millions of parameters. */
const maxQuery = 100_000

/** Returns the 404 for an unknown path, which clients must not retry. */
export function pathNotFound(why: string): GatewayError {
  return new GatewayError(404, `${messageOf(404)}: ${why}`, undefined, {
    headers: { 'x-should-retry': 'false' },
  })
}

const maxPathLength = 200

const scriptable = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/[^\s?#{}']*$/

/** Explains an unknown path: `no operation handles GET /provider. Did you mean GET /providers?` */
export function unknownPath(
  { method, path, route }: Pick<CallRecord, 'method' | 'path' | 'route'>,
  { operations, options }: Pick<GatewayCore, 'operations' | 'options'>,
): string {
  const requested = route ?? path
  const shown = hideInString(requested)
  const problem = `no operation handles ${method} ${truncate(shown, maxPathLength)}`
  const bases = options.onlySpecified ? '/api/v1/' : '/api/v1/ or /v1/'
  const outside = route === undefined ? `, because paths start with ${bases}` : ''
  if (requested.length > maxPathLength) return problem + outside
  const [base = ''] = /^(\/api)?(\/v1)?(?=\/)/.exec(requested) ?? []
  const repeated = route !== undefined && base.endsWith('/v1')
  const why = repeated ? `, because the base URL already ends in /v1: omit ${base}` : outside
  const bare = requested.slice(base.length).replace(/(?<=.)\/+$/, '')
  const line = similarLine(method, bare, operations)
  if (line) return `${problem}${why}. Did you mean ${line.replace(' ', ` ${outside && '/api/v1'}`)}?`
  return scriptable.test(`${method} ${route}`)
    ? `${problem}. A rule can handle it, for example { on: '${method} ${shown}', reply: { body: {} } }`
    : problem + outside
}

/** Compares paths without their parameters: `/responses/input_tokens` does not resemble `/workspaces/{id}`. */
function similarLine(method: string, path: string, all: readonly AnyOperation[]): string | undefined {
  const segments = path.split('/')
  const lines = all.flatMap((operation) => {
    const wanted = operation.method.toUpperCase()
    const pattern = operation.path.split('/')
    // `/models/gpt-5` is not the beginning of `/models/{author}/{slug}`.
    if (/\{.*\{/.test(pattern.slice(segments.length - 1, segments.length + 1).join())) return []
    const words = segments.filter((_, index) => !pattern[index]?.startsWith('{'))
    const literals = pattern.filter((segment) => !segment.startsWith('{'))
    const furthest = wanted === method ? undefined : 2
    if (nearest(words.join('/'), [literals.join('/')], furthest) === undefined) return []
    const filled = pattern.map((each, index) => (each.startsWith('{') ? (segments[index] ?? each) : each))
    return `${wanted} ${filled.join('/')}`
  })
  return nearest(`${method} ${path}`, lines, Infinity)
}
