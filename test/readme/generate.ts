/**
 * Writes all generated files and sections: documents, the scenario file schema, the remote client's routes,
 * and .github/DEPENDENCIES.md. Run by `npm run generate`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { scenarioJsonSchema } from '../../src/scenarios/scenario-json-schema.ts'
import { everyOperation } from '../../src/setup.ts'
import { supplyChain } from '../package/supply-chain.ts'
import { routePathsText } from '../remote/route-paths.ts'
import { documents, withParts } from './sections.ts'

const toUrl = (name: string) => new URL(`../../${name}`, import.meta.url)

const update = (name: string, change: (text: string) => string) =>
  writeFileSync(toUrl(name), change(readFileSync(toUrl(name), 'utf8')))

for (const name of documents) update(name, withParts)
const schema = scenarioJsonSchema(everyOperation)
writeFileSync(toUrl('scenarios/scenario.schema.json'), `${JSON.stringify(schema, null, 2)}\n`)
writeFileSync(toUrl('.github/DEPENDENCIES.md'), supplyChain())
writeFileSync(toUrl('src/control/route-paths.ts'), routePathsText())
