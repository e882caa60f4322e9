/** Pages lists according to an OpenAPI document's parameters: limit and offset, page numbers, or cursors. */
import { isJson } from '../documents/openapi-document.ts'
import type { DocumentOperation } from './document-operations.ts'
import { type Draft, isObject } from './edits.ts'
import type { Fields } from './records.ts'
import { normalised } from './resource.ts'

/** Normalised names of query parameters. */
const parameters = {
  limit: ['limit', 'pagesize', 'perpage', 'maxresults', 'maxitems', 'first', 'top'],
  offset: ['offset', 'skip'],
  page: ['page', 'pagenumber'],
  cursor: ['cursor', 'after', 'afterid', 'startingafter', 'pagetoken'],
}

/** Page size if the document has page numbers but no default size. */
const usualSize = 20

export type Keyed = readonly [key: string, record: Fields]

export interface Page {
  readonly items: readonly Keyed[]
  readonly total: number
  readonly start: number
  readonly limit: number
  /** Key of the page's last item, if more items follow. */
  readonly next: string | null
}

export function pageOf(all: readonly Keyed[], query: unknown, operation: DocumentOperation): Page {
  const read = (names: readonly string[]) => {
    const sent = Object.entries(isObject(query) ? query : {}).find(([name]) =>
      names.includes(normalised(name)),
    )
    return sent?.[1] ?? operation.defaultOf((name) => names.includes(normalised(name)))
  }
  const page = Number(read(parameters.page))
  const limit = Number(read(parameters.limit) ?? (page >= 0 ? usualSize : all.length)) || all.length
  const cursor = read(parameters.cursor)
  let start = Number(read(parameters.offset)) || Math.max(0, page - 1) * limit || 0
  if (cursor) {
    const place = all.findIndex(([key]) => key === String(cursor))
    start = place < 0 ? all.length : place + 1
  }
  const items = all.slice(start, start + limit)
  const next = start + limit < all.length ? (items.at(-1) as Keyed)[0] : null
  return { items, total: all.length, start, limit, next }
}

/**
 * Writes a page's position and totals to the reply's fields, at the top level or in an object such as `meta`.
 */
export function writePage(reply: Draft, { items, total, start, limit, next }: Page): void {
  if (!isJson(reply)) return
  const hasMore = next !== null
  const facts: Readonly<Record<string, unknown>> = {
    total,
    totalcount: total,
    totalitems: total,
    totalresults: total,
    count: total,
    totalpages: Math.ceil(total / limit) || 1,
    offset: start,
    limit,
    pagesize: limit,
    perpage: limit,
    page: Math.floor(start / limit) + 1 || 1,
    hasmore: hasMore,
    hasnext: hasMore,
    hasnextpage: hasMore,
    next,
    cursor: next,
    nextcursor: next,
    nextpagetoken: next,
    endcursor: next,
    firstid: items[0]?.[0] ?? null,
    lastid: items.at(-1)?.[0] ?? null,
  }
  for (const target of [reply, ...Object.values(reply)])
    if (isJson(target))
      for (const field of Object.keys(target))
        if (Object.hasOwn(facts, normalised(field)))
          Object.assign(target, { [field]: facts[normalised(field)] })
}
