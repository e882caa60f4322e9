/** A search index for pages and posts. Rare words weigh more, and words in a title count twice. */
import type { Page } from '../../resources/page.ts'
import type { Post } from '../../resources/post.ts'
import type { XSearchFilter } from '../../resources/x-search-filter.ts'
import { searchKeys } from '../text/words.ts'
import type { Source } from './citations.ts'
import { type Place, placeOf } from './domains.ts'

export interface Query {
  question: string
  limit: number
  passes(place: Place): boolean
}

type Corpus<Row extends Page | Post> = ReturnType<typeof toCorpus<Row>>

export function toCorpus<Row extends Page | Post>(rows: readonly Row[]) {
  const counts = new Map<string, number>()
  const entries = rows.map((row) => {
    const { title = '', excerpt = '', text = excerpt } = row as Partial<Page & Post>
    const weights = new Map<string, number>()
    for (const key of searchKeys(text)) weights.set(key, 1)
    for (const key of searchKeys(title)) weights.set(key, 2)
    for (const key of weights.keys()) counts.set(key, (counts.get(key) ?? 0) + 1)
    return { row, place: placeOf(row.url), weights }
  })
  return { entries, counts }
}

/** Returns rows by score, best first. Rows with equal scores keep their order, and unrelated rows come last. */
function find<Row extends Page | Post>(
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

export function findPages(pages: Corpus<Page>, query: Query): Source[] {
  return find(pages, query).map(({ row: { url, title, excerpt }, isUnrelated }) => {
    return { url, title, content: excerpt, isUnrelated }
  })
}

export function findPosts(posts: Corpus<Post>, query: Query, filter: XSearchFilter): Source[] {
  return find(posts, query, (post) => allowsPost(filter, post)).map(({ row, isUnrelated }) => {
    const images = (filter.enable_image_understanding && row.images) || []
    const videos = (filter.enable_video_understanding && row.videos) || []
    const media = [
      ...images.map(({ description }) => `[Image: ${description}]`),
      ...videos.map(({ description }) => `[Video: ${description}]`),
    ]
    const title = `@${row.handle}, ${day(row)}`
    return { url: row.url, title, content: [row.text, ...media].join(' '), isUnrelated }
  })
}

/** Ignores `@` and case in handles. Dates are inclusive and in UTC. */
function allowsPost(filter: XSearchFilter, post: Post): boolean {
  const { allowed_x_handles: allowed, excluded_x_handles: excluded, from_date, to_date } = filter
  const isPoster = (handle: string) => handle.replace(/^@/, '').toLowerCase() === post.handle.toLowerCase()
  if (excluded?.some(isPoster) || (allowed?.length && !allowed.some(isPoster))) return false
  return !(from_date && day(post) < from_date) && !(to_date && day(post) > to_date)
}

function day({ date }: Post): string {
  return new Date(date).toISOString().slice(0, 10)
}
