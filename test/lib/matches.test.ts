import { expect, it } from 'vitest'
import { matches } from '../../src/lib/equal.ts'

it.each<[value: unknown, wanted: unknown, has: boolean]>([
  [1, 1, true],
  [1, 2, false],
  [Number.NaN, Number.NaN, true],
  [null, null, true],
  [null, {}, false],
  [{}, null, false],
  [1, {}, false],
  [{}, 1, false],
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, b: 2 }, { a: 1, b: undefined }, false],
  [{}, { a: expect.anything() }, false],
  [{ a: { b: 1, c: 2 } }, { a: { c: 2 } }, true],
  [{ a: { b: 1 } }, { a: { b: 2 } }, false],
  [{}, { toString: Object.prototype.toString }, false],
  [[1, { a: 1, b: 2 }], [1, { a: 1 }], true],
  [[1, 2], [1], false],
  [[1], [1, 2], false],
  [{ 0: 1, length: 1 }, [1], false],
  [[1], { 0: 1 }, false],
  [[], [], true],
])('matches(%j, %j) returns %s', (value, wanted, has) => {
  expect(matches(value, wanted)).toBe(has)
})
