/**
 * Writes the generated parts of the READMEs and of LICENSE, and DEPENDENCIES.md: `npm run generate`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { withLicences } from '../package/licences.ts'
import { supplyChain } from '../package/supply-chain.ts'
import { withParts } from './sections.ts'

for (const [name, update] of [
  ['README.md', withParts],
  ['scenarios/README.md', withParts],
  ['test/consumers/README.md', withParts],
  ['LICENSE', withLicences],
] as const) {
  const file = new URL(`../../${name}`, import.meta.url)
  writeFileSync(file, update(readFileSync(file, 'utf8')))
}
writeFileSync(new URL('../../DEPENDENCIES.md', import.meta.url), supplyChain())
