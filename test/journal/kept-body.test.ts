/** How much of a body the journal keeps: whole characters, and the number of bytes that it does not. */
import { expect, it } from 'vitest'
import { KeptBody } from '../../src/journal/kept-body.ts'

function kept(limit: number, parts: ReadonlyArray<string | Uint8Array>) {
  const body = new KeptBody()
  const grown = parts.map((part) => body.add(part, limit))
  expect(grown.reduce((sum, bytes) => sum + bytes, 0)).toBe(body.heldBytes)
  const { text, bytes, cut } = body
  return { text, bytes, cut }
}

const bytes = (text: string) => new TextEncoder().encode(text)

it.each([
  [['abcde'], { text: 'abcde', bytes: 5, cut: 0 }],
  [['abcdef'], { text: 'abcde', bytes: 5, cut: 1 }],
  [['abcdef', 'gh'], { text: 'abcde', bytes: 5, cut: 3 }],
  [['abc', 'def', '', 'gh'], { text: 'abcde', bytes: 5, cut: 3 }],
  [['abcde', 'f', 'g'], { text: 'abcde', bytes: 5, cut: 2 }],
  [['ab', 'cü', 'xy'], { text: 'abcü', bytes: 5, cut: 2 }],
  // Nothing comes after what was cut, although there is room.
  [['abcdü', 'x'], { text: 'abcd', bytes: 4, cut: 3 }],
])('of five bytes keeps %j', (parts, expected) => {
  expect(kept(5, parts)).toEqual(expected)
  expect(kept(5, parts.map(bytes))).toEqual(expected)
})
