/** Tests text helpers: quoting, search words, tokens, embeddings, and fallback models. */
import { describe, expect, it } from 'vitest'
import { embed } from '../../src/extras/models/create-embeddings.ts'
import { firstSentence, quoted, searchKeys, searchQuery, subjectWords } from '../../src/model/text/words.ts'
import { tokenize } from '../../src/model/tokens.ts'
import { modelsIn } from '../../src/resources/fallback-models.ts'

it.each<[text: string, limit: number | undefined, line: string]>([
  ['a'.repeat(72), undefined, 'a'.repeat(72)],
  ['a'.repeat(73), undefined, `${'a'.repeat(72)} ...`],
  ['abc', 2, 'ab ...'],
  ['ab c', 3, 'ab c'],
  ['ab cd', 3, 'ab ...'],
  ['  a \n b  ', undefined, 'a b'],
  ['a\ud800', undefined, 'a\ufffd'],
  ['', undefined, ''],
  ['x '.repeat(200), undefined, `${'x '.repeat(37)}...`],
  ['ab\ud83d\ude00', 3, 'ab\ufffd ...'],
  [`${' '.repeat(7)}ab`, 2, 'a'],
])('quoted(%j, %j) returns %j', (text, limit, line) => {
  expect(limit === undefined ? quoted(text) : quoted(text, limit)).toBe(line)
})

it('firstSentence ends at a punctuation mark before a space, or after 240 characters', () => {
  expect(['One. Two.', 'One.Two three', 'Why? Yes', 'Line\none! x', 'Ends.'].map(firstSentence)).toEqual([
    'One.',
    'One.Two three',
    'Why?',
    'Line one!',
    'Ends.',
  ])
  expect(firstSentence(`${'y'.repeat(238)} ab cd`)).toBe(`${'y'.repeat(238)} ab ...`)
  expect(firstSentence(`${'y'.repeat(239)} ab cd`)).toBe(`${'y'.repeat(239)} ...`)
  expect(firstSentence(`${' '.repeat(398)}ab. Two`)).toBe('ab')
})

it.each<[question: string, query: string]>([
  ['How do tides work?', 'tides work'],
  ['two three four five six seven eight nine ten', 'two three four five six seven eight nine'],
  ['Oslo oslo OSLO museums', 'Oslo museums'],
  [`${'x'.repeat(41)} ${'y'.repeat(40)} z`, 'y'.repeat(40)],
  ['of the and', 'of the and'],
  ['a b c I', 'a b c I'],
  [`${' '.repeat(1998)}oslo`, 'os'],
  ['', ''],
])('searchQuery turns %j into %j', (question, query) => {
  expect(searchQuery(question)).toBe(query)
})

it('subjectWords omits stop words, and searchKeys normalises case, accents and endings', () => {
  expect([...subjectWords("The cat's night-train, and Über-cool 'quotes' 2 x2; X2")]).toEqual([
    "cat's",
    'night-train',
    'Über-cool',
    'quotes',
    '2',
    'x2',
  ])
  expect([...subjectWords('…')]).toEqual([])
  const text = "Baking baked bakes cities running night-train café don't it's stress bus a-b"
  expect([...searchKeys(text)].join(' ')).toBe(
    "bak city run night-train night train caf don't don it's it stres bus a-b",
  )
})

it.each<[text: string, tokens: string[]]>([
  ["don't stop", ['don', "'", 't', ' stop']],
  ['Hello, World!', ['Hello', ',', ' World', '!']],
  ['a1 b2', ['a1', ' b2']],
  ['x'.repeat(20), ['x'.repeat(8), 'x'.repeat(8), 'xxxx']],
  ['123456789', ['12345678', '9']],
  ['a  b\n\nc', ['a', '  ', 'b', '\n\n', 'c']],
  ['[docs](https://a.b/c)', ['[docs](https://a.b/c)']],
  ['naïve café', ['naïve', ' café']],
  ['日本語 한국 abc語', ['日', '本', '語', ' 한', '국', ' abc', '語']],
  ['...!!', ['...!!']],
  ['a-b_c', ['a', '-', 'b', '_', 'c']],
  ['🦊é!', ['🦊', 'é', '!']],
  ['é…', ['é', '…']],
  ['é ', ['é', ' ']],
])('tokenize splits %j', (text, tokens) => {
  expect(tokenize(text)).toEqual(tokens)
})

describe('embed', () => {
  const rounded = (numbers: Iterable<number>) => Array.from(numbers, (each) => Number(each.toFixed(5)))

  it('returns the same vectors as in earlier versions', () => {
    expect(['a', 'the tides', '', 'Ebb & flow, ebb'].map((text) => rounded(embed(text, 'key', 3)))).toEqual([
      [-0.68041, 0.27217, 0.68041],
      [0.28222, 0.94072, -0.18814],
      [-0.889, -0.254, 0.381],
      [-0.45325, -0.74168, 0.49445],
    ])
  })

  it.each<[dimensions: number, last: number[]]>([
    [1, [1]],
    [63, [-0.21348, -0.28464, 0.11644]],
    [64, [-0.28459, 0.11642, -0.0194]],
    [65, [-0.09858, -0.1183, 0.2366]],
    [200, [0.05633, -0.19153, -0.02253]],
  ])('returns a unit vector (dimensions: %i)', (dimensions, last) => {
    const vector = embed('How do tides work in the tides of Oslo?', 'key', dimensions)
    expect(vector).toHaveLength(dimensions)
    expect(rounded(vector.slice(-3))).toEqual(last)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })
})

it('modelsIn returns the model and up to twenty fallback models, without duplicates', () => {
  expect(
    [
      undefined,
      {},
      { models: [] },
      { models: ['b'] },
      { model: 'a', models: ['b', 'a', 1, 'b'] },
      { model: 'a', models: 'b' },
    ].map(modelsIn),
  ).toEqual([undefined, undefined, undefined, ['b'], ['a', 'b'], undefined])
  const models = Array.from({ length: 25 }, (_, index) => `m${index}`)
  expect(modelsIn({ model: 'm', models })).toEqual(['m', ...models.slice(0, 20)])
})
