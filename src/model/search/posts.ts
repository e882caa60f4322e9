/**
 * Finding social-media posts. Spec: `x_search_filter` fields.
 */
import type { Post } from '../../resources/post.ts'
import type { XSearchFilter } from '../../resources/x-search-filter.ts'
import type { Source } from './citations.ts'
import { Corpus, type Query } from './corpus.ts'

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
