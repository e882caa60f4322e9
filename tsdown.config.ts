/**
 * What is published: one file for each entry, and chunks for what they share. What is large and seldom needed is
 * installed beside it: faker, re2js, yaml.
 */
import { defineConfig, type UserConfig } from 'tsdown'

/** The packages inside. What they ask of those who pass them on is met by LICENSE. */
export const bundled = [
  '@hono/node-server',
  '@msw/data',
  '@noble/hashes',
  '@scalar/helpers',
  '@scalar/helpers',
  '@scalar/openapi-upgrader',
  '@standard-schema/spec',
  '@scalar/openapi-upgrader',
  'commander',
  'es-toolkit',
  'eventsource-parser',
  'hono',
  'mustache',
  'mutative',
  'outvariant',
  'rettime',
  'zod',
]

/** Without source maps, which would be twice as large as the code; names are kept for stack traces. */
const common: UserConfig = {
  target: 'node22.12',
  fixedExtension: false,
  dts: true,
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
  deps: { neverBundle: [/^node:/], onlyBundle: bundled },
  // Zod's translations, none of which are left in the bundle; and that declarations come from TypeScript 7.
  suppressWarnings: [/CommonJS dts syntax/, /ESM format/, /TypeScript 7\.0/],
  report: false,
}

const sources = (names: readonly string[]) => names.map((name) => `src/${name}.ts`)

export default defineConfig([
  {
    ...common,
    entry: sources(['index', 'core', 'node', 'vitest', 'playwright', 'remote', 'serve', 'bin']),
    platform: 'neutral',
  },
  {
    // For Jest as it comes, which can load no ES module: the entries that need no MSW.
    ...common,
    entry: sources(['core', 'node', 'remote', 'serve']),
    format: 'cjs',
    platform: 'node',
    clean: false,
    outputOptions: { dynamicImportInCjs: false },
  },
])
