/**
 * What a search looks through: pages (spec: Plugin object) and posts (spec: `x_search_filter` fields), ranked by the words they share with a question. A word counts the more the
 * fewer rows have it, and twice where it stands in a title.
 */

import type { Page } from '../../resources/page.ts'
import type { Post } from '../../resources/post.ts'
import type { XSearchFilter } from '../../resources/x-search-filter.ts'
import { searchKeys } from '../text/words.ts'
import type { Source } from './citations.ts'
import { type Place, placeOf } from './domains.ts'

/** What is looked for. */
export interface Query {
  question: string
  /** How many rows at most. */
  limit: number
  /** Whether a row at this place may be found. */
  passes(place: Place): boolean
}

interface Found<Row> {
  row: Row
  /** Whether it shares no word with the question. */
  isUnrelated: boolean
}

/** What a row is found by. */
interface Description {
  url: string
  title: string
  text: string
}

class Corpus<Row> {
  readonly #rows: readonly Row[]
  readonly #places: readonly Place[]
  /** For each word, how much it counts in the rows that have it. */
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

  /** The best rows first, in their own order where they are as good. Rows that share nothing come last, and still come. */
  find({ question, limit, passes }: Query, allows: (row: Row) => boolean = () => true): Found<Row>[] {
    const scores = this.#scores(question)
    const found: Found<Row>[] = []
    for (const at of this.#ranked(scores)) {
      if (found.length >= limit) break
      const row = this.#rows[at] as Row
      if (passes(this.#places[at] as Place) && allows(row)) found.push({ row, isUnrelated: !scores.has(at) })
    }
    return found
  }

  /** Whole numbers, so that they add up to the same on every machine. */
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

/** Whether a post is one of those asked for. Handles compare without `@` and case; dates are inclusive, in UTC. */
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

/** The text, and what its media show where the filter has them looked at. */
function excerptOf(post: Post, filter: XSearchFilter): string {
  const images = filter.enable_image_understanding ? (post.images ?? []) : []
  const videos = filter.enable_video_understanding ? (post.videos ?? []) : []
  return [
    post.text,
    ...images.map(({ description }) => `[Image: ${description}]`),
    ...videos.map(({ description }) => `[Video: ${description}]`),
  ].join(' ')
}
