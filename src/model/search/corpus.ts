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

interface Match<Row> {
  row: Row
  /** If true, the row shares no word with the question. */
  isUnrelated: boolean
}

/** Searchable fields of a row. */
interface Description {
  url: string
  title: string
  text: string
}

class Corpus<Row> {
  readonly #rows: readonly Row[]
  readonly #places: readonly Place[]
  /** Weights by word and row. */
  readonly #having = new Map<string, Map<number, number>>()

  constructor(rows: readonly Row[], describe: (row: Row) => Description) {
    const descriptions = rows.map(describe)
    this.#rows = rows
    this.#places = descriptions.map(({ url }) => placeOf(url))
    descriptions.forEach(({ title, text }, at) => {
      for (const key of searchKeys(text)) this.#add(key, at, 1)
      for (const key of searchKeys(title)) this.#add(key, at, 2)
    })
  }

  #add(key: string, at: number, weight: number): void {
    const having = this.#having.get(key) ?? new Map<number, number>()
    this.#having.set(key, having.set(at, weight))
  }

  /** Returns rows by score, best first. Ties stay in their original order, and unrelated rows come last. */
  find({ question, limit, passes }: Query, allows: (row: Row) => boolean = () => true): Match<Row>[] {
    const scores = this.#scores(question)
    const matches: Match<Row>[] = []
    for (const at of this.#ranked(scores)) {
      if (matches.length >= limit) break
      const row = this.#rows[at] as Row
      if (passes(this.#places[at] as Place) && allows(row))
        matches.push({ row, isUnrelated: !scores.has(at) })
    }
    return matches
  }

  /** Returns scores by row index. They are integers, so that sums are the same on every machine. */
  #scores(question: string): Map<number, number> {
    const scores = new Map<number, number>()
    for (const key of searchKeys(question)) {
      const having = this.#having.get(key)
      if (!having) continue
      const rarity = Math.ceil(1000 / having.size)
      for (const [at, weight] of having) scores.set(at, (scores.get(at) ?? 0) + weight * rarity)
    }
    return scores
  }

  *#ranked(scores: ReadonlyMap<number, number>): Generator<number> {
    for (const [at] of [...scores].sort((left, right) => right[1] - left[1] || left[0] - right[0])) yield at
    for (const at of this.#rows.keys()) if (!scores.has(at)) yield at
  }
}

export function pageCorpus(pages: readonly Page[]): Corpus<Page> {
  return new Corpus(pages, ({ url, title, excerpt }) => ({ url, title, text: excerpt }))
}

export function findPages(pages: Corpus<Page>, query: Query): Source[] {
  return pages.find(query).map(({ row: { url, title, excerpt }, isUnrelated }) => {
    return { url, title, content: excerpt, isUnrelated }
  })
}

export function postCorpus(posts: readonly Post[]): Corpus<Post> {
  return new Corpus(posts, ({ url, text }) => ({ url, title: '', text }))
}

export function findPosts(posts: Corpus<Post>, query: Query, filter: XSearchFilter): Source[] {
  return posts.find(query, compileXSearchFilter(filter)).map(({ row, isUnrelated }) => ({
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
