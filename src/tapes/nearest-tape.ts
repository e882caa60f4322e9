/**
 * The recorded request that is most like one that nobody recorded, and what of it differs: what a miss says.
 */
import { nearest } from '../lib/did-you-mean.ts'
import { shortened } from '../lib/one-line.ts'
import { comparableBody, type KeyParts, parsedBody } from './request-key.ts'
import type { Tape, TapeRequest } from './tape.ts'

/** A tape by the name of its file, with the parts of its key. */
export interface NamedTape {
  readonly name: string
  readonly tape: Tape
  readonly parts: KeyParts | undefined
}

export interface Nearest {
  /** The file of the tape. */
  readonly tape: string
  /** `body.input`, `query`, `path` or `method`. */
  readonly field: string
  /** The difference in words. */
  readonly reason: string
}

/** Bodies that are compared field by field; of more tapes of one path, the first ones. */
const maxCompared = 200
/** Characters of a value that a message shows. */
const maxShown = 80

/** Undefined where no tape has a request. */
export function nearestTape(
  tapes: readonly NamedTape[],
  request: TapeRequest,
  parts: KeyParts,
  volatile: readonly string[],
): Nearest | undefined {
  const withRequest = tapes.filter(({ tape }) => tape.request)
  const samePath = withRequest.filter((each) => each.parts?.path === parts.path)
  const alike = samePath.filter((each) => each.parts?.method === parts.method)
  const [best] = alike
    .slice(0, maxCompared)
    .map((each) => ({ each, differences: [...differencesOf(each, request, parts, volatile)] }))
    .sort((left, right) => left.differences.length - right.differences.length)
  const [first, ...others] = best?.differences ?? []
  if (best && first) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : ''
    return { tape: best.each.name, field: first.field, reason: first.reason + more }
  }
  const [other] = samePath
  if (other)
    return {
      tape: other.name,
      field: 'method',
      reason: `method is ${other.parts?.method}, not ${parts.method}`,
    }
  const paths = withRequest.flatMap((each) => each.parts?.path ?? [])
  const path = nearest(parts.path, paths) ?? paths[0]
  const found = withRequest.find((each) => each.parts?.path === path)
  return found && { tape: found.name, field: 'path', reason: `path is ${path}, not ${parts.path}` }
}

interface Difference {
  readonly field: string
  readonly reason: string
}

function* differencesOf(
  { tape, parts }: NamedTape,
  request: TapeRequest,
  asked: KeyParts,
  volatile: readonly string[],
): Generator<Difference> {
  if (parts?.query !== asked.query)
    yield { field: 'query', reason: `query is '${parts?.query}', not '${asked.query}'` }
  if (parts?.bodyHash === asked.bodyHash) return
  const [theirs, ours] = [tape.request as TapeRequest, request].map((each) =>
    comparableBody(parsedBody(each), volatile),
  )
  if (tape.head.bodyHash !== undefined)
    yield { field: 'body', reason: 'body is another one; its texts are redacted, so they cannot be compared' }
  else yield* differ(theirs, ours, 'body')
}

function* differ(theirs: unknown, ours: unknown, path: string): Generator<Difference> {
  if (isObject(theirs) && isObject(ours)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)]))
      yield* differ(Reflect.get(theirs, name), Reflect.get(ours, name), `${path}.${name}`)
  } else if (theirs !== ours) {
    yield { field: path, reason: `${path} is ${shown(theirs)}, not ${shown(ours)}` }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function shown(value: unknown): string {
  return shortened(JSON.stringify(value) ?? 'absent', maxShown)
}
