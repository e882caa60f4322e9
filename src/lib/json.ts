import { isObject } from './unchecked-json.ts'

export type Json = string | number | boolean | null | Json[] | { [field: string]: Json }

/** Returns undefined for text that is not JSON. */
export function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Formats a value as JSON with sorted keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(byName)) : inner,
  )
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1
}
