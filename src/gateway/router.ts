/**
 * Which operation a request means: one look-up for paths without parameters, one short list for the others.
 */

import { shapeOf } from '../http/openapi-document.ts'
import type { AnyOperation } from '../operation.ts'

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
