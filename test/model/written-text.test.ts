/** Tests the parts of an answer at their limits: sample text, links, reasoning, transcripts, cuts and costs. */
import { describe, expect, it } from 'vitest'
import { callUsage, pricingOf, providersOf } from '../../src/model/catalogue.ts'
import { toTranscript } from '../../src/model/items.ts'
import { writeReasoning } from '../../src/model/reasoning.ts'
import { cite, citeLinks, joinPieces, linkTo } from '../../src/model/search/citations.ts'
import { findPages, pageCorpus } from '../../src/model/search/corpus.ts'
import { type WritingTask, writeText } from '../../src/model/text/sample-text.ts'
import { searchKeys } from '../../src/model/text/words.ts'
import { cutItems } from '../../src/model/token-limit.ts'
import type { AnswerItem } from '../../src/resources/answer.ts'
import type { Conversation } from '../../src/resources/conversation.ts'

const textOf = (task: Partial<WritingTask>) =>
  joinPieces(
    writeText({
      subject: 'How do tides work?',
      answersFunction: false,
      verbosity: 'medium',
      sources: undefined,
      key: 'k',
      ...task,
    }),
  ).text

const source = (name: string, content?: string, isUnrelated = false) => ({
  url: `https://${name}.example/`,
  title: `Title ${name}`,
  content,
  isUnrelated,
})
const link = (name: string) => `[${name}.example](https://${name}.example/)`

describe('writeText with sources', () => {
  const [a, b, c] = [source('a', 'One. Two.'), source('b', 'Wait... More'), source('c', 'Why? Yes')]
  const found = 'Here is what the search found for "How do tides work?".'
  const sentences = [`One (${link('a')}).`, `Wait... (${link('b')})`, `Why? (${link('c')})`]
  const list = `- **Title a:** ${sentences[0]}\n- **Title b:** ${sentences[1]}\n- **Title c:** ${sentences[2]}`

  it.each<[name: string, sources: ReturnType<typeof source>[], text: string]>([
    ['one source', [a], `${found} ${sentences[0]}`],
    ['three sources', [a, b, c], `${found} ${sentences.join(' ')}`],
    [
      'a list of four sources, one without an excerpt',
      [a, b, c, source('d')],
      `${found}\n\n${list}\n- **Title d:** Title d (${link('d')})`,
    ],
    [
      'an unrelated source',
      [source('a', 'One.', true)],
      `The search found nothing that mentions "How do tides work?" directly. The closest pages are these. One (${link('a')}).`,
    ],
    [
      'a related and an unrelated source',
      [source('b', 'Two.', true), a],
      `${found} ${sentences[0]}\n\nLess directly related: Two (${link('b')}).`,
    ],
    [
      'a list with an unrelated source',
      [a, b, c, source('e', 'Five.', true)],
      `${found}\n\n${list}\n\nLess directly related:\n\n- **Title e:** Five (${link('e')}).`,
    ],
  ])('cites %s', (_, sources, text) => {
    expect(textOf({ sources })).toBe(text)
  })

  it('says that nothing was found, and continues as without a search', () => {
    expect(textOf({ sources: [] })).toBe(
      `The search found no page that it was allowed to use, so this answer stays general. ${textOf({})}`,
    )
  })
})

describe("writeText with a function's output", () => {
  const fields = '- **a:** 1\n- **b:** x\n- **c:** [1]\n- **d:** null\n- **e:** {"f":1}\n- **g:** true'
  const quote = (output: string) => `The call returned "${output}" and nothing else.`

  it.each<[name: string, output: string, text: string]>([
    [
      'six fields',
      '{"a":1,"b":"x","c":[1],"d":null,"e":{"f":1},"g":true}',
      `According to the result:\n\n${fields}`,
    ],
    [
      'seven fields',
      '{"a":1,"b":"x","c":[1],"d":null,"e":{"f":1},"g":true,"h":2}',
      `According to the result:\n\n${fields}`,
    ],
    ['an empty object', '{}', quote('{}')],
    ['half an object', '{"a"', quote('{"a"')],
    ['a list', '[1]', quote('[1]')],
    ['20,000 characters', `{"a":1${' '.repeat(19_993)}}`, 'According to the result:\n\n- **a:** 1'],
    ['20,001 characters', `{"a":1${' '.repeat(19_994)}}`, quote('{"a":1')],
  ])('reports %s', (_, subject, text) => {
    expect(textOf({ subject, answersFunction: true })).toBe(text)
  })
})

describe('writeText', () => {
  const beginning = (subject: string) => textOf({ subject, verbosity: 'low' }).slice(0, 4)

  it('uses the language of a script that more than 30% of the letters have', () => {
    expect(['abcdefg абв', 'abcdef абвг', 'abcdefg日本語', '日本語'].map(beginning)).toEqual([
      'The ',
      'Если',
      'The ',
      '简单来说',
    ])
  })

  it('takes Chinese characters for Japanese if more than 5% of the letters are kana', () => {
    expect([`か${'日'.repeat(19)}`, `か${'日'.repeat(18)}`].map(beginning)).toEqual(['简单来说', '「か日日'])
  })
})

describe('citations', () => {
  const spans = ({ text, annotations }: ReturnType<typeof cite>) => [
    text,
    ...annotations.map(
      ({ start_index, end_index, title }) => `${title}: ${text.slice(start_index, end_index)}`,
    ),
  ]

  it.each<[text: string, names: string[], cited: string, ...spans: string[]]>([
    ['', ['a'], link('a'), `Title a: ${link('a')}`],
    ['', ['a', 'b'], `${link('a')} ${link('b')}`, `Title a: ${link('a')}`, `Title b: ${link('b')}`],
    ['x', ['a', 'b'], `x ${link('a')} ${link('b')}`, `Title a: ${link('a')}`, `Title b: ${link('b')}`],
    ['[t](https://a.example/) x', ['a'], '[t](https://a.example/) x', 'Title a: [t](https://a.example/)'],
    [
      'x [t](https://a.example/)',
      ['b', 'a'],
      `x [t](https://a.example/) ${link('b')}`,
      'Title a: [t](https://a.example/)',
      `Title b: ${link('b')}`,
    ],
    ['x [t', ['a'], `x [t ${link('a')}`, `Title a: ${link('a')}`],
    ['[](https://a.example/)', ['a'], `[](https://a.example/) ${link('a')}`, `Title a: ${link('a')}`],
    ['](https://a.example/)', ['a'], `](https://a.example/) ${link('a')}`, `Title a: ${link('a')}`],
    ['x](https://a.example/)', ['a'], `x](https://a.example/) ${link('a')}`, `Title a: ${link('a')}`],
  ])('cite: finds or appends links in %j to %j', (text, names, ...expected) => {
    expect(
      spans(
        cite(
          text,
          names.map((name) => source(name)),
        ),
      ),
    ).toEqual(expected)
  })

  it('citeLinks: finds existing links in the order of the text', () => {
    const text = `${link('a')} ${link('b')}`
    expect(
      spans(
        citeLinks(
          text,
          ['b', 'a', 'c'].map((name) => source(name)),
        ),
      ),
    ).toEqual([text, `Title a: ${link('a')}`, `Title b: ${link('b')}`])
  })

  it.each([
    ['x(1)', 'x(1)'],
    ['x(1', 'x%281'],
    ['a b', 'a%20b'],
    ['a\tb', 'a%09b'],
    ['[x]', '%5bx%5d'],
    ['((x))', '%28%28x%29%29'],
  ])('linkTo: escapes https://a.example/%s as %s', (path, escaped) => {
    expect(linkTo(`https://a.example/${path}`)).toBe(`[a.example](https://a.example/${escaped})`)
  })
})

describe('findPages', () => {
  it('keeps the original order of pages with the same score, and puts pages with rarer words first', () => {
    const page = (name: string, excerpt: string) => ({
      url: `https://${name}.example/`,
      title: name,
      excerpt,
    })
    const pages = ['zinc', 'none', 'zinc', 'zinc cobalt', 'cobalt zinc', 'zinc'].map((text, index) =>
      page(`p${index}`, text),
    )
    const titles = (question: string, limit = 9) =>
      findPages(pageCorpus(pages), { question, limit, passes: () => true }).map(
        ({ title, isUnrelated }) => title + (isUnrelated ? ' unrelated' : ''),
      )
    expect(titles('zinc')).toEqual(['p0', 'p2', 'p3', 'p4', 'p5', 'p1 unrelated'])
    expect(titles('zinc cobalt')).toEqual(['p3', 'p4', 'p0', 'p2', 'p5', 'p1 unrelated'])
    expect(titles('zinc', 2)).toEqual(['p0', 'p2'])
    const twins = pageCorpus([page('p0', 'cobalt'), page('p1', 'zinc'), page('zinc', 'none')])
    const find = (question: string) =>
      findPages(twins, { question, limit: 2, passes: () => true }).map(({ title }) => title)
    expect(find('zinc')).toEqual(['zinc', 'p1'])
    expect(find('none cobalt')).toEqual(['p0', 'zinc'])
  })
})

describe('searchKeys', () => {
  it.each([
    ['東京タワー', ['東京タワー', '東京', '京タ', 'タワ', 'ワー']],
    ['東京', ['東京']],
    ['a-bc', ['a-bc', 'bc']],
  ])('returns the parts of %s', (text, keys) => {
    expect([...searchKeys(text)]).toEqual(keys)
  })
})

describe('toTranscript', () => {
  const message = (role: string, text: string) => ({ kind: 'message', role, text })
  const result = { kind: 'result', text: 'R' }
  const other = (type: string) => ({ kind: 'other', type, text: 'O' })

  it.each<
    [items: object[], question: string, subject: string, answersFunction: boolean, answersTool: boolean]
  >([
    [[], '', '', false, false],
    [[message('assistant', 'A')], 'A', 'A', false, false],
    [[message('user', 'Q'), message('assistant', 'A')], 'Q', 'Q', false, false],
    [[message('user', 'Q'), { kind: 'call', name: 'f', arguments: '{}' }, result], 'Q', 'R', true, true],
    [[message('user', 'Q'), result, message('user', 'P')], 'P', 'P', false, false],
    [[message('user', 'Q'), other('x_output')], 'Q', 'Q', false, true],
    [[message('user', 'Q'), other('x')], 'Q', 'Q', false, false],
    [[result, other('x')], 'R', 'R', true, true],
    [[other('x')], '', '', false, false],
  ])('reads %j', (items, question, subject, answersFunction, answersTool) => {
    const { turns, ...rest } = toTranscript({ items } as unknown as Conversation)
    expect(rest).toEqual({ question, subject, answersFunction, answersTool })
    expect(turns).toHaveLength(items.length)
  })
})

describe('writeReasoning', () => {
  const write = (request: Parameters<typeof writeReasoning>[0], question = 'Hi') => {
    const { items, reasoningTokens } = writeReasoning(request, question, 'k', (message) =>
      expect.fail(message),
    )
    const summary = items.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
    return [summary.length, reasoningTokens]
  }

  it.each<[effort: string, paragraphs: number, hidden: number]>([
    ['minimal', 1, 15],
    ['low', 1, 92],
    ['medium', 2, 244],
    ['high', 3, 770],
    ['xhigh', 3, 1592],
    ['max', 3, 2140],
  ])('with effort %s: %i paragraphs and %i further tokens', (effort, paragraphs, hidden) => {
    expect(write({ effort })).toEqual([paragraphs, hidden])
  })

  it.each<[request: object | string | undefined, paragraphs: number, hidden: number]>([
    [{ summary: 'concise' }, 1, 263],
    [{ summary: 'detailed' }, 3, 222],
    [{ summary: 'detailed', maxTokens: 1 }, 1, 0],
    [{ summary: 'auto' }, 2, 244],
    [{ isHidden: true }, 0, 274],
    ['none', 0, 0],
    [undefined, 0, 0],
  ])('for %j: %i paragraphs and %i further tokens', (request, paragraphs, hidden) => {
    expect(write(request as Parameters<typeof writeReasoning>[0])).toEqual([paragraphs, hidden])
  })

  it('quotes 200 characters of the question', () => {
    const [item] = writeReasoning({ effort: 'high' }, 'x'.repeat(201), 'k', () => {}).items
    expect(item).toMatchObject({
      summary: [
        `**Reading the question**\n\nThe question is: ${'x'.repeat(200)}…`,
        '**Planning the answer**\n\nThe main point comes first, then the details that support it.',
        '**Checking the answer**\n\nEach sentence should hold on its own, and none should go beyond the question.',
      ],
      content: [],
    })
  })
})

describe('cutItems', () => {
  const message = (...texts: string[]): AnswerItem => ({
    type: 'message',
    parts: texts.map((text) => ({ text, annotations: [] })),
  })
  const search: AnswerItem = { type: 'web_search_call', action: { type: 'search', query: 'q' } }
  const call: AnswerItem = { type: 'function_call', name: 'f', arguments: '{"a":1}' }
  const reasoning = (...content: string[]): AnswerItem => ({
    type: 'reasoning',
    summary: ['s t', 'u'],
    content,
  })

  /** Returns the texts that remain, the output and reasoning tokens, and whether the answer was cut. */
  const cut = (items: AnswerItem[], limit?: number, reasoningTokens = 0) => {
    const counted = cutItems({ items, reasoningTokens }, limit)
    const texts = counted.items.map(({ item, isCut }) => {
      const text =
        item.type === 'message'
          ? item.parts.map((part) => ('text' in part ? part.text : part.refusal)).join('|')
          : item.type === 'reasoning'
            ? `${item.summary.join('|')}/${item.content.join('|')}`
            : item.type === 'function_call'
              ? item.arguments
              : item.type
      return isCut ? `${text}…` : text
    })
    return [texts, counted.outputTokens, counted.reasoningTokens, counted.isCut]
  }

  it.each<[limit: number | undefined, texts: string[], output: number, reasoning: number, isCut: boolean]>([
    [undefined, ['web_search_call', 'a b|c', '{"a":1}'], 9, 1, false],
    [0, ['web_search_call'], 0, 0, true],
    [1, ['web_search_call'], 1, 1, true],
    [2, ['web_search_call', 'a…'], 2, 1, true],
    [3, ['web_search_call', 'a b…'], 3, 1, true],
    [4, ['web_search_call', 'a b|c'], 4, 1, true],
    [5, ['web_search_call', 'a b|c', '{"…'], 5, 1, true],
    [9, ['web_search_call', 'a b|c', '{"a":1}'], 9, 1, false],
  ])('limits an answer to %j tokens', (limit, texts, output, reasoningTokens, isCut) => {
    expect(cut([search, message('a b', 'c'), call], limit, 1)).toEqual([
      texts,
      output,
      reasoningTokens,
      isCut,
    ])
  })

  it.each<[limit: number, content: string[], texts: string[], reasoning: number]>([
    [0, ['a b', 'c d'], [], 0],
    [1, ['a b', 'c d'], ['s t|u/a…'], 1],
    [3, ['a b', 'c d'], ['s t|u/a b|c…'], 3],
    [4, ['a b', 'c d'], ['s t|u/a b|c d'], 4],
    [1, ['a b'], ['s t|u/a…'], 1],
    [1, [], ['s/…'], 1],
    [2, [], ['s t/…'], 2],
    [3, [], ['s t|u/'], 3],
  ])('limits reasoning to %i tokens: %j', (limit, content, texts, reasoningTokens) => {
    expect(cut([reasoning(...content), message('x')], limit)).toEqual([texts, limit, reasoningTokens, true])
  })

  it('keeps an empty answer, and an empty item at the limit', () => {
    expect(cut([], 0)).toEqual([[], 0, 0, false])
    expect(cut([message(''), search], 0)).toEqual([['', 'web_search_call'], 0, 0, false])
    expect(cut([message('a'), message('')], 1)).toEqual([['a', ''], 1, 0, false])
  })
})

it('callUsage computes the cost in dollars, with cached tokens at their own price', () => {
  const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 3, reasoningTokens: 1 }
  const pricing = { prompt: '0.5', completion: '2', request: '10' }
  expect(callUsage('a/b:online', usage, pricing)).toEqual({ model: 'a/b', ...usage, cost: 21 })
  expect(callUsage('a', usage, { ...pricing, input_cache_read: '0.1' })).toEqual({
    model: 'a',
    ...usage,
    cost: 19.4,
  })
  expect(callUsage('a', usage, undefined)).toEqual({ model: 'a', ...usage, cost: null })
})

it('pricingOf finds models for text and for embeddings', async () => {
  const table = (names: string[]) => ({
    find: async (name: string) => (names.includes(name) ? { pricing: `price of ${name}` } : undefined),
  })
  const tables = { models: table(['a']), embeddingsModels: table(['b']) } as never
  expect(await Promise.all(['a:online', 'b', 'c'].map((model) => pricingOf(model, tables)))).toEqual([
    'price of a',
    'price of b',
    undefined,
  ])
})

it("providersOf returns the vendor and the next provider, or two drawn from the model's name", async () => {
  const slugs = async (model: string, all = ['a', 'b', 'c']) => {
    const rows = async () => all.map((slug) => ({ slug }))
    return (await providersOf(model, { providers: { rows } } as never)).map(({ slug }) => slug).join()
  }
  expect(await Promise.all(['a/x', 'b/x', 'c/x', 'z/x', 'ab/x'].map((model) => slugs(model)))).toEqual([
    'a,b',
    'b,c',
    'c,a',
    'c,a',
    'b,c',
  ])
  expect(await slugs('a/x', ['a'])).toBe('a')
  expect(await slugs('a/x', [])).toBe('')
})
