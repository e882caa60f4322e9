/** Converts schema issues to one-line violations with a path in JavaScript notation. */
import type * as z from 'zod'
import type { Violation } from './errors.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

export function toViolations(error: z.core.$ZodError, root: string): Violation[] {
  return error.issues.flatMap((issue) => violationsOf(issue, root, []))
}

/** Formats a path: `pathOf('body', ['input', 0, 'content'])` returns `body.input[0].content`. */
export function pathOf(root: string, path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const name = String(step)
    return /^[\w$-]+$/.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`
  }, root)
}

function violationsOf(issue: Issue, root: string, above: Path): Violation[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const branch = nearestBranch(issue.errors)
    if (branch) return branch.flatMap((inner) => violationsOf(inner, root, path))
    const isType = issue.errors.some(([first]) => first?.code === 'invalid_type')
    if (isType) return [{ path: pathOf(root, path), message: issue.message, rule: 'invalid_type' }]
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => violationsOf(inner, root, path))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathOf(root, [...path, key]),
      message: issue.keys.length === 1 ? issue.message : 'Unknown field',
      rule: issue.code,
    }))
  }
  return [{ path: pathOf(root, path), message: issue.message, rule: ruleOf(issue) }]
}

/** Returns the issues of the union branch with the fewest issues, skipping branches that reject the value's type. */
function nearestBranch(branches: readonly Issue[][]): readonly Issue[] | undefined {
  const entered = branches.filter((issues) =>
    issues.every((issue) => issue.path.length > 0 || issue.code !== 'invalid_type'),
  )
  return entered.sort((left, right) => left.length - right.length)[0]
}

function ruleOf(issue: Issue): string {
  if (issue.code === 'invalid_format') return issue.format === 'regex' ? 'pattern' : issue.format
  if (issue.code === 'custom' && typeof issue.params?.['rule'] === 'string') return issue.params['rule']
  return issue.code
}
