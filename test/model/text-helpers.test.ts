/** Tests text helpers: quoting, search words, tokens, and fallback models. */
import { expect, it } from 'vitest'
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
