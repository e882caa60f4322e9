/** Edits generated replies and keeps them valid: changes that the schema rejects are undone. */

import { copy } from '../../lib/copy.ts'
import { problemsOf } from '../../model/json-schema/check.ts'
import type { SchemaObject } from '../../resources/json-schema.ts'
import { normalised, singular } from './resource.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of a document have any shape
export type Draft = any

/** Maximum number of rounds in which changes are undone. Undoing a change can reveal another problem. */
const maxRounds = 3

/** Returns an edited copy of a value. The schema accepts the result if it accepts the original. */
export function edited(value: unknown, schema: SchemaObject, edit: (draft: Draft) => void): unknown {
  const root = { value: copy(value) }
  edit(root)
  for (let round = 0; round < maxRounds; round++) {
    const problems = problemsOf(schema, root.value)
    if (problems.length === 0) return root.value
    for (const { path } of problems.toReversed()) undo(root, { value }, ['value', ...path])
  }
  return problemsOf(schema, root.value).length === 0 ? root.value : value
}

/**
 * Restores the original value at a path, or at the deepest object on this path that both values have. Items added to
 * a list are restored from the list's first item.
 */
function undo(draft: Draft, original: Draft, [step = '', ...rest]: readonly (string | number)[]): void {
  const [now, before] = [draft[step], original[step] ?? (Array.isArray(original) ? original[0] : undefined)]
  if (rest.length > 0 && isObject(now) && isObject(before)) undo(now, before, rest)
  else if (before !== undefined) draft[step] = copy(before)
  else if (Array.isArray(draft)) draft.splice(Number(step), 1)
  else delete draft[step]
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Maximum depth of objects that can contain path parameters. */
const maxDepth = 4

/**
 * Writes path parameters to fields of the same name. For example, the `id` in `/jobs/{id}/tasks/{task_id}` is
 * a task's `job_id`.
 *
 * @param own If true, the last parameter identifies the object in the reply.
 */
export function echoPath(draft: Draft, path: string, params: Draft, own: boolean): void {
  const segments = path.split('/')
  const last = segments.findLastIndex((segment) => segment.startsWith('{'))
  for (const [place, segment] of segments.entries()) {
    const name = /^\{(.*)\}$/.exec(segment)?.[1]
    const value = name === undefined ? undefined : params?.[name]
    if (name === undefined || (typeof value !== 'string' && typeof value !== 'number')) continue
    const isGeneric = /^(id|name|slug|key)$/i.test(name)
    const noun = singular(segments[place - 1] ?? '')
    write(draft.value, [normalised(isGeneric ? noun + name : name)], value, maxDepth)
    if (!own || place !== last) continue
    const target = isObject(draft.value) && isObject(draft.value['data']) ? draft.value['data'] : draft.value
    write(target, [normalised(name)], value, 0)
  }
}

/** Writes a value to existing fields with one of these normalised names, at most `depth` levels down. */
export function write(target: Draft, names: readonly string[], value: unknown, depth: number): void {
  if (!isObject(target)) return
  for (const [field, before] of Object.entries(target)) {
    if (!Array.isArray(target) && names.includes(normalised(field)) && !isObject(before))
      target[field] = typeof before === 'number' && typeof value === 'string' ? Number(value) : value
    else if (depth > 0) write(before, names, value, depth - 1)
  }
}
