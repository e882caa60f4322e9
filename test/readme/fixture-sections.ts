/** Generates the table of collections in docs/sandboxes.md, with records that tests may quote. */
import { readFileSync } from 'node:fs'
import { type CollectionName, collections } from '../../src/resources/collections.ts'
import { table } from './table.ts'

type Row = Record<string, unknown>

const fileOf = (name: string) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`

function rowsOf(name: string): Row[] {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${fileOf(name)}`, import.meta.url), 'utf8'))
}

/** Record fields that a test is likely to quote. */
const quoted: Record<CollectionName, string> = {
  providers: 'slug',
  workspaces: 'slug',
  embeddingsModels: 'id',
  benchmarks: 'model_permaslug',
  presets: 'slug',
  presetVersions: 'version',
  pages: 'url',
  posts: 'handle',
  models: 'id',
}

/** Maximum number of records to quote per collection. */
const quotable = 6

export const fixtureSections: Record<string, () => string> = {
  fixtures: () =>
    table(
      ['Collection', 'File', 'Records', 'Found by', 'Such as'],
      collections.map(({ name, keys }) => {
        const values = new Set(rowsOf(name).map((row) => `\`${row[quoted[name]]}\``))
        return [
          `\`${name}\``,
          `[${fileOf(name)}](../fixtures/${fileOf(name)})`,
          String(rowsOf(name).length),
          Object.keys(keys).join(', or '),
          [...values].slice(0, quotable).join(', '),
        ]
      }),
    ),
}
