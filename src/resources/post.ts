/** A social media post that `x_search_filter` can select. Spec: POST /responses; the shape of posts is unspecified. */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { defineCollection } from './collection.ts'
import { type FactoryContext, pick, timestamp } from './factory.ts'
import { isoTimestamp, webAddress } from './text.ts'

const { handles: HANDLES, asides: ASIDES, subjects: SUBJECTS } = words.posts

const Media = z.lazy(() => z.array(z.strictObject({ description: z.string().min(1) })))

export const Post = z.lazy(() =>
  z
    .strictObject({
      id: z.string().min(1),
      handle: z.string().regex(/^[A-Za-z0-9_]+$/, 'Must be a handle without @'),
      date: isoTimestamp(),
      text: z.string().min(1),
      url: webAddress(),
      images: Media.optional().describe('Content for image understanding.'),
      videos: Media.optional().describe('Content for video understanding.'),
    })
    .meta({ id: 'Post', description: 'A social media post in the web search index.' }),
)
export type Post = z.infer<typeof Post>

export const posts = defineCollection({
  name: 'posts',
  schema: Post,
  keys: { id: ({ id }) => id },
  fixtures: () => import('../../fixtures/posts.json', { with: { type: 'json' } }),
  fake: fakePost,
})

function fakePost({ index, field }: FactoryContext): Post {
  const id = `2${String(index).padStart(18, '0')}`
  const handle = pick(field('handle'), HANDLES)
  const { text, scene } = pick(field('subject'), SUBJECTS)
  const media = field('media').number.int({ min: 0, max: 5 })
  return {
    id,
    handle,
    date: timestamp(field('date')),
    text: `${text} ${pick(field('aside'), ASIDES)}`,
    url: `https://social.example/${handle}/status/${id}`,
    ...(media === 0 && { images: [{ description: `A photograph of ${scene}` }] }),
    ...(media === 1 && { videos: [{ description: `A short film of ${scene}` }] }),
  }
}
