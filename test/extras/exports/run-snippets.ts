/**
 * Checks generated snippets with independent parsers: shells, Vite's TypeScript parser and the
 * JavaScript engine.
 */
import { spawnSync } from 'node:child_process'
import { parseSync } from 'vite'

/**
 * Runs shell commands with a stubbed `curl` and returns the arguments of each call. Throws if a
 * command does anything else: no other program is available, and any output or error is reported.
 */
export function curlCalls(commands: readonly string[], shell = 'bash'): string[][] {
  const script = [
    'PATH=/nowhere',
    `curl() { printf '%s\\0' "$#" "$@"; }`,
    ...commands,
    `printf 'the end\\0'`,
    '',
  ].join('\n')
  const env = { LC_ALL: 'C.UTF-8' }
  const syntax = spawnSync(shell, ['-n'], { input: script, env, encoding: 'utf8' })
  if (syntax.status !== 0 || syntax.stderr !== '') throw new Error(`not a script: ${syntax.stderr}`)
  const { stdout, stderr, status } = spawnSync(shell, ['-s'], { input: script, env, encoding: 'utf8' })
  if (status !== 0 || stderr !== '') throw new Error(`failed with ${status}: ${stderr}`)
  const printed = stdout.split('\0')
  const calls: string[][] = []
  let at = 0
  while (/^\d+$/.test(printed[at] ?? '')) {
    const end = at + 1 + Number(printed[at])
    calls.push(printed.slice(at + 1, end))
    at = end
  }
  const rest = printed.slice(at)
  if (JSON.stringify(rest) !== '["the end",""]') throw new Error(`printed more: ${JSON.stringify(rest)}`)
  return calls
}

/** Every node type that a generated test may contain. */
const nodeTypes = new Set(
  `Program ImportDeclaration ImportSpecifier ExpressionStatement CallExpression ArrowFunctionExpression ObjectPattern
  BlockStatement VariableDeclaration VariableDeclarator AwaitExpression NewExpression MemberExpression ChainExpression
  ObjectExpression ArrayExpression Property Identifier Literal TemplateLiteral TemplateElement UnaryExpression`.split(
    /\s+/,
  ),
)
const names = new Set(
  `expect test gateway sandbox fetch use request response baseUrl apiKey origin URL JSON stringify AbortSignal timeout
  status json text body cancel toBe toContain
  toMatchObject rejects toThrow error code method headers authorization signal`.split(/\s+/),
)

interface Node {
  type: string
  [field: string]: unknown
}

/** Throws unless a generated test uses only known syntax, and unknown names only as keys. */
function assertOnlyLiterals(code: string): void {
  const { program, errors, comments } = parseSync('snippet.ts', code)
  if (errors.length > 0) throw new Error(`not TypeScript: ${errors[0]?.message}`)
  if (comments.length > 0) throw new Error(`has a comment: ${comments[0]?.value}`)
  const visit = (node: Node, isKey: boolean): void => {
    if (!nodeTypes.has(node.type)) throw new Error(`has a ${node.type}`)
    if (node.type === 'Identifier' && !isKey && !names.has(String(node['name'])))
      throw new Error(`has the name ${node['name']}`)
    for (const [field, inner] of Object.entries(node))
      for (const each of [inner].flat())
        if (typeof each === 'object' && each !== null && 'type' in each)
          visit(each as Node, node.type === 'Property' && field === 'key' && node['computed'] === false)
  }
  visit(program as unknown as Node, false)
}

export interface TestRun {
  title: string
  /** Argument of `use()`, if it was called. */
  rule: unknown
  url: string
  init: { method?: string; headers: Record<string, string>; body?: string }
  /** Arguments of all other calls, in order. */
  literals: unknown[]
}

/** Runs a generated test with all functions stubbed, and returns the recorded calls. */
export async function runTest(code: string, sandbox: { baseUrl: string; apiKey: string }): Promise<TestRun> {
  assertOnlyLiterals(code)
  const run: TestRun = { title: '', rule: undefined, url: '', init: { headers: {} }, literals: [] }
  const anything: unknown = new Proxy(() => {}, {
    get: (_, name) => (name === 'then' ? undefined : anything),
    apply(_, __, given) {
      run.literals.push(...given.filter((each) => each !== anything))
      return anything
    },
  })
  const fetch = (url: string, init: TestRun['init']) => {
    run.url = String(url)
    run.init = init
    return anything
  }
  const fixtures = {
    sandbox: Object.assign(
      {
        use(rule: unknown) {
          run.rule = rule
        },
        journal: anything,
      },
      sandbox,
    ),
    gateway: { fetch },
  }
  let work: ((given: typeof fixtures) => Promise<void>) | undefined
  const test = (title: string, given: typeof work) => {
    run.title = title
    work = given
  }
  const [importLine = '', ...lines] = code.split('\n')
  if (!/^import \{ expect, test \} from 'gateway-understudy\/\w+'$/.test(importLine))
    throw new Error(`begins with ${importLine}`)
  new Function('expect', 'test', 'fetch', lines.join('\n'))(anything, test, fetch)
  await work?.(fixtures)
  return run
}
