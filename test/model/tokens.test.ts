import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTokens, tokenize } from '../../src/model/tokens.ts'

/** Generates text that is hard to split: combining accents, emoji sequences, flags, line endings, links. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(
        '👩‍👩‍👧‍👦',
        '🇫🇮🇸🇪',
        'e\u0301',
        'ก็',
        '\r\n',
        ' ',
        '[',
        '](',
        ' [docs.example](https://docs.example/a_(b))',
      ),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(''))

describe('tokenize', () => {
  it('returns tokens that concatenate to the original text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tokenize(text).join('')).toBe(text)
      }),
    )
  })

  it('returns as many tokens as countTokens counts', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(countTokens(text)).toBe(tokenize(text).length)
      }),
    )
  })

  it('never splits a grapheme', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    fc.assert(
      fc.property(anyText, (text) => {
        const starts = new Set(Array.from(segmenter.segment(text), ({ index }) => index)).add(text.length)
        let end = 0
        for (const token of tokenize(text)) {
          end += token.length
          expect(token).not.toBe('')
          expect(starts).toContain(end)
        }
      }),
    )
  })

  it('returns the same tokens when the text is truncated after a token', () => {
    fc.assert(
      fc.property(anyText, fc.nat(10), (text, count) => {
        const tokens = tokenize(text).slice(0, count)
        expect(tokenize(tokens.join(''))).toEqual(tokens)
      }),
    )
  })

  it('returns the same tokens for plain text when more text follows', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'ab1 .,[]()\n\t"') }).map((text) => text.trimEnd())
    fc.assert(
      fc.property(plain, (text) => {
        expect(tokenize(`${text}[é`).slice(0, -2)).toEqual(tokenize(text))
      }),
    )
  })

  it.each([
    ['Hello there, world', ['Hello', ' there', ',', ' world']],
    ['internationalisation', ['internat', 'ionalisa', 'tion']],
    ['a  b', ['a', '  ', 'b']],
    ['{"a":[1,2]}', ['{"', 'a', '":', '[', '1', ',', '2', ']}']],
    ['naïve 👩‍👩‍👧 café', ['naïve', ' 👩‍👩‍👧', ' café']],
    [
      '(see [a.example](https://a.example/x_(y)).)',
      ['(', 'see', ' [a.example](https://a.example/x_(y))', '.)'],
    ],
    ['', []],
  ])('splits %j into runs of up to eight characters', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens)
  })
})
