/** Long suites run a seeded sample of their cases by default, and all of them with `npm run test:all`. */

/** If true, long suites run all of their cases. */
export const isFullRun = process.env['UNDERSTUDY_FULL_RUN'] === '1'

/** Returns the number of cases to run: `part` by default, `all` in a full run. */
export function cases(part: number, all: number): number {
  return isFullRun ? all : part
}
