import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import pages from '../../fixtures/pages.json' with { type: 'json' }
import { cite } from '../../src/model/search/citations.ts'
import { findPages, toCorpus } from '../../src/model/search/corpus.ts'
import { compileFilter } from '../../src/model/search/domains.ts'

const hosts = [...new Set(pages.map(({ url }) => new URL(url).hostname))]
const entry = fc.oneof(
  fc.constantFrom(...hosts),
  fc.constantFrom(...hosts).map((host) => `*.${host}`),
  fc.constantFrom('example', '*.example', 'nowhere.example', '*.example.com'),
)
const entries = fc.array(entry, { maxLength: 4 })
const question = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...pages).map(({ title }) => title),
)

/** A reference implementation of include and exclude lists. */
function isAllowed(host: string, include: string[], exclude: string[]): boolean {
  const covered = (list: string[]) =>
    list.some((each) => (each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each))
  return (include.length === 0 || covered(include)) && !covered(exclude)
}

describe('findPages', () => {
  it('respects filters and limit for arbitrary corpora, questions and filters', () => {
    const search = fc.record({
      corpus: fc.subarray(pages),
      question,
      include: entries,
      exclude: entries,
      limit: fc.integer({ min: 1, max: 25 }),
    })
    fc.assert(
      fc.property(search, ({ corpus, question, include, exclude, limit }) => {
        const passes = compileFilter({ include, exclude })
        const results = findPages(toCorpus(corpus), { question, limit, passes })
        const allowed = corpus.filter(({ url }) => isAllowed(new URL(url).hostname, include, exclude))
        expect(results).toHaveLength(Math.min(limit, allowed.length))
        const urls = new Set(allowed.map(({ url }) => url))
        for (const { url } of results) expect(urls).toContain(url)
        expect(new Set(results.map(({ url }) => url)).size).toBe(results.length)
      }),
    )
  })

  const find = (question: string, limit = 1) =>
    findPages(toCorpus(pages), { question, limit, passes: () => true })

  it('ranks the page with the most words in common with the question first', () => {
    for (const { url, title, excerpt } of pages) expect(find(`${title} ${excerpt}`)[0]?.url).toBe(url)
  })

  it('ranks pages with rare words, or with words in the title, higher', () => {
    const page = (title: string, excerpt: string) => ({ url: `https://a.example/${title}`, title, excerpt })
    const corpus = toCorpus([page('zinc', 'other'), page('other', 'zinc cobalt')])
    const urls = (question: string) =>
      findPages(corpus, { question, limit: 2, passes: () => true }).map(({ title }) => title)
    expect(urls('zinc')).toEqual(['zinc', 'other'])
    expect(urls('zinc and cobalt')).toEqual(['other', 'zinc'])
  })

  it('also matches the parts of a hyphenated word, except single letters', () => {
    const page = (title: string) => ({ url: `https://a.example/${title}`, title, excerpt: 'nothing' })
    const corpus = toCorpus([page('x'), page('ray')])
    const [first] = findPages(corpus, { question: 'x-ray', limit: 1, passes: () => true })
    expect(first?.title).toBe('ray')
  })

  it('ignores case and stop words', () => {
    expect(find('what is the SALINITY of the sea?')[0]?.url).toMatch(/buoys/)
  })

  it('ignores stop words in other languages', () => {
    const page = (title: string) => ({ url: `https://a.example/${title.length}`, title, excerpt: 'nothing' })
    const corpus = toCorpus([page('wie ist das por que come'), page('Berlin 東京の観光')])
    for (const question of ['Wie ist das Wetter in Berlin?', '¿Por qué Berlin?', '東京観光について'])
      expect(findPages(corpus, { question, limit: 2, passes: () => true })).toMatchObject([
        { title: expect.stringContaining('Berlin'), isUnrelated: false },
        { isUnrelated: true },
      ])
  })

  it('returns pages in fixture order if no page matches', () => {
    expect(find('qqqq zzzz', 3).map(({ url }) => url)).toEqual(pages.slice(0, 3).map(({ url }) => url))
  })
})

describe('a domain filter', () => {
  const covers = (include: string, url: string) => {
    const { hostname, pathname } = new URL(url)
    return compileFilter({ include: [include], exclude: [] })({ host: hostname, path: pathname })
  }

  it.each([
    ['example.com', 'https://example.com/a', true],
    ['example.com', 'https://docs.example.com/', false],
    ['example.com', 'https://notexample.com/', false],
    ['*.example.com', 'https://docs.example.com/', true],
    ['*.example.com', 'https://api.docs.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://notexample.com/', false],
    ['EXAMPLE.com', 'https://example.com/', true],
    ['https://example.com/', 'https://example.com/a', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['example.com/blog', 'https://example.com/blog', true],
    ['example.com/blog', 'https://example.com/blog/2025', true],
    ['example.com/blog/*', 'https://example.com/blog/2025', true],
    ['example.com/blog', 'https://example.com/blogger', false],
    ['*.example.com/blog', 'https://docs.example.com/blog/1', true],
    ['example.com/straße', 'https://example.com/straße/7', true],
    ['example.com/stra%C3%9Fe', 'https://example.com/straße', true],
    ['example', 'https://kitchen.example/', false],
  ])('%s matches %s: %s', (include, url, covered) => {
    expect(covers(include, url)).toBe(covered)
  })
})

describe('cite', () => {
  const source = fc
    .tuple(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string({ unit: 'grapheme' }))
    .map(([url, title]) => ({ url, title }))
  const sources = fc.array(source, { maxLength: 8 })

  it('gives citations the offsets of the whole link, in UTF-16 code units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), sources, (before, list) => {
        const { text, annotations } = cite(before, list)
        expect(annotations).toHaveLength(list.length)
        for (const { start_index, end_index, url } of annotations) {
          const span = text.slice(start_index, end_index)
          expect(span).toBe(span.trim())
          expect(span.startsWith(`[${new URL(url).hostname}](`)).toBe(true)
          expect(balance(span)).toBe(0)
          expect(decodeURIComponents(span)).toContain(decodeURIComponents(url))
        }
      }),
    )
  })

  /** Number of unclosed brackets; NaN if a closing bracket has no opening one. */
  function balance(text: string): number {
    let open = 0
    for (const character of text) {
      if ('(['.includes(character)) open++
      if (')]'.includes(character) && --open < 0) return Number.NaN
    }
    return open
  }

  function decodeURIComponents(text: string): string {
    return text.replace(/%28/g, '(').replace(/%29/g, ')').replace(/%5b/gi, '[').replace(/%5d/gi, ']')
  }
})
