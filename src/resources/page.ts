// A web page that searches find and citations refer to. Not a resource of the specification.

import * as z from 'zod'
import { defineCollection } from './collection.ts'
import { type FactoryContext, pick, slugify, timestamp, uniqueWords } from './factory.ts'
import { isoTimestamp, webAddress } from './text.ts'

export const Page = z.lazy(() =>
  z
    .strictObject({
      url: webAddress().describe('Key of the page.'),
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

/** Generates a page, such as `https://gazette.example/garden/how-compost-changed-larkhaven`. */
export function fakePage(context: FactoryContext): Page {
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

const FORMS = [
  'How SUBJECT changed TOWN',
  'What TOWN learned from SUBJECT',
  'TOWN takes a second look at SUBJECT',
  'A short guide to SUBJECT in TOWN',
  'SUBJECT, ten years on in TOWN',
  'Five questions about SUBJECT, asked in TOWN',
]
const TOWNS = [
  'Larkhaven',
  'Portnorth',
  'Saint Aldwyn',
  'Millbrook Falls',
  'Easterby',
  'Rookhurst',
  'Valdemar',
  'Kettlewick',
  'Osterby Ridge',
  'Greenholm',
  'Tarn Hollow',
  'Bellweather',
  'Cape Morrow',
  'Silvermere',
  'Dunfallow',
  'Harrowgate Cross',
  'Lindenau',
  'Pellworth',
  'Marisol Bay',
  'Wexcombe',
  'Upper Tansley',
  'Fairlight',
  'Brackenford',
  'Quayside',
]
const HOSTS = [
  'archive.gazette.example',
  'blog.fieldnotes.example',
  'gazette.example',
  'library.example.net',
  'reports.example.com',
  'weekly.fieldnotes.example',
]
const SOURCES = [
  'Three people from TOWN describe how they measured it.',
  'The town hall of TOWN has published the figures.',
  'Volunteers in TOWN kept a diary for a year.',
  'A teacher from TOWN explains it with a drawing.',
]
const TOPICS = [
  {
    section: 'garden',
    subject: 'compost',
    claim: 'Compost turns kitchen waste into soil within nine months.',
  },
  {
    section: 'energy',
    subject: 'heat pumps',
    claim: 'A heat pump moves three units of heat per unit of power.',
  },
  {
    section: 'travel',
    subject: 'night trains',
    claim: 'Night trains carry more passengers than ten years ago.',
  },
  { section: 'nature', subject: 'wild bees', claim: 'Most wild bees live alone and nest in bare ground.' },
  { section: 'craft', subject: 'bookbinding', claim: 'A sewn binding lies flat where a glued one cracks.' },
  { section: 'weather', subject: 'morning fog', claim: 'Fog forms when damp air cools over cold ground.' },
  { section: 'cities', subject: 'public benches', claim: 'People walk further when they know where to sit.' },
  { section: 'money', subject: 'savings clubs', claim: 'A savings club lends its members their own money.' },
  { section: 'games', subject: 'chess', claim: 'Chess clubs report more beginners than ever before.' },
  { section: 'water', subject: 'rain barrels', claim: 'One summer storm fills a rain barrel in minutes.' },
]
const SUBJECTS = TOPICS.map(({ subject }) => subject)
