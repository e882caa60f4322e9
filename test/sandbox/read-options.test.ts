import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway } from '../../src/index.ts'
import { readOptions } from '../../src/sandbox/read-options.ts'

const checks = {
  one: () => z.strictObject({ field: z.string().optional() }),
  many: () => z.strictObject(Object.fromEntries([...'abcdef'].map((name) => [name, z.string().optional()]))),
  named: () => z.record(z.string(), z.number()),
  nested: () => z.strictObject({ inner: z.union([z.strictObject({ x: z.number() })]).optional() }),
  list: () => z.array(z.string()),
}

describe('readOptions()', () => {
  it.each<[object, string]>([
    [{ one: 7 }, 'options.one must be an object, got 7; write { field: … }'],
    [{ many: 7 }, 'options.many must be an object, got 7; write { a: …, b: …, c: …, d: …, e: … }'],
    [{ named: 7 }, 'options.named must be an object, got 7'],
    [{ nested: { inner: { y: 1 } } }, "unknown option 'nested.inner.y'; did you mean 'x'?"],
    [{ list: 'a' }, "options.list must be a list, got 'a'; write ['a']"],
    [{ one: { field: 7 } }, 'options.one.field must be a string, got 7'],
    [{ one: 7, other: 1 }, "unknown option 'other'; expected one of one, many, named, nested, list"],
    [{ maxRetries: 1 }, "unknown option 'maxRetries'; it is a client option"],
    [{ one: { maxRetries: 1 } }, "unknown option 'one.maxRetries'; expected one of field"],
  ])('rejects %j with the fix', (options, message) => {
    expect(() => readOptions(checks, options, 'f()')).toThrow(new TypeError(`f(): ${message}`))
  })

  it('reports an unknown option rather than an invalid value', () => {
    expect(() => createGateway({ timeScale: -1, seeed: 1 } as object)).toThrow(
      "createGateway: unknown option 'seeed'; did you mean 'seed'?",
    )
  })
})
