/** Tests helpers for values: equality, globs, paths and suggestions. */
import { describe, expect, it, vi } from 'vitest'
import { didYouMean, nearest } from '../../src/lib/did-you-mean.ts'
import { equal } from '../../src/lib/equal.ts'
import { compileGlob } from '../../src/lib/glob.ts'
import { RecentMap } from '../../src/lib/recent-map.ts'
import { editAt, readAll, readAt, readPath } from '../../src/lib/value-path.ts'

describe('equal', () => {
  it.each<[left: unknown, right: unknown, areEqual: boolean]>([
    [1, 1, true],
    [1, '1', false],
    [null, null, true],
    [{}, null, false],
    [1, {}, false],
    [[], {}, false],
    [{}, [], false],
    [[1, { a: 2 }], [1, { a: 2 }], true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ toString: undefined }, { a: undefined }, false],
    [{ a: { b: [1] } }, { a: { b: [2] } }, false],
  ])('compares %j with %j: %s', (left, right, areEqual) => {
    expect(equal(left, right)).toBe(areEqual)
  })
})

describe('compileGlob', () => {
  it.each<[glob: string, matching: string[], others: string[]]>([
    ['a', ['a'], ['', 'ab', 'ba', 'aa']],
    ['*b', ['b', 'ab'], ['ba']],
    ['*', ['', 'a'], []],
    ['ab*ba', ['abba', 'abcba'], ['aba', 'ab', 'ba']],
    ['*b*', ['b', 'abc'], ['a', '']],
    ['a*b*c*d', ['abcd', 'axbxcxd', 'abcbcd'], ['acbd', 'abd', 'abc', 'bcd']],
    ['a*bb*b', ['abbb', 'abbxb'], ['abb', 'ab']],
    ['a*aa*a', ['aaaa'], ['aaa', 'aa']],
    ['a.*', ['a.b'], ['ab']],
  ])('returns a predicate for %s', (glob, matching, others) => {
    const test = compileGlob(glob)
    for (const name of matching) expect(test(name), name).toBe(true)
    for (const name of others) expect(test(name), name).toBe(false)
  })
})

describe('value paths', () => {
  const value = { a: [{ b: 1 }, { b: 2 }, { c: 3 }], d: null, e: '' }

  it('accept dots and brackets', () => {
    for (const text of ['data.0.slug', 'data[0].slug', '.data..[0]slug'])
      expect(readPath(text)).toEqual(text.startsWith('.') ? ['data', '0slug'] : ['data', '0', 'slug'])
    expect(readPath('a[x y].*')).toEqual(['a', 'x y', '*'])
    expect(readPath('')).toEqual([])
  })

  it.each<[path: string, one: unknown, all: unknown[]]>([
    ['', value, [value]],
    ['a.1.b', 2, [2]],
    ['a.*.b', undefined, [1, 2]],
    ['d', null, [null]],
    ['d.a', undefined, []],
    ['e.length', undefined, []],
    ['a.0.b.c', undefined, []],
    ['x', undefined, []],
    ['toString', undefined, []],
    ['__proto__', undefined, []],
    ['*', undefined, [value.a, null, '']],
    ['a.3', undefined, []],
  ])('find the values at %j', (path, one, all) => {
    expect(readAt(value, readPath(path))).toBe(one)
    expect(readAll(value, readPath(path))).toEqual(all)
  })

  it("ignore an array's length, but not a field named length", () => {
    expect(readAll({ a: [1] }, ['a', 'length'])).toEqual([])
    expect(readAll({ a: { length: 7 } }, ['a', 'length'])).toEqual([7])
  })

  it.each<[path: string, change: (value: unknown) => unknown, changed: unknown]>([
    ['', () => 1, 1],
    ['a.1.b', () => 'x', { ...value, a: [{ b: 1 }, { b: 'x' }, { c: 3 }] }],
    ['a.*.b', (each) => Number(each) * 10, { ...value, a: [{ b: 10 }, { b: 20 }, { c: 3 }] }],
    ['a.1', () => undefined, { ...value, a: [{ b: 1 }, { c: 3 }] }],
    ['a.*', () => undefined, { ...value, a: [] }],
    ['d', () => undefined, { a: value.a, e: '' }],
    ['d.x', () => 1, value],
    ['x.y', () => 1, value],
    ['a.length', () => 1, value],
  ])('change %j in a copy', (path, change, changed) => {
    const before = structuredClone(value)
    expect(editAt(value, readPath(path), change)).toEqual(changed)
    expect(value).toEqual(before)
  })
})

describe('nearest', () => {
  it.each<[word: string, words: string[], suggestion: string | undefined]>([
    ['times', ['times'], 'times'],
    ['TIMES', ['times'], 'times'],
    ['tims', ['delay', 'times', 'tines'], 'times'],
    ['time', ['timers', 'times'], 'times'],
    ['ab', ['abcde'], undefined],
    ['ab', ['cd'], 'cd'],
    ['abc', ['xyz'], undefined],
    ['abcdefgh', ['abcdexyz'], undefined],
    ['abcdefghi', ['abcdefxyz'], 'abcdefxyz'],
    ['abcdefghi', ['abcdefghiwxyz'], undefined],
    ['kitten', ['sitting'], undefined],
    ['abab', ['baba'], 'baba'],
    ['', ['abc'], undefined],
    ['a', [], undefined],
    ['a'.repeat(200), ['a'.repeat(199)], 'a'.repeat(199)],
    ['a'.repeat(201), ['a'.repeat(201)], undefined],
  ])('given %j and the words %j, returns %j', (word, words, suggestion) => {
    expect(nearest(word, words)).toBe(suggestion)
  })
})

describe('didYouMean', () => {
  it('suggests the nearest word, or lists all words', () => {
    expect(didYouMean('tims', ['delay', 'times'])).toBe("; did you mean 'times'?")
    expect(didYouMean('other', ['delay', 'ab'])).toBe('; expected one of delay, ab')
    const words = Array.from({ length: 19 }, (_, index) => `word-${String.fromCharCode(97 + index)}`)
    expect(didYouMean('x', words)).toBe(`; expected one of ${words.join(', ')}`)
    expect(didYouMean('sun', ['mercury', 'moon', 'earth'])).toBe('; expected one of moon, earth, mercury')
    expect(didYouMean('x', [...words, 'x-ray-gun'])).toBe(
      '; expected one of 20, such as word-a, word-b, word-c, word-d, word-e',
    )
    expect(didYouMean('after', ['afterMs', 'every', 'afterDeltas'])).toBe(
      "; did you mean 'afterMs' or 'afterDeltas'?",
    )
    expect(didYouMean('af', ['afterMs', 'every'])).toBe('; expected one of afterMs, every')
    expect(didYouMean('aft', ['afterMs', 'every'])).toBe("; did you mean 'afterMs'?")
  })
})

describe('RecentMap', () => {
  const filled = (count: number) => {
    const map = new RecentMap<number>(1000)
    for (let index = 0; index < count; index++) map.set(`key ${index}`, index)
    return map
  }

  it('keeps as many keys as its capacity, and forgets the oldest after as many newer ones', () => {
    expect(filled(1000).get('key 0')).toBe(0)
    const [map] = [filled(2001)]
    expect([map.get('key 0'), map.get('key 1000')]).toEqual([undefined, 1000])
  })

  it('shares its entries with copies, instead of copying them', () => {
    const origin = filled(1000)
    origin.copy()
    const set = vi.spyOn(Map.prototype, 'set')
    for (let index = 0; index < 20; index++) {
      origin.set(`later ${index}`, index)
      origin.copy()
    }
    const copied = set.mock.calls.length
    set.mockRestore()
    expect(copied).toBeLessThan(200)
    expect(['key 0', 'later 0', 'new'].map((key) => origin.get(key))).toEqual([0, 0, undefined])
  })
})
