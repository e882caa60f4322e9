/**
 * A search index for pages (spec: Plugin object) and posts (spec: `x_search_filter` fields), ranked by the words they
 * share with the question. Rare words weigh more, and words in a title count twice.
 */

import type { Page } from '../../resources/page.ts'
import type { Post } from '../../resources/post.ts'
import type { XSearchFilter } from '../../resources/x-search-filter.ts'
import { searchKeys } from '../text/words.ts'
import type { Source } from './citations.ts'
import { type Place, placeOf } from './domains.ts'

export interface Query {
  question: string
  /** Maximum number of rows to return. */
  limit: number
  /** Returns true if the domain filter allows rows from this host and path. */
  passes(place: Place): boolean
}

interface Entry<Row> {
  readonly row: Row
  readonly place: Place
  /** Weights by word. */
  readonly weights: ReadonlyMap<string, number>
}

interface Corpus<Row> {
  readonly entries: readonly Entry<Row>[]
  /** Number of entries by word. */
  readonly counts: ReadonlyMap<string, number>
}

/** Searchable fields of a row. */
interface Description {
  url: string
  title: string
  text: string
}

function toCorpus<Row>(rows: readonly Row[], describe: (row: Row) => Description): Corpus<Row> {
  const counts = new Map<string, number>()
  const entries = rows.map((row) => {
    const { url, title, text } = describe(row)
    const weights = new Map<string, number>()
    for (const key of searchKeys(text)) weights.set(key, 1)
    for (const key of searchKeys(title)) weights.set(key, 2)
    for (const key of weights.keys()) counts.set(key, (counts.get(key) ?? 0) + 1)
    return { row, place: placeOf(url), weights }
  })
  return { entries, counts }
}

/** Returns rows by score, best first. Ties stay in their original order, and unrelated rows come last. */
function find<Row>(
  { entries, counts }: Corpus<Row>,
  { question, limit, passes }: Query,
  allows: (row: Row) => boolean = () => true,
): { row: Row; isUnrelated: boolean }[] {
  // Integers, so that sums are the same on every machine.
  const rarities = [...searchKeys(question)].flatMap((key) => {
    const count = counts.get(key)
    return count ? [[key, Math.ceil(1000 / count)] as const] : []
  })
  return entries
    .filter(({ place, row }) => passes(place) && allows(row))
    .map(({ row, weights }) => {
      const score = rarities.reduce((sum, [key, rarity]) => sum + (weights.get(key) ?? 0) * rarity, 0)
      return { row, score, isUnrelated: score === 0 }
    })
    .sort((left, right) => right.score - left.score)
    .slice(0, limit)
}

export function pageCorpus(pages: readonly Page[]): Corpus<Page> {
  return toCorpus(pages, ({ url, title, excerpt }) => ({ url, title, text: excerpt }))
}

export function findPages(pages: Corpus<Page>, query: Query): Source[] {
  return find(pages, query).map(({ row: { url, title, excerpt }, isUnrelated }) => {
    return { url, title, content: excerpt, isUnrelated }
  })
}

export function postCorpus(posts: readonly Post[]): Corpus<Post> {
  return toCorpus(posts, ({ url, text }) => ({ url, title: '', text }))
}

export function findPosts(posts: Corpus<Post>, query: Query, filter: XSearchFilter): Source[] {
  return find(posts, query, compileXSearchFilter(filter)).map(({ row, isUnrelated }) => ({
    url: row.url,
    title: `@${row.handle}, ${day(row)}`,
    content: excerptOf(row, filter),
    isUnrelated,
  }))
}

/** Returns a predicate for posts. Ignores `@` and case in handles. Dates are inclusive and in UTC. */
function compileXSearchFilter(filter: XSearchFilter): (post: Post) => boolean {
  const allowed = new Set(filter.allowed_x_handles?.map(bareHandle))
  const excluded = new Set(filter.excluded_x_handles?.map(bareHandle))
  const { from_date: from, to_date: to } = filter
  return (post) => {
    const handle = bareHandle(post.handle)
    if (excluded.has(handle) || (allowed.size > 0 && !allowed.has(handle))) return false
    return !(from && day(post) < from) && !(to && day(post) > to)
  }
}

function bareHandle(handle: string): string {
  return handle.replace(/^@/, '').toLowerCase()
}

function day({ date }: Post): string {
  return new Date(date).toISOString().slice(0, 10)
}

/** Returns a post's text, with image or video descriptions if the filter enables them. */
function excerptOf(post: Post, filter: XSearchFilter): string {
  const images = filter.enable_image_understanding ? (post.images ?? []) : []
  const videos = filter.enable_video_understanding ? (post.videos ?? []) : []
  return [
    post.text,
    ...images.map(({ description }) => `[Image: ${description}]`),
    ...videos.map(({ description }) => `[Video: ${description}]`),
  ].join(' ')
}
