import { describe, expect, it } from 'vitest'
import { joinLines, oneLine, truncate } from '../../src/lib/one-line.ts'

describe('truncate', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['ab😀', 4, 'ab😀'],
    ['ab😀', 3, 'ab\uFFFD…'],
  ])('truncates %j to %i UTF-16 units: %j', (text, max, short) => {
    expect(truncate(text, max)).toBe(short)
  })
})

describe('oneLine', () => {
  it('omits the middle of text longer than 1,000 characters', () => {
    const line = 'a'.repeat(700) + 'b'.repeat(300)
    expect(oneLine(line)).toBe(line)
    expect(oneLine(`${line}c`)).toBe(`${'a'.repeat(700)} … ${'b'.repeat(299)}c`)
    expect(oneLine(`${'a'.repeat(699)}😀${'b'.repeat(300)}`)).toBe(
      `${'a'.repeat(699)}\uFFFD … ${'b'.repeat(300)}`,
    )
  })
})

describe('joinLines', () => {
  it('replaces line breaks and surrounding whitespace with one space', () => {
    expect(joinLines(' one \r\n\n  two\rthree\n')).toBe('one two three')
  })
})
