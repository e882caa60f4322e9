/**
 * Creates a source file's mutants: small changes that a test should detect.
 */
import { parseSync } from 'vite'

export type Mutant = {
  id: number
  /** File, relative to the root folder, such as `src/lib/seed.ts`. */
  file: string
  line: number
  /** The source line where the mutated code begins. */
  code: string
  /** Start and end offsets in the file, in UTF-16 code units. */
  start: number
  end: number
  kind: 'operator' | 'condition' | 'number' | 'boolean' | 'fallback' | 'call'
  before: string
  /** New code; undefined if a statement is removed. */
  after?: string
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>
type Found = Omit<Mutant, 'id' | 'file' | 'line' | 'code' | 'before'>

const otherOperator: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
}

/** TypeScript nodes that contain an expression; all others are types. */
const aroundExpression = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
])

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/**
 * Returns all mutants of a file, without ids.
 *
 * Skips types, imports, keys, the step of a `for` (it would never end), the start of a statement
 * (its replacement would be parsed together with the previous line), `?? ''` in an argument of `test()` or `exec()`
 * (undefined matches no more than an empty string), and code in the line after a comment that starts with
 * `// mutation: equivalent`.
 */
export function mutantsOf(file: string, source: string): Array<Omit<Mutant, 'id'>> {
  const found: Found[] = []
  const statements = new Set<number>()
  /** End offsets of the arguments of `test()` and `exec()`. */
  const texts = new Set<number>()
  const text = (node: Node) => source.slice(node.start, node.end)

  function visit(node: Node): void {
    if (node.type.startsWith('TS')) {
      if (aroundExpression.has(node.type)) visit(node['expression'] as Node)
      return
    }
    if (node.type.startsWith('Import') || node.type === 'ExportAllDeclaration') return
    if (node.type === 'ExpressionStatement') statements.add(node.start)
    if (node.type === 'CallExpression' && /\.(?:test|exec)$/.test(text(node['callee'] as Node)))
      for (const { end } of node['arguments'] as Node[]) texts.add(end)
    const isText = node['operator'] === '??' && texts.has(node.end) && text(node['right'] as Node) === `''`
    const mutation = isText ? undefined : mutate(node, text)
    if (mutation) found.push({ start: node.start, end: node.end, ...mutation })
    for (const [name, child] of Object.entries(node)) {
      if (name === 'update' && node.type === 'ForStatement') continue
      if (name === 'key' && node['computed'] !== true) continue
      if (name === 'source') continue
      if (Array.isArray(child)) child.filter(isNode).forEach(visit)
      else if (isNode(child)) visit(child)
    }
  }
  visit(parseSync(file, source).program as unknown as Node)

  const lines = source.split('\n')
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length
  return found
    .filter((mutant) => mutant.kind === 'call' || !statements.has(mutant.start))
    .filter(({ start }) => !lines[lineOf(start) - 2]?.trimStart().startsWith('// mutation: equivalent'))
    .map((mutant) => ({
      ...mutant,
      file,
      line: lineOf(mutant.start),
      code: source.slice(source.lastIndexOf('\n', mutant.start) + 1).split('\n', 1)[0] as string,
      before: source.slice(mutant.start, mutant.end),
    }))
}

/** Returns a node's mutation, if there is one. */
function mutate(node: Node, text: (node: Node) => string): Pick<Mutant, 'kind' | 'after'> | undefined {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const left = text(node['left'] as Node)
      if (node['operator'] === '??') return { kind: 'fallback', after: left }
      const operator = otherOperator[node['operator'] as string]
      return operator
        ? { kind: 'operator', after: `${left} ${operator} ${text(node['right'] as Node)}` }
        : undefined
    }
    case 'UnaryExpression':
      return node['operator'] === '!' ? { kind: 'condition', after: `!${text(node)}` } : undefined
    case 'ConditionalExpression': {
      const [test, yes, no] = [node['test'], node['consequent'], node['alternate']].map((part) =>
        text(part as Node),
      )
      return { kind: 'condition', after: `${test} ? ${no} : ${yes}` }
    }
    case 'Literal': {
      const value = node['value']
      if (typeof value === 'number') return { kind: 'number', after: `${text(node)} + 1` }
      if (typeof value === 'boolean') return { kind: 'boolean', after: String(!value) }
      return undefined
    }
    case 'ExpressionStatement': {
      const expression = node['expression'] as Node
      const called = expression.type === 'AwaitExpression' ? (expression['argument'] as Node) : expression
      const isCall = called.type === 'CallExpression' && (called['callee'] as Node).type !== 'Super'
      return isCall ? { kind: 'call' } : undefined
    }
    default:
      return undefined
  }
}

/**
 * Returns the file with all its mutants, each inactive until its id is chosen: `globalThis.__mutant(id)` returns true
 * for the chosen mutant, and records that the mutated code was executed.
 *
 * @param mutants Non-overlapping mutants of this file.
 */
export function withMutants(source: string, mutants: readonly Mutant[]): string {
  let mutated = source
  for (const { id, start, end, before, after } of [...mutants].sort((a, b) => b.start - a.start)) {
    const chosen = `globalThis.__mutant(${id})`
    const replacement =
      after === undefined ? `{ if (!${chosen}) { ${before} } }` : `(${chosen} ? (${after}) : (${before}))`
    mutated = mutated.slice(0, start) + replacement + mutated.slice(end)
  }
  return mutated
}
