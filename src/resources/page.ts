/** A web page in the search index. The specification has no such resource. */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { defineCollection } from './collection.ts'
import { type FactoryContext, pick, slugify, timestamp, uniqueWords } from './factory.ts'
import { isoTimestamp, webAddress } from './text.ts'

const { forms: FORMS, towns: TOWNS, hosts: HOSTS, sources: SOURCES, topics: TOPICS } = words.pages

export const Page = z.lazy(() =>
  z
    .strictObject({
      url: webAddress().describe("URL, which is the page's key."),
      title: z.string().min(1),
      excerpt: z.string().min(1).describe('One to three sentences from the page.'),
      published_at: isoTimestamp().optional(),
    })
    .meta({ id: 'Page', description: 'A page in the web search index.' }),
)
export type Page = z.infer<typeof Page>

export const pages = defineCollection({
  name: 'pages',
  schema: Page,
  keys: { url: ({ url }) => url },
  fixtures: () => import('../../fixtures/pages.json', { with: { type: 'json' } }),
  fake: fakePage,
})

function fakePage(context: FactoryContext): Page {
  const { field } = context
  const [town = '', subject = '', form = '', ...round] = uniqueWords(context, TOWNS, SUBJECTS, FORMS)
  const { section, claim } = TOPICS[SUBJECTS.indexOf(subject)] as (typeof TOPICS)[number]
  const title = [form.replace('SUBJECT', subject).replace('TOWN', town), ...round].join(' ')
  return {
    url: `https://${pick(field('host'), HOSTS)}/${section}/${slugify(title)}`,
    title,
    excerpt: `${claim} ${pick(field('source'), SOURCES).replace('TOWN', town)}`,
    published_at: timestamp(field('published_at')),
  }
}

const SUBJECTS = TOPICS.map(({ subject }) => subject)
