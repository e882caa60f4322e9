/**
 * Finds a request's operation: by a map lookup for paths without parameters, otherwise in a short list of patterns.
 * For unknown paths, suggests the path that was probably meant.
 */
import { GatewayError, messages } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { truncate } from '../lib/one-line.ts'
import { type AnyOperation, shapeOf } from '../operation.ts'

export interface RouteMatch {
  /** The operation; undefined if no operation has this path and method. */
  readonly operation: AnyOperation | undefined
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
  /** Methods that the path supports, if `operation` is undefined. Empty for an unknown path. */
  readonly allow: readonly string[]
}

/** An operation's method and path, in the form in which requests are matched. */
interface Route {
  readonly operation: AnyOperation
  readonly method: string
  /** Regular expression with a group per parameter. A parameter is a path segment or a part of one. */
  readonly expression: RegExp
  /** Parameter names in path order. */
  readonly names: readonly string[]
}

export class Router {
  /** Operations whose paths have no parameters, by method and path. */
  readonly #fixed = new Map<string, AnyOperation>()
  readonly #routes: readonly Route[]
  readonly #byId: ReadonlyMap<string, AnyOperation>

  /** Enabled operations. */
  readonly operations: readonly AnyOperation[]

  constructor(operations: readonly AnyOperation[]) {
    this.operations = operations
    this.#byId = new Map(operations.map((operation) => [operation.id, operation]))
    this.#routes = operations.map(toRoute).sort(bySpecificity)
    for (const { operation, method, names } of this.#routes)
      if (names.length === 0) this.#fixed.set(`${method} ${operation.path}`, operation)
  }

  operation(id: string | undefined): AnyOperation | undefined {
    return id === undefined ? undefined : this.#byId.get(id)
  }

  /**
   * @param method Method in upper case. HEAD finds the GET operation.
   * @param path Percent-encoded path, relative to the base URL.
   */
  find(method: string, path: string): RouteMatch {
    const wanted = method === 'HEAD' ? 'GET' : method
    const fixed = this.#fixed.get(`${wanted} ${path}`)
    if (fixed) return { operation: fixed, params: noParams, allow: none }
    for (const route of this.#routes) {
      const params = route.method === wanted ? readParams(route, path) : undefined
      if (params) return { operation: route.operation, params, allow: none }
    }
    const others = this.#routes.filter((route) => readParams(route, path))
    const allow = new Set(others.map((route) => route.method))
    if (allow.has('GET')) allow.add('HEAD')
    return { operation: undefined, params: noParams, allow: [...allow] }
  }
}

const noParams = Object.freeze({})
const none: readonly never[] = Object.freeze([])

function toRoute(operation: AnyOperation): Route {
  const { method, path } = operation
  const steps = path.split(/\{[^}]*\}/).map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const names = Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name as string)
  return {
    operation,
    method: method.toUpperCase(),
    expression: new RegExp(`^${steps.join('([^/]*)')}$`),
    names,
  }
}

/** Puts literal segments before parameters: `/models/{}/endpoints` before `/models/{}/{}`. */
function bySpecificity(left: Route, right: Route): number {
  const [first, second] = [left, right].map(({ operation }) =>
    shapeOf(operation.path).replaceAll('{}', '\uffff'),
  )
  if (first === second) return 0
  return (first as string) < (second as string) ? -1 : 1
}

/** Returns parameters by name, or undefined if the path does not match or has invalid percent-encoding. */
function readParams({ expression, names }: Route, path: string): Record<string, string> | undefined {
  const match = expression.exec(path)
  if (!match) return undefined
  try {
    return Object.fromEntries(
      names.map((name, place) => [name, decodeURIComponent(match[place + 1] as string)]),
    )
  } catch {
    return undefined
  }
}

/** Returns the 404 for an unknown path, which clients must not retry. */
export function pathNotFound(why: string): GatewayError {
  return new GatewayError(404, `${messages[404]}: ${why}`, undefined, {
    headers: { 'x-should-retry': 'false' },
  })
}

/** A call without an operation. */
type Unrouted = Pick<CallRecord, 'method' | 'path' | 'route'>

/**
 * Explains an unknown path, in one line without a full stop.
 *
 * @param operations The gateway's operations.
 * @example no operation handles GET /provider. Did you mean GET /providers?
 */
export function unknownPath({ method, path, route }: Unrouted, operations: readonly AnyOperation[]): string {
  const requested = route ?? path
  const problem = `no operation handles ${method} ${truncate(requested, maxPathLength)}`
  const [base = ''] = /^(\/api)?(\/v1)?(?=\/)/.exec(requested) ?? []
  const bare = withoutSlashes(requested.slice(base.length))
  const outside = route === undefined ? ', because paths start with /api/v1/' : ''
  const repeated = route !== undefined && base.endsWith('/v1')
  const why = repeated ? `, because the base URL already ends in /v1: omit ${base}` : outside
  const format = ({ method, path }: AnyOperation) =>
    `${method.toUpperCase()} ${outside && '/api/v1'}${fillParameters(path, bare)}`
  const match = preferMethod(operationsAt(bare, operations), method)
  if (match) return `${problem}${why}. Did you mean ${format(match)}?`

  const near = preferMethod(similarOperations(bare, operations), method)
  if (near) return `${problem}${why}. Did you mean ${format(near)}?`
  if (route === undefined) return problem + outside
  return scriptable.test(`${method} ${route}`) && route.length <= maxPathLength
    ? `${problem}. A rule can handle it, for example { on: '${method} ${route}', reply: { body: {} } }`
    : problem
}

/** Removes trailing slashes, except for `/`. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Returns the operation with the requested method, or the first one if there is none. */
function preferMethod(operations: readonly AnyOperation[], method: string): AnyOperation | undefined {
  return operations.find((operation) => operation.method.toUpperCase() === method) ?? operations[0]
}

function operationsAt(path: string, operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.filter((operation) => fillParameters(operation.path, path) === path)
}

/**
 * Finds operations with a similar path. Long parameters must not hide differences: `/responses/input_tokens` does not
 * resemble `/workspaces/{id}`.
 */
function similarOperations(path: string, operations: readonly AnyOperation[]): AnyOperation[] {
  const segments = path.split('/', maxSegments)
  const isNear = (operation: AnyOperation) => {
    const pattern = operation.path.split('/')
    const words = segments.filter((_, index) => !pattern[index]?.startsWith('{'))
    const literals = pattern.filter((segment) => !segment.startsWith('{'))
    return nearest(words.join('/'), [literals.join('/')]) !== undefined
  }
  const near = operations.filter(isNear)
  const suggestion = nearest(path, [
    ...new Set(near.map((operation) => fillParameters(operation.path, path))),
  ])
  return suggestion === undefined ? [] : operationsAt(suggestion, near)
}

/** Fills a pattern's parameters from the requested path: `/presets/{slug}` becomes `/presets/code-review`. */
function fillParameters(pattern: string, requested: string): string {
  if (!pattern.includes('{')) return pattern
  const segments = requested.split('/', maxSegments)
  return pattern
    .split('/')
    .map((segment, index) => (segment.startsWith('{') ? (segments[index] ?? segment) : segment))
    .join('/')
}

/** Maximum number of path segments to compare. */
const maxSegments = 20

/** Matches requests that a rule can reply to. */
const scriptable = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/[^\s?#{}']*$/

const maxPathLength = 200
