/** Tests sample text about sources and functions' outputs, and links. */
import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import { linkTo } from '../../src/model/search/citations.ts'
import { type WritingTask, writeText } from '../../src/model/text/sample-text.ts'
import { call } from '../call.ts'

const textOf = (task: Partial<WritingTask>) =>
  writeText({
    subject: 'How do tides work?',
    answersFunction: false,
    verbosity: 'medium',
    sources: undefined,
    key: 'k',
    ...task,
  })

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

  it('uses the language of a script if over 30% of the letters are not Latin', () => {
    expect(['abcdefg かな', 'abcde かなかな', 'abc абвгд'].map(beginning)).toEqual(['The ', '「abc', 'The '])
  })
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

it.each<GatewayOptions>([
  {},
  { latency: 'fast' },
  { latency: 'slow' },
  { latency: '2s' },
  { latency: { firstToken: 5, perToken: 9 } },
])('writes whole sentences with %j', async (options) => {
  const gateway = createGateway({ timeScale: 0, ...options })
  for (const input of [
    'Why tides?',
    'List 5 cheeses',
    'Explain quantum computing in detail',
    'Hi',
    '什么是潮汐？',
  ]) {
    const { body } = await call(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input } })
    expect(body).toMatchObject({ status: 'completed' })
    expect(body.output.at(-1).content[0].text).toMatch(/[.!?:`。！？]$/)
  }
})
