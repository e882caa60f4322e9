/** Searches calls for a word, or their bodies for a string. */
import { parseJson } from '../../lib/json.ts'
import { readPath, walk } from '../../lib/value-path.ts'

export interface BodySearch {
  readonly text: string
  /** `body`, or the end of a path within a body. Default: searches bodies, warnings and errors for the word. */
  readonly field?: string | undefined
}

/** Parts of a call that are searched. */
export interface SearchedCall {
  readonly bodies: readonly string[]
  /** The call's warnings and its error. */
  readonly notes: readonly string[]
}

/** Returns a predicate that takes time proportional to the size of the call's bodies. Case is ignored. */
export function compileSearch({ text, field }: BodySearch): (call: SearchedCall) => boolean {
  const anywhere = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'i')
  if (field === 'body') return ({ bodies }) => bodies.some((body) => anywhere.test(body))
  // The beginning of a word can follow an escape sequence such as `\n` in JSON.
  const word = new RegExp(`(?:(?<![a-z0-9])|(?<=\\\\[nrt])|(?![a-z0-9]))${anywhere.source}`, 'i')
  if (field === undefined) return ({ bodies, notes }) => [...bodies, ...notes].some((each) => word.test(each))
  const path = readPath(field).filter((key) => !isIndex(key))
  const name = JSON.stringify(path.at(-1) ?? '')
  const hasField = (at: readonly (string | number)[], value: unknown) => {
    const keys = at.filter((key) => typeof key === 'string').slice(-path.length)
    if (keys.length < path.length || keys.some((key, index) => key !== path[index])) return false
    return typeof value === 'string' ? anywhere.test(value) : String(value) === text
  }
  return ({ bodies }) =>
    bodies.some(
      (body) =>
        body.includes(name) &&
        documentsIn(body, name).some((value) => walk(value).some(([at, inner]) => hasField(at, inner))),
    )
}

function isIndex(key: string): boolean {
  return key === '*' || /^\d+$/.test(key)
}

/** Returns a JSON body's value, or the values of the stream events that contain the text. */
function documentsIn(body: string, text: string): unknown[] {
  if (!/^(data|event|id|:)/.test(body)) return [parseJson(body)]
  return body
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.includes(text))
    .map((line) => parseJson(line.slice('data:'.length)))
}
