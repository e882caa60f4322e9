/**
 * Operations of a person's own, checked when the gateway is made.
 */
import { shapeOf } from '../http/openapi-document.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import type { Operation } from '../operation.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete']
const texts = ['id', 'method', 'path', 'summary', 'tag']
const schemas = ['params', 'query', 'headers', 'body', 'response', 'events']

/** The operation. Throws one clear line for what is wrong with it. */
export function ownOperation(given: object, known: readonly Operation[]): Operation {
  const own = given as Readonly<Record<string, unknown>>
  const name = typeof own['id'] === 'string' && own['id'] !== '' ? `operation '${own['id']}'` : 'an operation'
  const problem = shapeProblem(own) ?? nameProblem(given as Operation, known)
  if (problem !== undefined) throw new TypeError(`createGateway: ${name}: ${problem}`)
  return given as Operation
}

function shapeProblem(own: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of texts)
    if (typeof own[field] !== 'string' || own[field] === '')
      return `${field} must be a string, and is missing`
  if (!methods.includes(String(own['method'])))
    return `method '${own['method']}' is none of ${methods.join(', ')}${didYouMean(String(own['method']).toLowerCase(), methods)}`
  if (!/^\/[^\s?#]*$/.test(String(own['path'])))
    return `path '${own['path']}' must begin with a slash, below the base address, as /reports/{id}`
  if (typeof own['resolve'] !== 'function')
    return 'resolve must be a function that returns a reply, as ok({ … })'
  if (own['response'] === undefined) return 'response is missing: the zod schema of what it answers'
  for (const field of schemas)
    if (own[field] !== undefined && !isSchema(own[field])) return `${field} must be a schema of zod 4`
  return undefined
}

/** Also one of another copy of zod. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value && 'safeParse' in value
}

function nameProblem({ id, method, path }: Operation, known: readonly Operation[]): string | undefined {
  if (known.some((other) => other.id === id)) return 'there is an operation of this id already'
  const same = known.find((other) => other.method === method && shapeOf(other.path) === shapeOf(path))
  return same && `${method.toUpperCase()} ${path} is answered by '${same.id}' already`
}
