import { expect, it } from 'vitest'
import { oneLine, shortened, withoutBreaks } from '../../src/lib/one-line.ts'

it.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['ab😀', 4, 'ab😀'],
  ['ab😀', 3, 'ab\uFFFD…'],
])('%j is shortened to %i units as %j', (text, max, short) => {
  expect(shortened(text, max)).toBe(short)
})

it('a line of over 1,000 characters loses its middle', () => {
  const line = 'a'.repeat(700) + 'b'.repeat(300)
  expect(oneLine(line)).toBe(line)
  expect(oneLine(`${line}c`)).toBe(`${'a'.repeat(700)} … ${'b'.repeat(299)}c`)
  expect(oneLine(`${'a'.repeat(699)}😀${'b'.repeat(300)}`)).toBe(
    `${'a'.repeat(699)}\uFFFD … ${'b'.repeat(300)}`,
  )
})

it('line breaks and the blanks around them are one space', () => {
  expect(withoutBreaks(' one \r\n\n  two\rthree\n')).toBe('one two three')
})
