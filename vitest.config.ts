import { defineConfig } from 'vitest/config'

/** What takes seconds, or real programs; `npm test` leaves it out. */
const slow = [
  'test/**/*.slow.test.ts',
  'test/e2e/**/*.test.ts',
  'test/package/*.test.ts',
  'test/consumers/*.test.ts',
]

/** Examples name the package as its users do. */
const ourselves = ['msw', 'node', 'vitest', 'playwright', 'remote', 'serve'].map((entry) => ({
  find: `gateway-understudy/${entry}`,
  replacement: new URL(`src/${entry}.ts`, import.meta.url).pathname,
}))
const alias = [
  ...ourselves,
  { find: /^gateway-understudy$/, replacement: new URL('src/index.ts', import.meta.url).pathname },
]

/** One report for each npm script: `.ci/run` counts in them. */
const report = `test-results/${(process.env['npm_lifecycle_event'] ?? 'vitest').replace(':', '-')}.json`

export default defineConfig({
  test: {
    // Each test has a sandbox of its own, so files need no process of their own: half the time.
    isolate: false,
    // The tests about isolation are as many as they say at the same time.
    maxConcurrency: 50,
    // Shared machines are noisy: what depends on real time gets a second try there, and is told as a retry.
    retry: process.env['CI'] ? 1 : 0,
    // As many as there are cores; the default is one fewer.
    maxWorkers: '100%',
    reporters: process.env['CI'] ? ['dot', ['json', { outputFile: report }]] : ['default'],
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'quick',
          // On a machine under load, too.
          testTimeout: 15_000,
          hookTimeout: 15_000,
          include: ['test/**/*.test.ts'],
          exclude: [...slow, 'test/consumers/**', 'test/tools/bench/**'],
        },
      },
      {
        // The specification once more, with MSW 2 in the place of MSW 3.
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
            'test/faults/adapters.test.ts',
            'test/vitest/fixtures.test.ts',
          ],
          env: { UNDERSTUDY_MSW: '2' },
        },
      },
      {
        test: {
          name: 'slow',
          include: slow,
          globalSetup: 'test/package/pack.ts',
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
