import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Tests that take seconds or start real programs. `npm test` skips them. */
const slow = [
  'test/**/*.slow.test.ts',
  'test/e2e/**/*.test.ts',
  'test/package/*.test.ts',
  'test/consumers/*.test.ts',
]

/** The package's entries, so that examples can import them by name. */
const entries = ['msw', 'node', 'vitest', 'playwright', 'remote', 'serve', 'verdicts'].map((entry) => ({
  find: `gateway-understudy/${entry}`,
  replacement: new URL(`src/${entry}.ts`, import.meta.url).pathname,
}))
const alias = [
  ...entries,
  { find: /^gateway-understudy$/, replacement: new URL('src/index.ts', import.meta.url).pathname },
]

/** Writes one report per npm script. `.ci/run` adds up their counts. */
const report = `test-results/${(process.env['npm_lifecycle_event'] ?? 'vitest').replace(':', '-')}.json`

export default defineConfig({
  test: {
    // Sandboxes isolate tests, so files can share a process. This halves the run time.
    isolate: false,
    // Isolation tests run up to 50 tests concurrently.
    maxConcurrency: 50,
    // CI machines are noisy, so tests that depend on real time may be retried once. Retries are reported.
    retry: process.env['CI'] ? 1 : 0,
    // One more than there are cores, because many tests wait for real timers: 39 s instead of 46 s on two cores.
    maxWorkers: availableParallelism() + 1,
    reporters: process.env['CI'] ? ['dot', ['json', { outputFile: report }]] : ['default'],
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'quick',
          // Long enough for a machine under load.
          testTimeout: 15_000,
          hookTimeout: 15_000,
          include: ['test/**/*.test.ts'],
          exclude: [...slow, 'test/consumers/**'],
        },
      },
      {
        // Runs the specification's tests with MSW 2 instead of MSW 3.
        resolve: {
          alias: [
            ...alias,
            { find: /^msw$/, replacement: 'msw2' },
            { find: /^msw\/node$/, replacement: 'msw2/node' },
          ],
        },
        test: {
          name: 'msw2',
          testTimeout: 15_000,
          hookTimeout: 15_000,
          include: [
            'test/operations/**/*.test.ts',
            'test/delivery/msw.test.ts',
            'test/delivery/leaks.test.ts',
            'test/faults/{adapters,pairs}.test.ts',
            'test/vitest/fixtures.test.ts',
          ],
          env: { UNDERSTUDY_MSW: '2' },
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'specified',
          testTimeout: 15_000,
          include: ['test/operations/**/*.test.ts'],
          setupFiles: ['test/only-specified.ts'],
          env: { UNDERSTUDY_TEST_ONLY_SPECIFIED: '1' },
        },
      },
      {
        test: {
          name: 'slow',
          include: slow,
          globalSetup: ['test/package/pack.ts', 'test/extras/console/unpack-browser.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
