/** Runs one kind of arbitrary input in seeded batches, and counts what was accepted. */
import fc from 'fast-check'

export interface Part {
  readonly name: string
  run(count: number, seed: number): Promise<Outcome>
}

export interface Outcome {
  readonly cases: number
  /** Cases that were valid. All others were rejected as they should be. */
  readonly accepted: number
  readonly violations: readonly string[]
  /** Longest time of one case in milliseconds of CPU time. */
  readonly slowestMs: number
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
): Part {
  return {
    name,
    async run(count, seed) {
      const violations: string[] = []
      let accepted = 0
      let slowestMs = 0
      for (let done = 0; done < count; done += batchSize) {
        const attempt = start()
        const size = { numRuns: Math.min(batchSize, count - done), seed: seed * 1_000_000 + done }
        for (const each of fc.sample(arbitrary, size)) {
          const from = process.threadCpuUsage()
          try {
            if (await attempt(each)) accepted++
          } catch (error) {
            violations.push(`${name}: ${(error as Error).stack}: ${JSON.stringify(each).slice(0, 500)}`)
          }
          const { user, system } = process.threadCpuUsage(from)
          slowestMs = Math.max(slowestMs, (user + system) / 1000)
        }
      }
      return { cases: count, accepted, violations, slowestMs }
    },
  }
}
