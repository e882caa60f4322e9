/**
 * Describes the bundled packages in two files: `dist/sbom.cdx.json` lists their versions in CycloneDX format,
 * and `dist/THIRD_PARTY_LICENSES` contains their licences.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { bundled } from '../../../tsdown.config.ts'

const root = new URL('../../../', import.meta.url)

interface Manifest {
  name: string
  version: string
  license: string
  author?: string
}

function read(folder: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${folder}package.json`, root), 'utf8'))
}

function toComponent({ name, version, license }: Manifest): Models.Component {
  // `@` is the only character in a package name that a package URL escapes.
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const component = new Models.Component(Enums.ComponentType.Library, name, { version, purl, bomRef: purl })
  component.licenses.add(new Models.SpdxLicense(license))
  return component
}

function licenceOf(name: string): string {
  const folder = new URL(`node_modules/${name}/`, root)
  const found = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path))
  if (found) return readFileSync(new URL(found, folder), 'utf8').trim()
  const { license, author } = read(`node_modules/${name}/`)
  if (license !== 'MIT' || !author) throw new Error(`${name} has no licence text`)
  // Some packages name the licence in their manifest only.
  const [, terms = ''] =
    /(Permission is hereby granted.*)/s.exec(readFileSync(new URL('LICENSE', root), 'utf8')) ?? []
  return `MIT License\n\nCopyright (c) ${author}\n\n${terms.trim()}`
}

const bom = new Models.Bom()
const own = toComponent(read(''))
bom.metadata.component = own
for (const name of bundled) {
  const component = toComponent(read(`node_modules/${name}/`))
  bom.components.add(component)
  own.dependencies.add(component.bomRef)
}

const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
const text = new Serialize.JsonSerializer(normalizers).serialize(bom, { sortLists: true, space: 2 })
writeFileSync(new URL('dist/sbom.cdx.json', root), `${text}\n`)

const licences = bundled.map((name) => `## ${name}\n\n${licenceOf(name)}\n`)
writeFileSync(
  new URL('dist/THIRD_PARTY_LICENSES', root),
  ['The published files contain these packages.\n', ...licences].join('\n'),
)
