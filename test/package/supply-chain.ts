/**
 * Generates .github/DEPENDENCIES.md from the lock file: every package that this one depends on, with its reason,
 * licence and size.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from '../../tsdown.config.ts'

const root = new URL('../../', import.meta.url).pathname
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))

/** Reasons for packages that users receive, either installed or bundled. */
const shipped: Record<string, string> = {
  preact: 'Renders the console.',
  '@preact/signals': "Holds the console's state.",
  '@preact/signals-core': 'Dependency of `@preact/signals`.',
  '@faker-js/faker': 'Generates records beyond the fixtures. Loaded on demand.',
  '@cfworker/json-schema': 'Checks values against JSON Schemas in requests.',
  '@msw/data': 'Stores the rows that a sandbox has changed.',
  '@noble/hashes': 'Computes SHA-256 hashes for recordings, in Node and in browsers.',
  '@standard-schema/spec': 'Types of `@msw/data`.',
  commander: 'Parses the command line.',
  drange: 'Dependency of `randexp`.',
  'es-toolkit': 'Dependency of `@msw/data`.',
  'eventsource-parser': 'Parses recorded event streams.',
  leven: 'Finds the nearest name for a misspelt one.',
  mutative: 'Dependency of `@msw/data`.',
  outvariant: 'Dependency of `@msw/data`.',
  yaml: 'Reads YAML: scenarios, configuration, OpenAPI documents. Loaded on demand.',
  randexp: 'Generates strings that match the patterns of JSON Schemas.',
  regjsparser:
    'Parses regular expressions in rules and JSON Schemas, which are checked before they are used.',
  ret: 'Dependency of `randexp`.',
  rettime: 'Dependency of `@msw/data`.',
  zod: 'Validates requests, replies and options.',
}

const optional: Record<string, string> = {
  '@playwright/test': 'Required only for `gateway-understudy/playwright`.',
  msw: 'Required only for `gateway-understudy/msw` and custom MSW handlers.',
  vitest: 'Required only for `gateway-understudy/vitest`.',
}

export function supplyChain(): string {
  const inside = new Set(bundled)
  const rows = [...Object.keys(manifest.dependencies), ...bundled].sort().map((name) => {
    const why = shipped[name] ?? 'Part of another.'
    return [`\`${name}\``, inside.has(name) ? 'bundled' : 'installed', why, licenceOf(name), sizeOf(name)]
  })
  const peers = Object.keys(manifest.peerDependencies).map((name) => [
    `\`${name}\``,
    'optional peer',
    optional[name] ?? '',
    licenceOf(name),
    '',
  ])
  const development = Object.keys(manifest.devDependencies)
    .filter((name) => !inside.has(name) && !(name in manifest.peerDependencies))
    .map((name) => `\`${name}\` (${licenceOf(name)})`)
  return [
    '# Dependencies',
    '',
    'Generated from the lock file by `npm run generate`. The package has no install scripts.',
    '',
    table(['Package', 'How users get it', 'Why', 'Licence', 'Unpacked'], [...rows, ...peers]),
    '',
    `For development only: ${development.join(', ')}.`,
    '',
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function licenceOf(name: string): string {
  return packages[`node_modules/${name}`]?.license ?? 'unknown'
}

function sizeOf(name: string): string {
  return `${Math.round(bytesIn(join(root, 'node_modules', name)) / 1024)} KB`
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => sum + (statSync(path).isDirectory() ? bytesIn(path) : statSync(path).size), 0)
}
