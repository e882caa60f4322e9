/**
 * What a person is told of a call that no operation answers: what was probably meant, or what would answer it.
 */
import { nearest } from '../lib/did-you-mean.ts'
import { shortened } from '../lib/one-line.ts'
import type { AnyOperation } from '../operation.ts'
import { extensions } from '../operations/extensions/index.ts'

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
  const said = `no operation answers ${method} ${shortened(asked, maxShown)}`
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
