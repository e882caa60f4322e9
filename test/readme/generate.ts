/**
 * Writes the generated parts of the READMEs, of CONTRIBUTING and of LICENSE, the schema of scenario files, the routes
 * of the remote client, and DEPENDENCIES.md: `npm run generate`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { operations } from '../../src/operations/index.ts'
import { scenarioJsonSchema } from '../../src/scenarios/check-scenario.ts'
import { withLicences } from '../package/licences.ts'
import { supplyChain } from '../package/supply-chain.ts'
import { routePathsText } from '../remote/route-paths.ts'
import { withParts } from './sections.ts'

const toUrl = (name: string) => new URL(`../../${name}`, import.meta.url)

for (const [name, update] of [
  ['README.md', withParts],
  ['CONTRIBUTING.md', withParts],
  ['scenarios/README.md', withParts],
  ['scenarios/TASKS.md', withParts],
  ['src/journal/README.md', withParts],
  ['src/sandbox/README.md', withParts],
  ['src/server/README.md', withParts],
  ['fixtures/README.md', withParts],
  ['test/consumers/README.md', withParts],
  ['src/extras/recordings/README.md', withParts],
  ['src/operations/README.md', withParts],
  ['ASSUMPTIONS.md', withParts],
  ['LICENSE', withLicences],
] as const) {
  writeFileSync(toUrl(name), update(readFileSync(toUrl(name), 'utf8')))
}
const schema = scenarioJsonSchema(operations)
writeFileSync(toUrl('scenarios/scenario.schema.json'), `${JSON.stringify(schema, null, 2)}\n`)
writeFileSync(toUrl('DEPENDENCIES.md'), supplyChain())
writeFileSync(toUrl('src/control/route-paths.ts'), routePathsText())
