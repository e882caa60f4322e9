/** The count of what a gateway holds, at its limit to the byte. */
import { expect, it } from 'vitest'
import { HeldBytes } from '../../src/journal/held-bytes.ts'

/** A count of 100 bytes at most, with records of 30, the oldest of which are let go. */
function begin() {
  const held = new HeldBytes(100)
  const kept: object[] = []
  const keeper = {
    dropOldest() {
      held.removeRecord(kept.shift() as object)
      held.grow(-30)
    },
  }
  const add = () => {
    const record = {}
    kept.push(record)
    held.addRecord(record, keeper)
    held.grow(30)
  }
  return { held, kept, add }
}

it('lets the oldest record go with the first byte above the limit, and no more than it must', () => {
  const { held, kept, add } = begin()
  for (let turn = 0; turn < 3; turn++) add()
  held.grow(10)
  expect([held.bytes, kept.length]).toEqual([100, 3])
  held.grow(1)
  expect([held.bytes, kept.length]).toEqual([71, 2])
  held.grow(29)
  expect([held.bytes, kept.length]).toEqual([100, 2])
})

it('makes room for what fits to the byte, and refuses one more', () => {
  const { held, kept, add } = begin()
  for (let turn = 0; turn < 2; turn++) add()
  held.assertRoom(40)
  expect(kept).toHaveLength(2)
  held.assertRoom(41)
  expect(kept).toHaveLength(1)
  held.weigh({}, 50)
  held.assertRoom(50)
  expect([held.bytes, kept.length]).toEqual([50, 0])
  expect(() => held.assertRoom(51)).toThrow(/holds as much as it may, 0 MB/)
})

it('lets records go in their order, also those that come when all others are gone', () => {
  const { held, kept, add } = begin()
  for (let turn = 0; turn < 5; turn++) add()
  expect([held.bytes, kept.length]).toEqual([90, 3])
  held.weigh({}, 101)
  expect([held.bytes, kept.length]).toEqual([101, 0])
  add()
  expect([held.bytes, kept.length]).toEqual([101, 0])
})

it('counts a thing by its last weight', () => {
  const { held } = begin()
  const thing = {}
  for (const weight of [20, 50, 0, 0, 10]) held.weigh(thing, weight)
  expect(held.bytes).toBe(10)
})
