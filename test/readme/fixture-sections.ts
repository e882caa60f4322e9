/**
 * Generates parts of fixtures/README.md: the collections and the fields that identify their records.
 */
import { readFileSync } from 'node:fs'
import { type CollectionName, collections } from '../../src/resources/collections.ts'
import { table } from './table.ts'

type Row = Record<string, unknown>

const fileOf = (name: string) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`

function rowsOf(name: string): Row[] {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${fileOf(name)}`, import.meta.url), 'utf8'))
}

/** Record fields that a test is likely to quote. */
const quoted: Record<CollectionName, readonly string[]> = {
  providers: ['slug', 'name', 'headquarters'],
  workspaces: ['id', 'slug', 'name', 'default_text_model'],
  embeddingsModels: ['id', 'context_length', 'pricing.prompt'],
  benchmarks: ['source', 'model_permaslug', 'intelligence_index'],
  presets: ['slug', 'name', 'status'],
  presetVersions: ['preset_id', 'version', 'config.model'],
  pages: ['url', 'title'],
  posts: ['handle', 'date', 'text'],
  models: ['id', 'context_length', 'pricing.prompt', 'pricing.completion'],
}

/** Maximum number of records to list per collection. */
const shown = 12

export const fixtureSections: Record<string, () => string> = {
  fixtures: () =>
    table(
      ['Collection', 'File', 'Records', 'Found by'],
      collections.map(({ name, keys }) => [
        `\`${name}\``,
        `[${fileOf(name)}](${fileOf(name)})`,
        String(rowsOf(name).length),
        Object.keys(keys).join(', or '),
      ]),
    ),
  quotable: () =>
    collections
      .map(({ name }) => {
        const rows = rowsOf(name)
        const fields = quoted[name]
        const cells = rows.slice(0, shown).map((row) => fields.map((field) => toText(valueAt(row, field))))
        const more = rows.length > shown ? `\n\nAnd ${rows.length - shown} more.` : ''
        return `### ${name}\n\n${table(
          fields.map((field) => `\`${field}\``),
          cells,
        )}${more}`
      })
      .join('\n\n'),
}

function valueAt(row: Row, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => (value as Row | undefined)?.[step], row)
}

function toText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}
