/** Edits generated replies and keeps them valid: changes that the schema rejects are undone. */

import { copy } from '../../lib/copy.ts'
import { problemsOf } from '../../model/json-schema/check.ts'
import type { SchemaObject } from '../../resources/json-schema.ts'
import { isJson } from '../documents/openapi-document.ts'
import { normalised, singular } from './resource.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of a document have any shape
export type Draft = any

/** Maximum number of rounds in which changes are undone. Undoing a change can reveal another problem. */
// mutation: equivalent (a bound on the work; any similar number will do)
const maxRounds = 3

/** Returns an edited copy of a value. The schema accepts the result if it accepts the original. */
export function edited(value: unknown, schema: SchemaObject, edit: (draft: Draft) => void): unknown {
  const root = { value: copy(value) }
  edit(root)
  for (const _ of Array(maxRounds)) {
    const problems = problemsOf(schema, root.value)
    if (problems.length === 0) return root.value
    for (const { path } of problems.toReversed()) undo(root, { value }, ['value', ...path])
  }
  return value
}

/**
 * Undoes a change at a path, or at the first step where the original is not an object. Removes what
 * the original does not have. An item added to a list gets the values of the original list's first item.
 */
function undo(draft: Draft, original: Draft, [step = '', ...rest]: readonly (string | number)[]): void {
  const [now, before] = [draft[step], original[step] ?? (Array.isArray(original) ? original[0] : undefined)]
  if (rest.length > 0 && isObject(before)) undo(now, before, rest)
  else if (before !== undefined) draft[step] = copy(before)
  else delete draft[step]
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/**
 * Writes path parameters to fields of the same name. For example, the `id` in `/jobs/{id}/tasks/{task_id}` is
 * a task's `job_id`.
 */
export function echoPath(draft: Draft, path: string, params: Draft): void {
  for (const [, parent = '', name = ''] of path.matchAll(/([^/]*)\/\{([^{}]*)\}/g)) {
    const isGeneric = /^(id|name|slug|key)$/i.test(name)
    write(draft.value, [normalised(isGeneric ? singular(parent) + name : name)], params?.[name])
  }
}

/** Writes the last path parameter, which identifies the object in the reply, to the object's field of the same name. */
export function echoKey({ value }: Draft, path: string, params: Draft): void {
  const [, name = ''] = /.*\{([^{}]*)\}/.exec(path) ?? []
  writeTo(
    isObject(value) && isObject(value['data']) ? value['data'] : value,
    [normalised(name)],
    params?.[name],
  )
}

/** Writes a value to existing fields with one of these normalised names, at any depth. */
export function write(target: Draft, names: readonly string[], value: unknown): void {
  if (!isObject(target)) return
  writeTo(target, names, value)
  for (const inner of Object.values(target)) write(inner, names, value)
}

/** Writes a value to an object's scalar fields with one of these normalised names. */
function writeTo(target: Draft, names: readonly string[], value: unknown): void {
  if (value === undefined || !isJson(target)) return
  for (const [field, before] of Object.entries(target))
    if (names.includes(normalised(field)) && !isObject(before))
      Object.assign(target, { [field]: typeof before === 'number' ? Number(value) : value })
}
