/**
 * What sandboxes begin with: the canonical records, or a person's own, filled up with generated ones.
 * Each collection is made when it is first touched, once for all sandboxes that begin alike.
 */
import { toViolations } from '../http/violations.ts'
import type { PresetRecord, PresetVersion } from '../resources/preset.ts'
import { type Base, type TableSpec, toBase } from './base.ts'
import type { CollectionName } from './collection-names.ts'
import { collections, type Rows } from './collections.ts'
import { generator } from './generate.ts'
import type { SeedOptions } from './seed-options.ts'

type Bases = { [Name in CollectionName]?: Base<Rows[Name]> | Promise<Base<Rows[Name]>> }

/** The canonical collections that nobody changed, shared by every world of the process. */
const canonical: Bases = {}

export class World {
  readonly #options: SeedOptions
  readonly #own = new Map<CollectionName, readonly Rows[CollectionName][]>()
  readonly #bases: Bases = {}

  /** Throws an error that names collection, index and path where one of the person's own records is wrong. */
  constructor(options: SeedOptions) {
    this.#options = options
    for (const [name, records] of Object.entries(options.fixtures) as [
      CollectionName,
      unknown[] | undefined,
    ][]) {
      if (records)
        this.#own.set(name, toBase(specOf<Rows[CollectionName]>(name), parseAll(name, records)).rows)
    }
    const presets = this.#own.get('presets') as PresetRecord[] | undefined
    const versions = this.#own.get('presetVersions') as PresetVersion[] | undefined
    if (presets && versions) assertDesignated(presets, versions)
  }

  /** The rows of a collection; at once where they are ready. */
  base<Name extends CollectionName>(name: Name): Base<Rows[Name]> | Promise<Base<Rows[Name]>> {
    const bases: Bases = this.#isCanonical(name) ? canonical : this.#bases
    const made = bases[name] as Base<Rows[Name]> | Promise<Base<Rows[Name]>> | undefined
    if (made) return made
    const making = this.#make(name).then((base) => {
      bases[name] = base as never
      return base
    })
    bases[name] = making as never
    return making
  }

  #isCanonical(name: CollectionName): boolean {
    return !this.#own.has(name) && this.#sizeOf(name) === undefined
  }

  /** Versions have no size of their own: they come with their presets. */
  #sizeOf(name: CollectionName): number | undefined {
    return this.#options.size[name === 'presetVersions' ? 'presets' : name]
  }

  async #make<Name extends CollectionName>(name: Name): Promise<Base<Rows[Name]>> {
    const rows = [...(await this.#written(name))]
    const size = this.#sizeOf(name)
    if (size !== undefined) await this.#fill(name, rows, size)
    if (name === 'presets') assertDesignated(rows as PresetRecord[], (await this.base('presetVersions')).rows)
    return toBase(specOf<Rows[Name]>(name), rows)
  }

  /** The records that a person wrote: those given, or the canonical ones. */
  async #written<Name extends CollectionName>(name: Name): Promise<readonly Rows[Name][]> {
    const own = this.#own.get(name) as readonly Rows[Name][] | undefined
    return own ?? parseAll(name, (await collections[name].canonical()).default)
  }

  async #fill<Name extends CollectionName>(name: Name, rows: Rows[Name][], size: number): Promise<void> {
    const presets = name === 'presetVersions' ? (await this.#written('presets')).length : 0
    const missing = size - (name === 'presetVersions' ? presets : rows.length)
    if (missing <= 0) {
      if (name !== 'presetVersions') rows.length = size
      return
    }
    const generate = await generator(this.#options.seed)
    if (name === 'presetVersions') {
      for (let index = presets; index < size; index++)
        rows.push(...(generate.versionsOf(index) as Rows[Name][]))
      return
    }
    const workspaces = name === 'presets' ? (await this.base('workspaces')).rows : []
    while (rows.length < size) rows.push(generate.row(name, rows.length, workspaces) as Rows[Name])
  }
}

function specOf<Row extends object>(name: CollectionName): TableSpec<Row> {
  // The table is generic in its rows; which row a name stands for is what `Rows` says.
  return collections[name] as unknown as TableSpec<Row>
}

function parseAll<Name extends CollectionName>(name: Name, records: readonly unknown[]): Rows[Name][] {
  return records.map((record, index) => parse(name, record, index))
}

function parse<Name extends CollectionName>(name: Name, record: unknown, index: number): Rows[Name] {
  const result = collections[name].schema.safeParse(record)
  if (result.success) return result.data as Rows[Name]
  const [first] = toViolations(result.error, `${name}[${index}]`)
  throw new Error(`Bad fixture: ${first?.path}: ${first?.message}`)
}

/** Spec: Preset, `designated_version_id`. It always names one of the preset's own versions. */
function assertDesignated(presets: readonly PresetRecord[], versions: readonly PresetVersion[]): void {
  const owners = new Map(versions.map((version) => [version.id, version.preset_id]))
  presets.forEach((preset, index) => {
    if (owners.get(preset.designated_version_id) === preset.id) return
    throw new Error(
      `Bad fixture: presets[${index}].designated_version_id: no version of '${preset.slug}' has this id; add it to presetVersions`,
    )
  })
}
