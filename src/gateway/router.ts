/**
 * Which operation a request means: one look-up for paths without parameters, one short list for the others.
 */
import type { Operation } from '../operation.ts'

export interface Route {
  readonly operation: Operation
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
}

/** What is known of a path: who answers it, or which methods it has (none: the path is unknown). */
export type Found = { route: Route } | { route: undefined; allow: readonly string[] }

interface Pattern {
  readonly expression: RegExp
  /** Of the parameters, in the order of the expression's groups. */
  readonly names: readonly string[]
  readonly methods: Map<string, Operation>
}

export class Router {
  readonly #fixed = new Map<string, Map<string, Operation>>()
  readonly #patterns: Pattern[] = []

  constructor(operations: readonly Operation[]) {
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
    return { route: undefined, allow: [] }
  }
}

function methodsAt(paths: Map<string, Map<string, Operation>>, path: string): Map<string, Operation> {
  const methods = paths.get(path) ?? new Map<string, Operation>()
  paths.set(path, methods)
  return methods
}

const noParams = Object.freeze({})

function found(methods: Map<string, Operation>, method: string, params: Route['params']): Found {
  const operation = methods.get(method)
  if (operation) return { route: { operation, params } }
  const allow = [...methods.keys()]
  return { route: undefined, allow: allow.includes('GET') ? [...allow, 'HEAD'] : allow }
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
