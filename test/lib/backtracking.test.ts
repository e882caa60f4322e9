/** Tests how much text a regular expression may search, and why expressions are rejected. */
import { expect, it } from 'vitest'
import { backtracking } from '../../src/lib/backtracking.ts'

const exponential = (token: string) =>
  `it backtracks exponentially, because nested or overlapping repetitions of '${token}' can match the same text in several ways: repeat it in one place only, as in ${token}+`
const slow = (power: number) =>
  `it may take 10^${power} steps on 5000 characters: use fewer repetitions that can match the same text`
const each = (quantifier: string) =>
  Array.from('abcdefghijklmnopqrstuvwxyz0123456789', (letter) => letter + quantifier).join('')

it.each<[source: string, flags: string, result: number | string]>([
  // An anchored search starts at one position, any other search at each position.
  ['^.*b', '', 1_000_000],
  ['^.*b', 'gy', 1_000_000],
  ['.*b', '', 5000],
  ['(?:^.*b)', '', 5000],
  ['^.*b|c', '', 5000],
  ['^.*b', 'm', 5000],
  // The work is multiplied by the length for each repetition that can match what follows it.
  ['^a*b.*c', '', 1_000_000],
  ['^a+b', '', 1_000_000],
  ['^a+b.+c', '', 1_000_000],
  ['^.*b.*c', '', 5000],
  ['^.+b.+c.+d', '', slow(11)],
  [`^${each('+')}`, '', 1_000_000],
  [each('+'), '', slow(8)],
  [each('?'), '', 1_000_000],
  // A group is one repetition, whatever its length.
  ['(?:ab)*c', '', 5000],
  ['^(?:ab)*.*c', '', 5000],
  ['^(?:ab?){2,}c', '', 1_000_000],
  ['(?:a?b|aab)+', '', 5000],
  ['(?:a{0,2}b|aab)+', '', exponential('a')],
  ['(?:a{2,3})+b', '', exponential('a')],
  // An upper limit counts as none.
  ['(?:a{2,3}){2}b', '', slow(11)],
  ['(?:a*b*)*c', '', exponential('a')],
  // Alternatives multiply the work only if they match the same text.
  ['(?:a|b){50}c', '', 100_000],
  ['(?:a|a){15}b', '', slow(9)],
  ['(|){40}b', '', slow(15)],
  ['(?:a|b|ab)*c', '', exponential('a')],
  ['(?:A|a)+', '', 5000],
  ['(?:A|a)+', 'i', exponential('A')],
  ['(?:.|\\n)+', '', 5000],
  ['(?:.|\\n)+', 's', exponential('.')],
  // Classes overlap if they share a character, including those next to the bounds of their ranges.
  ['(?:\\x61|a)+', '', exponential('\\x61')],
  ['(?:\\u0061|b)+', '', 5000],
  ['(?:\\0|\\u{0})+', 'u', exponential('\\0')],
  ['(?:[a\\u{10ffff}]|[b\\u{10ffff}])+', 'u', exponential('[a\\u{10ffff}]')],
  ['(?:[a𠀀-𠀂]|[^a𠀀𠀂])+', 'u', exponential('[a𠀀-𠀂]')],
  ['(?:\\p{Script=Han}|[^\\u2e80-\\u{2fa1c}\\u{30000}-\\u{10ffff}])+', 'u', exponential('\\p{Script=Han}')],
  ['(?:\\p{Script=Han}|[^\\u2e80-\\u{2ceae}\\u{2ceb1}-\\u{10ffff}])+', 'u', exponential('\\p{Script=Han}')],
  ['(?:\\p{Script=Han}|[^\\u2e80-\\u{10ffff}])+', 'u', 5000],
  // A class without a known character may match any.
  ['(?:\\p{Script=Cuneiform}|a)+', 'u', exponential('\\p{Script=Cuneiform}')],
  // Brackets are ordinary characters where they close nothing.
  ['(?:])+}{1', '', 5000],
  ['a{,2}', '', 1_000_000],
  ['(?:)', '', 1_000_000],
  ['(?:.{3}a|.{2}b)*', '', 5000],
  // A lookaround is tried once, in addition to what follows.
  ['(a)(?=b)', '', 1_000_000],
  ['(?<=\\$)\\d+', '', 5000],
  ['(?=.*\\d)(?=.*[a-z]).{8,}', '', 5000],
  ['(?:(?!</b>).)*', '', 5000],
  ['(?!(?:a|b|ab)*c)', '', exponential('a')],
  ['(?<!(?:a+)+)b', '', exponential('a')],
  ['(?i:a)', '', 'inline flags are not supported'],
  ['(a)\\1', '', 'the backreference \\1 is not supported'],
  ['(?<n>a)\\k<n>', '', 'the backreference \\k<n> is not supported'],
  ['a{120}', '', 100_000],
  ['a{24}|a{24}|a{25}|a{25}|a{26}', '', 100_000],
  ['a{600}', '', 5000],
  ['^a{4000}', '', 1_000_000],
  ['^(){1000000000}$', '', 'its repetitions expand to more than 4000 characters'],
  ['^a{4001}', '', 'its repetitions expand to more than 4000 characters'],
])('backtracking(/%s/%s) returns %j', (source, flags, result) => {
  const expected = typeof result === 'number' ? { maxText: result } : { problem: result }
  expect(backtracking(new RegExp(source, flags))).toEqual(expected)
})
