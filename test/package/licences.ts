/**
 * The last part of LICENSE: licences of the packages bundled in the published files.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { bundled } from '../../tsdown.config.ts'

const root = new URL('../../', import.meta.url)
const heading = '\n---\n\nThe published files contain these packages:\n'

/** Appends the licences of the bundled packages to our own. */
export function withLicences(licence: string): string {
  const [own] = licence.split(heading)
  return `${own}${heading}${bundled.map((name) => `\n## ${name}\n\n${licenceOf(name)}\n`).join('')}`
}

function licenceOf(name: string): string {
  const folder = new URL(`node_modules/${name}/`, root)
  const found = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path))
  if (!found) throw new Error(`${name} has no licence to pass on`)
  return readFileSync(new URL(found, folder), 'utf8').trim()
}
