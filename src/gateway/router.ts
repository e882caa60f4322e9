/**
 * Which operation a request means: one look-up for paths without parameters, one short list for the others;
 * and what a call to an unknown path probably meant.
 */
import { shapeOf } from '../http/openapi-document.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { truncate } from '../lib/one-line.ts'
import type { AnyOperation } from '../operation.ts'
import { extensions } from '../operations/extensions/index.ts'

/** What is known of a path and method. */
export interface Found {
  /** Undefined where no operation has this path and method. */
  readonly operation: AnyOperation | undefined
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
  /** The methods that the path has, where this is none of them; empty for an unknown path. */
  readonly allow: readonly string[]
}

/** Paths of one shape, whatever their parameters are called. */
interface Pattern {
  readonly shape: string
  /** Its groups are the parameters. */
  readonly expression: RegExp
  readonly methods: Map<string, Route>
}

interface Route {
  readonly operation: AnyOperation
  /** Of its parameters. */
  readonly names: readonly string[]
}

export class Router {
  readonly #fixed = new Map<string, Map<string, AnyOperation>>()
  readonly #patterns: Pattern[] = []
  readonly #byId: ReadonlyMap<string, AnyOperation>

  /** Those that are on. */
  readonly operations: readonly AnyOperation[]

  constructor(operations: readonly AnyOperation[]) {
    this.operations = operations
    this.#byId = new Map(operations.map((operation) => [operation.id, operation]))
    const patterns = new Map<string, Pattern>()
    for (const operation of operations) {
      const { path } = operation
      if (!path.includes('{')) {
        methodsAt(this.#fixed, path).set(operation.method.toUpperCase(), operation)
        continue
      }
      const shape = shapeOf(path)
      const pattern = patterns.get(shape) ?? toPattern(shape)
      pattern.methods.set(operation.method.toUpperCase(), { operation, names: namesIn(path) })
      patterns.set(shape, pattern)
    }
    // `/models/{}/endpoints` before `/models/{}/{}`: a parameter sorts behind every literal step.
    // mutation: equivalent: no two patterns have the same shape
    this.#patterns = [...patterns.values()].sort((left, right) => (order(left) < order(right) ? -1 : 1))
  }

  operation(id: string | undefined): AnyOperation | undefined {
    return id === undefined ? undefined : this.#byId.get(id)
  }

  /**
   * @param method Upper case; HEAD finds what GET finds.
   * @param path Below the base address, still percent-encoded.
   */
  find(method: string, path: string): Found {
    const wanted = method === 'HEAD' ? 'GET' : method
    const own = this.#fixed.get(path)?.get(wanted)
    if (own) return { operation: own, params: noParams, allow: none }
    for (const { expression, methods } of this.#patterns) {
      const route = methods.get(wanted)
      const params = route && readParams(expression, path, route.names)
      if (params) return { operation: route.operation, params, allow: none }
    }
    return { operation: undefined, params: noParams, allow: this.#methodsOf(path) }
  }

  #methodsOf(path: string): string[] {
    const found = new Set(this.#fixed.get(path)?.keys())
    for (const { expression, methods } of this.#patterns)
      for (const [method, { names }] of methods) if (readParams(expression, path, names)) found.add(method)
    if (found.has('GET')) found.add('HEAD')
    return [...found]
  }
}

function methodsAt(paths: Map<string, Map<string, AnyOperation>>, path: string): Map<string, AnyOperation> {
  const methods = paths.get(path) ?? new Map<string, AnyOperation>()
  paths.set(path, methods)
  return methods
}

const noParams = Object.freeze({})
const none: readonly never[] = Object.freeze([])

/** `/workspaces/{}` as an expression: each parameter is one path segment, or a part of it. */
function toPattern(shape: string): Pattern {
  const steps = shape.split('{}').map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return { shape, expression: new RegExp(`^${steps.join('([^/]*)')}$`), methods: new Map() }
}

function order({ shape }: Pattern): string {
  return shape.replaceAll('{}', '\uffff')
}

/** The parameters by name; undefined for another path, and where a broken percent-encoding names no resource. */
function readParams(
  expression: RegExp,
  path: string,
  names: readonly string[],
): Record<string, string> | undefined {
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

function namesIn(path: string): string[] {
  return Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name as string)
}

/** A call that is not routed. */
export interface Unrouted {
  /** Upper case. */
  readonly method: string
  /** As requested. */
  readonly path: string
  /** The path below the base address; undefined where it does not lie below one. */
  readonly route: string | undefined
}

/**
 * One line without an end.
 *
 * @param operations Those that are on.
 * @example no operation answers GET /provider: did you mean GET /providers?
 */
export function unknownPath({ method, path, route }: Unrouted, operations: readonly AnyOperation[]): string {
  const asked = route ?? path
  const said = `no operation answers ${method} ${truncate(asked, maxShown)}`
  const bare = withoutSlashes(asked.replace(/^(\/api)?(\/v1)?(?=\/)/, ''))
  const base = route === undefined ? '/api/v1' : ''
  const why = reasonOf(asked, route)
  const called = ({ method, path }: AnyOperation) => `${method.toUpperCase()} ${base}${filled(path, bare)}`
  const meant = whichOf(exact(bare, operations), method)
  if (meant) return `${said}${why}: did you mean ${called(meant)}?`

  for (const [name, group] of Object.entries(extensions)) {
    const off = whichOf(exact(bare, group), method)
    if (!off) continue
    const does = `the extension '${name}' answers ${called(off)}`
    return `${said}${why}: ${does}: createGateway({ extensions: ['${name}'] }) or --extension ${name}`
  }
  const near = whichOf(nearOf(bare, operations), method)
  if (near) return `${said}${why}: did you mean ${called(near)}?`
  if (route === undefined) return `${said}: paths begin with /api/v1/`
  return scriptable.test(`${method} ${route}`) && route.length <= maxShown
    ? `${said}: a rule can, as in { on: '${method} ${route}', reply: { body: {} } }`
    : said
}

/** Without those at the end of a path; a path of nothing else is one. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Why a path is not below the base address, or has a part of it twice. */
function reasonOf(asked: string, route: string | undefined): string {
  if (route === undefined) return ', since paths begin with /api/v1/'
  const [, again] = /^(\/api\/v1|\/v1)\//.exec(asked) ?? []
  return again === undefined ? '' : `, since the base URL ends in /api/v1 and ${again} follows`
}

/** Of several operations with the same path, the one with the method that was asked for. */
function whichOf(operations: readonly AnyOperation[], method: string): AnyOperation | undefined {
  return operations.find((operation) => operation.method.toUpperCase() === method) ?? operations[0]
}

function exact(path: string, operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.filter((operation) => filled(operation.path, path) === path)
}

/** A long parameter makes no path near: `/responses/input_tokens` is no mistyped `/workspaces/{id}`. */
function nearOf(path: string, operations: readonly AnyOperation[]): AnyOperation[] {
  const asked = path.split('/', maxSegments)
  const isNear = (operation: AnyOperation) => {
    const own = operation.path.split('/')
    const words = asked.filter((_, index) => !own[index]?.startsWith('{'))
    const ownWords = own.filter((segment) => !segment.startsWith('{'))
    return nearest(words.join('/'), [ownWords.join('/')]) !== undefined
  }
  const near = operations.filter(isNear)
  const meant = nearest(path, [...new Set(near.map((operation) => filled(operation.path, path)))])
  return meant === undefined ? [] : exact(meant, near)
}

/** `/presets/{slug}` with what was asked for in the place of its parameters, `/presets/code-review`. */
function filled(pattern: string, asked: string): string {
  if (!pattern.includes('{')) return pattern
  const segments = asked.split('/', maxSegments)
  return pattern
    .split('/')
    .map((segment, index) => (segment.startsWith('{') ? (segments[index] ?? segment) : segment))
    .join('/')
}

/** Of a path that is asked for, to be compared with those of operations. */
const maxSegments = 20

/** What a rule may be about. */
const scriptable = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/[^\s?#{}']*$/

const maxShown = 200
