// A page that web search can find. Not a resource of the specification: it is what citations cite.

import * as z from 'zod'
import { type Making, pick, slugify, timestamp } from './factory.ts'
import { Timestamp, WebAddress } from './text.ts'

export const Page = z
  .strictObject({
    url: WebAddress.describe('Key of the page.'),
    title: z.string().min(1),
    excerpt: z.string().min(1).describe('One to three sentences of the page.'),
    published_at: Timestamp.optional(),
  })
  .meta({ id: 'Page', description: 'A page that web search can find.' })

export type Page = z.infer<typeof Page>

/** Makes one plausible page, such as `https://garden.example/soil/how-compost-…-37`. */
export function fakePage({ index, field }: Making): Page {
  const { section, subject, claim } = pick(field('topic'), TOPICS)
  const town = field('town').location.city()
  const title = pick(field('title'), [
    `How ${subject} changed ${town}`,
    `What ${town} learned from ${subject}`,
    `${town} takes a second look at ${subject}`,
    `A short guide to ${subject} in ${town}`,
  ])
  return {
    url: `https://${pick(field('host'), HOSTS)}/${section}/${slugify(title)}-${index}`,
    title,
    excerpt: `${claim} ${pick(field('source'), SOURCES).replace('TOWN', town)}`,
    published_at: timestamp(field('published_at')),
  }
}

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
