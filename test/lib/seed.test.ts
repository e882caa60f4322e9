/**
 * Pins values from the random generator. Changing them would change the data for every seed.
 */
import { describe, expect, it } from 'vitest'
import { draw, hash, random, uuid } from '../../src/lib/seed.ts'

describe('seeded random functions', () => {
  it.each([
    [[], 'a6d5df85b7e4b0af'],
    [[''], '409b4f60dcb3e0e0'],
    [['a'], '7abc9adb8042686d'],
    [['ab', 'c'], 'c2070608ab84d829'],
    [['a', 'bc'], 'c9ce901816147c7e'],
    [[1], 'dd6b5fcbe6616c4c'],
    [['1'], 'ee8d7dd6c8fcfdde'],
    [['日本', 7], '37ed90a3cc10e6cf'],
  ])('hash %j to the same digits', (labels, digits) => {
    expect(hash(...labels)).toBe(digits)
  })

  it('hash to 16 digits, even if the first ones are zeros', () => {
    const hashes = Array.from({ length: 100 }, (_, label) => hash(label))
    expect(hashes.filter((each) => !/^[\da-f]{16}$/.test(each))).toEqual([])
    expect(hashes.some((each) => each.startsWith('0'))).toBe(true)
  })

  it('return the same sequence of numbers', () => {
    const next = random('golden', 1)
    expect([next(), next(), next(), next(), next()]).toEqual([
      0.06728417798876762, 0.3945700586773455, 0.8473830397706479, 0.5145406543742865, 0.12487089424394071,
    ])
    const other = random()
    expect([other(), other()]).toEqual([0.16337048006244004, 0.28846371290273964])
  })

  it('return the same 10,000th number', () => {
    const next = random('long')
    for (let count = 1; count < 10_000; count++) next()
    expect(next()).toBe(0.45155741297639906)
  })

  it("include draw(), which returns the sequence's first number", () => {
    expect(draw('golden', 1)).toBe(0.06728417798876762)
  })

  it('return the same version 4 UUIDs', () => {
    expect([1, 2, 3].map((label) => uuid('golden', label))).toEqual([
      '8dc371f6-d7bf-41aa-8e11-9ec39fe74bd4',
      'bfb587df-77c2-4a45-b04b-8c07471a600a',
      '93d4a80a-9422-4f1e-ae66-3a58ee5ec1ff',
    ])
  })
})

describe('random', () => {
  it('distributes numbers evenly over [0, 1)', () => {
    const next = random('spread')
    const tenths = Array<number>(10).fill(0)
    for (let count = 0; count < 20_000; count++) {
      const number = next()
      expect(number >= 0 && number < 1).toBe(true)
      tenths[Math.floor(number * 10)] = (tenths[Math.floor(number * 10)] ?? 0) + 1
    }
    expect(Math.min(...tenths)).toBeGreaterThan(1850)
    expect(Math.max(...tenths)).toBeLessThan(2150)
  })
})
