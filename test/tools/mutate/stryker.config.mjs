/** Configuration of `npm run mutate`, which reports changes to the sources that no quick test notices. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/tools/mutate/vitest.config.ts' },
  mutate: ['src/**/*.ts', '!src/extras/console/page/**', '!src/playwright.ts'],
  // Code that runs when a module loads would need all tests.
  ignoreStatic: true,
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { reportTests: false },
  thresholds: { high: 100, low: 92, break: 92 },
  tempDirName: join(tmpdir(), 'understudy-mutate'),
  ignorePatterns: ['dist', 'test-results'],
  // Stryker cannot rewrite the configuration with the API of TypeScript 7.
  tsconfigFile: 'none',
}
