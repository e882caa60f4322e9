/** Tests the contents of the published files, and their licences. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, inject, it } from 'vitest'
import { bundled } from '../../tsdown.config.ts'
import { supplyChain } from './supply-chain.ts'

const { folder } = inject('packed')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

it('.github/DEPENDENCIES.md lists every package with its reason, licence and size (to update: npm run generate)', () => {
  const file = new URL('../../.github/DEPENDENCIES.md', import.meta.url)
  expect(readFileSync(file, 'utf8')).toBe(supplyChain())
})

it('the published package has no install scripts', () => {
  const scripts = Object.keys(manifest.scripts ?? {})
  expect(scripts.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
})

it('the CycloneDX SBOM lists every bundled package with its version', () => {
  const sbom = JSON.parse(readFileSync(join(folder, 'dist/sbom.cdx.json'), 'utf8'))
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: false })
  for (const name of ['spdx.SNAPSHOT', 'jsf-0.82.SNAPSHOT'])
    ajv.addSchema(cycloneDxSchema(name), `http://cyclonedx.org/schema/${name}.schema.json`)
  expect(ajv.validate(cycloneDxSchema('bom-1.6.SNAPSHOT'), sbom), ajv.errorsText()).toBe(true)
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  const listed = sbom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)).sort()
  expect(listed).toEqual(
    bundled.map((name) => `pkg:npm/${name}@${packages[`node_modules/${name}`].version}`).sort(),
  )
  expect(sbom.metadata.component).toMatchObject({ name: manifest.name, version: manifest.version })
})

function cycloneDxSchema(name: string): object {
  const library = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json')
  return JSON.parse(readFileSync(join(dirname(library), `res/schema/${name}.schema.json`), 'utf8'))
}

it('THIRD_PARTY_LICENSES contains the licence of every package that the build may bundle', () => {
  const licence = readFileSync(join(folder, 'dist/THIRD_PARTY_LICENSES'), 'utf8')
  // The build fails for any other package: `onlyBundle` in tsdown.config.ts.
  for (const name of bundled) expect(licence).toContain(`\n## ${name}\n`)
})
