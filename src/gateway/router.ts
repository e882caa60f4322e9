/**
 * Which operation a request means: one look-up for paths without parameters, one short list for the others.
 */
import { nearest } from '../lib/did-you-mean.ts'
import type { Operation } from '../operation.ts'

/** What is known of a path and method. */
export interface Found {
  /** Undefined where no operation has this path and method. */
  readonly operation: Operation | undefined
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
  /** The methods that the path has, where this is none of them; empty for an unknown path. */
  readonly allow: readonly string[]
}

interface Pattern {
  readonly expression: RegExp
  /** Of the parameters, in the order of the expression's groups. */
  readonly names: readonly string[]
  readonly methods: Map<string, Operation>
}

export class Router {
  readonly #fixed = new Map<string, Map<string, Operation>>()
  readonly #patterns: Pattern[] = []
  readonly #byId: ReadonlyMap<string, Operation>

  constructor(operations: readonly Operation[]) {
    this.#byId = new Map(operations.map((operation) => [operation.id, operation]))
    const patterns = new Map<string, Pattern>()
    for (const operation of operations) {
      const { path } = operation
      if (!path.includes('{')) {
        methodsAt(this.#fixed, path).set(operation.method.toUpperCase(), operation)
        continue
      }
      const pattern = patterns.get(path) ?? toPattern(path)
      pattern.methods.set(operation.method.toUpperCase(), operation)
      patterns.set(path, pattern)
    }
    this.#patterns = [...patterns.values()]
  }

  operation(id: string | undefined): Operation | undefined {
    return id === undefined ? undefined : this.#byId.get(id)
  }

  /**
   * @param method Upper case; HEAD finds what GET finds.
   * @param path Below the base address, still percent-encoded.
   */
  find(method: string, path: string): Found {
    const wanted = method === 'HEAD' ? 'GET' : method
    const methods = this.#fixed.get(path)
    if (methods) return found(methods, wanted, noParams)
    for (const { expression, names, methods } of this.#patterns) {
      const params = paramsOf(names, expression.exec(path))
      if (params) return found(methods, wanted, params)
    }
    return { operation: undefined, params: noParams, allow: none }
  }

  /** A path that there is and that was probably meant: without a slash at its end, or without a slip. */
  near(path: string): string | undefined {
    if (path.length > maxComparedLength) return undefined
    const bare = path.replace(/\/+$/, '')
    if (bare !== path && this.#has(bare)) return bare
    return nearest(bare, [...this.#fixed.keys()])
  }

  #has(path: string): boolean {
    return this.#fixed.has(path) || this.#patterns.some(({ expression }) => expression.test(path))
  }
}

const maxComparedLength = 200

function methodsAt(paths: Map<string, Map<string, Operation>>, path: string): Map<string, Operation> {
  const methods = paths.get(path) ?? new Map<string, Operation>()
  paths.set(path, methods)
  return methods
}

const noParams = Object.freeze({})
const none: readonly never[] = Object.freeze([])

function found(methods: Map<string, Operation>, method: string, params: Found['params']): Found {
  const operation = methods.get(method)
  if (operation) return { operation, params, allow: none }
  const allow = [...methods.keys()]
  return { operation, params: noParams, allow: allow.includes('GET') ? [...allow, 'HEAD'] : allow }
}

/** `/workspaces/{id}` as an expression whose groups are the parameters: one path segment each. */
function toPattern(path: string): Pattern {
  const parameter = /\{(\w+)\}/g
  return {
    expression: new RegExp(`^${path.replace(parameter, '([^/]*)')}$`),
    names: Array.from(path.matchAll(parameter), ([, name]) => name as string),
    methods: new Map(),
  }
}

function paramsOf(
  names: readonly string[],
  match: RegExpExecArray | null,
): Record<string, string> | undefined {
  if (!match) return undefined
  const params: Record<string, string> = {}
  try {
    for (const [place, name] of names.entries()) params[name] = decodeURIComponent(match[place + 1] as string)
    return params
  } catch {
    // A broken percent-encoding names no resource.
    return undefined
  }
}
