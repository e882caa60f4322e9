/** Pages lists according to an OpenAPI document's parameters: limit and offset, page numbers, or cursors. */
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
  const page = Number(read(parameters.page) ?? Number.NaN)
  const limit = Number(read(parameters.limit) ?? (page >= 0 ? usualSize : all.length)) || all.length
  const cursor = read(parameters.cursor)
  let start = Number(read(parameters.offset) ?? 0) || 0
  if (page >= 1) start = (page - 1) * limit
  if (typeof cursor === 'string' && cursor !== '') {
    const place = all.findIndex(([key]) => key === cursor)
    start = place < 0 ? all.length : place + 1
  }
  const items = all.slice(start, start + limit)
  const next = start + limit < all.length ? (items.at(-1)?.[0] ?? null) : null
  return { items, total: all.length, start, limit, next }
}

/**
 * Writes a page's position and totals to the reply's fields, at the top level or in an object such as `meta`.
 */
export function writePage(reply: Draft, { items, total, start, limit, next }: Page): void {
  if (!isObject(reply) || Array.isArray(reply)) return
  const facts: Readonly<Record<string, unknown>> = {
    total,
    totalcount: total,
    totalitems: total,
    totalresults: total,
    count: total,
    totalpages: limit > 0 ? Math.ceil(total / limit) : 1,
    offset: start,
    limit,
    pagesize: limit,
    perpage: limit,
    page: limit > 0 ? Math.floor(start / limit) + 1 : 1,
    hasmore: next !== null,
    hasnext: next !== null,
    hasnextpage: next !== null,
    cursor: next,
    nextcursor: next,
    nextpagetoken: next,
    endcursor: next,
    firstid: items[0]?.[0] ?? null,
    lastid: items.at(-1)?.[0] ?? null,
    ...(next === null && { next: null }),
  }
  for (const target of [reply, ...Object.values(reply)])
    if (isObject(target) && !Array.isArray(target))
      for (const [field, before] of Object.entries(target))
        if (Object.hasOwn(facts, normalised(field)) && !isObject(before))
          target[field] = facts[normalised(field)]
}
