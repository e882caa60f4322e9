/**
 * Finding pages. Spec: Plugin object.
 */
import type { Page } from '../../resources/page.ts'
import type { Source } from './citations.ts'
import { Corpus, type Query } from './corpus.ts'

export function pageCorpus(pages: readonly Page[]): Corpus<Page> {
  return new Corpus(pages, ({ url, title, excerpt }) => ({ url, title, text: excerpt }))
}

export function findPages(pages: Corpus<Page>, query: Query): Source[] {
  return pages.find(query).map(({ row: { url, title, excerpt }, isUnrelated }) => {
    return { url, title, content: excerpt, isUnrelated }
  })
}
