/** Runs one kind of arbitrary input with a seed, and defines the values that several kinds share. */
import fc from 'fast-check'

export interface Outcome {
  /** Cases that were valid. All others were rejected as they should be. */
  readonly accepted: number
  readonly violations: readonly string[]
}

/** Number of cases that share a gateway. Not all cases are in memory at once. */
const batchSize = 2000

/**
 * @param start Prepares a batch. The function it returns tries one case: it returns true if the case was accepted, and
 * throws for a violation.
 */
export function part<Case>(
  name: string,
  arbitrary: fc.Arbitrary<Case>,
  start: () => (each: Case) => boolean | Promise<boolean>,
) {
  return {
    name,
    async run(count: number, seed: number): Promise<Outcome> {
      const violations: string[] = []
      let accepted = 0
      for (let done = 0; done < count; done += batchSize) {
        const attempt = start()
        const size = { numRuns: Math.min(batchSize, count - done), seed: seed * 1_000_000 + done }
        for (const each of fc.sample(arbitrary, size)) {
          try {
            if (await attempt(each)) accepted++
          } catch (error) {
            violations.push(`${name}: ${(error as Error).stack}: ${JSON.stringify(each).slice(0, 500)}`)
          }
        }
      }
      return { accepted, violations }
    },
  }
}

const words = (
  'aurora/dawn-2 @preset/code-review model input stream tools type function parameters max_results from_date role user ' +
  'slug metadata __proto__ constructor length $ref #/$defs/a pattern properties gateway:web_search listProviders ' +
  '{{input}} {{ (a+)+$ [DONE]'
).split(' ')
export const text = fc.oneof(
  fc.constantFrom(...words, '', '\n\n'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 6 }).map((any) => any.toWellFormed()),
)
const edges = fc.constantFrom(0.5, -0, 1e-320, 1e9, 2 ** 31, 2 ** 53, 1e308)
export const number = fc.oneof(fc.integer({ min: -1, max: 5 }), fc.integer(), edges)
export const few = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 3 })
export const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })
export const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    text,
    number,
    fc.constantFrom(null, true, false),
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(text, tie('json'), { maxKeys: 6 }),
  ),
}))
