/** Tests how much text a regular expression may search, and why expressions are rejected. */
import { expect, it } from 'vitest'
import * as z from 'zod'
import { backtracking } from '../../src/lib/backtracking.ts'

const exponential = (loop: string) =>
  `it may backtrack exponentially, because the repetition ${loop} can match the same text in several ways`
const slow = (power: number) =>
  `it may take 10^${power} steps on 5000 characters: use fewer repetitions that can match the same text`
const complex = 'it is too complex to check'
const each = (quantifier: string) =>
  Array.from('abcdefghijklmnopqrstuvwxyz0123456789', (letter) => letter + quantifier).join('')

it.each<[source: string, flags: string, result: number | string]>([
  // An anchored search starts at one position, any other search at each position.
  ['^.*b', '', 1_000_000],
  ['^.*b', 'gy', 1_000_000],
  ['.*b', '', 5000],
  ['^.*b|^c', '', 1_000_000],
  ['^.*b|c', '', 5000],
  ['^.*b', 'm', 5000],
  // The work is multiplied by the length for each repetition that can match what follows it.
  ['^a*b.*c', '', 1_000_000],
  ['^a+b.+c', '', 1_000_000],
  ['^.*b.*c', '', 5000],
  ['^.+b.+c.+d', '', slow(11)],
  [`^${each('+')}`, '', 1_000_000],
  [each('+'), '', slow(8)],
  [each('?'), '', 1_000_000],
  ['a?'.repeat(600), '', slow(184)],
  ['(?:ab)*c', '', 5000],
  ['^(?:ab)*.*c', '', 5000],
  ['^(?:ab?){2,}c', '', 1_000_000],
  // In a loop, the next character must decide.
  ['^[a-z0-9]+(-[a-z0-9]+)*$', '', 1_000_000],
  ['(a+)+', '', exponential('(a+)+')],
  ['(?:a?b|aab)+', '', exponential('(?:a?b|aab)+')],
  ['(?:a{2,9})+b', '', exponential('(?:a{2,9})+')],
  ['(?:a*b*)*c', '', exponential('(?:a*b*)*')],
  ['(?:(?:(?:a.){2,5}(?:\\b)+){1,9}|b)x', '', exponential('(?:(?:a.){2,5}(?:\\b)+){1,9}')],
  ['(?:a|b){50}c', '', 1_000_000],
  ['(?:a|a){15}b', '', exponential('(?:a|a){15}')],
  ['(?:a|a){3}b', '', 1_000_000],
  ['(|){40}b', '', exponential('(|){40}')],
  ['(?:a|b|ab)*c', '', exponential('(?:a|b|ab)*')],
  ['(?:A|a)+', '', 5000],
  ['(?:A|a)+', 'i', exponential('(?:A|a)+')],
  ['(?:.|\\n)+', '', 5000],
  ['(?:.|\\n)+', 's', exponential('(?:.|\\n)+')],
  // Classes overlap if they share a character, including those next to the bounds of their ranges.
  ['(?:\\x61|a)+', '', exponential('(?:\\x61|a)+')],
  ['(?:\\u0061|b)+', '', 5000],
  ['(?:\\0|\\u{0})+', 'u', exponential('(?:\\0|\\u{0})+')],
  ['(?:[a\\u{10ffff}]|[b\\u{10ffff}])+', 'u', exponential('(?:[a\\u{10ffff}]|[b\\u{10ffff}])+')],
  ['(?:[a𠀀-𠀂]|[^a𠀀𠀂])+', 'u', exponential('(?:[a𠀀-𠀂]|[^a𠀀𠀂])+')],
  ['(?:\\p{Script=Han}|[^\\u2e80-\\u{10ffff}])+', 'u', 5000],
  // A class without a known character may match any.
  ['(?:\\p{Script=Cuneiform}|a)+', 'u', exponential('(?:\\p{Script=Cuneiform}|a)+')],
  // Brackets are ordinary characters where they close nothing.
  ['(?:])+}{1', '', 5000],
  ['a{,2}', '', 1_000_000],
  ['(?:)', '', 1_000_000],
  // A lookaround is tried once, in addition to what follows.
  ['(a)(?=b)', '', 1_000_000],
  ['(?<=\\$)\\d+', '', 5000],
  ['(?=.*\\d)(?=.*[a-z]).{8,}', '', 5000],
  ['(?:(?!</b>).)*', '', 5000],
  ['^(?:(?!.*b).)*c', '', 5000],
  ['(?!(?:a|b|ab)*c)', '', exponential('(?:a|b|ab)*')],
  ['(?<!(?:a+)+)b', '', exponential('(?:a+)+')],
  ['(?i:a)', '', 'inline flags are not supported'],
  ['(a)\\1', '', 'the backreference \\1 is not supported'],
  ['(?<n>a)\\k<n>', '', 'the backreference \\k<n> is not supported'],
  [`${'(?:'.repeat(12)}a${'){3}'.repeat(12)}`, '', complex],
  [`${'('.repeat(9000)}a${')'.repeat(9000)}`, '', complex],
])('backtracking(/%s/%s) returns %j', (source, flags, result) => {
  const expected = typeof result === 'number' ? { maxText: result } : { problem: result }
  expect(backtracking(new RegExp(source, flags))).toEqual(expected)
})

it.each([z.uuid(), z.ipv4(), z.ipv6(), z.base64(), z.iso.datetime(), z.iso.time(), z.iso.duration()])(
  "accepts zod's patterns",
  (schema) => {
    const { pattern = '' } = z.toJSONSchema(schema)
    expect(backtracking(new RegExp(pattern, 'u'))).toEqual({ maxText: 1_000_000 })
  },
)
