/**
 * What is published: one file for each entry, and chunks for what they share. What is large and seldom needed is
 * installed beside it: faker, re2js, yaml.
 */
import { defineConfig, type TsdownPlugin } from 'tsdown'

/** The packages inside. What they ask of those who pass them on is met by LICENSE. */
export const bundled = [
  '@hono/node-server',
  '@msw/data',
  '@noble/hashes',
  '@standard-schema/spec',
  '@scalar/openapi-upgrader',
  'commander',
  'es-toolkit',
  'eventsource-parser',
  'hono',
  'mutative',
  'outvariant',
  'rettime',
  'zod',
]

/** Sources of others are half of a source map, and nobody steps through them. */
const ownSourcesOnly: TsdownPlugin = {
  name: 'own-sources-only',
  transform: {
    filter: { id: /node_modules/ },
    handler: (code) => ({ code, map: { mappings: '' } }),
  },
}

export default defineConfig({
  entry: ['index', 'core', 'node', 'vitest', 'playwright', 'remote', 'serve', 'bin'].map(
    (name) => `src/${name}.ts`,
  ),
  platform: 'neutral',
  target: 'node22.12',
  fixedExtension: false,
  dts: true,
  sourcemap: true,
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
  deps: { neverBundle: [/^node:/], onlyBundle: bundled },
  plugins: [ownSourcesOnly],
  // Zod's translations, none of which are left in the bundle; and that declarations come from TypeScript 7.
  suppressWarnings: [/CommonJS dts syntax/, /TypeScript 7\.0/],
  report: false,
})
