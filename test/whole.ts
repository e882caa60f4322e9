/**
 * Long suites run a seeded part of themselves, and all of it in `npm run test:all`.
 */

/** Whether the long suites run whole. */
export const isWhole = process.env['UNDERSTUDY_WHOLE'] === '1'

/** How many cases a long suite runs: a part, or all. */
export function cases(part: number, all: number): number {
  return isWhole ? all : part
}
