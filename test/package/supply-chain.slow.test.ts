/** What is inside the published files, and under which licences. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { bundled } from '../../tsdown.config.ts'
import { supplyChain } from './supply-chain.ts'

const { folder } = inject('packed')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

it('DEPENDENCIES.md tells of every package, why, its licence and size (else: npm run generate)', () => {
  const file = new URL('../../DEPENDENCIES.md', import.meta.url)
  expect(readFileSync(file, 'utf8')).toBe(supplyChain())
})

it('the published package runs no script when it is installed', () => {
  const scripts = Object.keys(manifest.scripts ?? {})
  expect(scripts.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
})

it('the licence of every package that the build may take in stands in LICENSE', () => {
  const licence = readFileSync(join(folder, 'LICENSE'), 'utf8')
  // The build fails for any other: `onlyBundle` in tsdown.config.ts.
  for (const name of bundled) expect(licence).toContain(`\n## ${name}\n`)
})
