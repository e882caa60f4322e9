/**
 * Checks references between presets and their versions. Custom fixtures must replace both collections or
 * neither, and a preset's designated version must exist and belong to it.
 */
import { GatewayError } from '../http/errors.ts'
import type { PresetRecord, PresetVersion } from '../resources/preset.ts'
import type { DatabaseState } from './database.ts'

/** Throws a one-line error if fixtures have only presets, only versions, or a broken reference. */
export function assertFixtures(fixtures: ReadonlyMap<string, readonly object[]>): void {
  const presets = fixtures.get('presets') as readonly PresetRecord[] | undefined
  const versions = fixtures.get('presetVersions') as readonly PresetVersion[] | undefined
  if (!presets && !versions) return
  if (!presets) throw new Error('options.fixtures.presetVersions without presets: pass both or neither')
  if (!versions) throw new Error('options.fixtures.presets without presetVersions: pass both or neither')
  const ids = new Set(presets.map(({ id }) => id))
  const presetOf = new Map(versions.map(({ id, preset_id }) => [id, preset_id]))
  presets.forEach((preset, index) => {
    if (presetOf.get(preset.designated_version_id) === preset.id) return
    throw new Error(`options.fixtures.presets[${index}].designated_version_id: ${hasNoVersion(preset)}`)
  })
  versions.forEach(({ preset_id }, index) => {
    if (ids.has(preset_id)) return
    throw new Error(
      `options.fixtures.presetVersions[${index}].preset_id: presets has no record '${preset_id}'`,
    )
  })
}

/**
 * Checks a write's references. Throws 400 if a preset refers to a version that does not exist or belongs to another
 * preset. Throws 409 if the write deletes a version that a preset refers to, or changes its id or preset.
 *
 * @param before The row before the write, or undefined if the write creates it.
 * @param after The row after the write, or undefined if the write deletes it.
 */
export async function assertReferences(
  { tables }: DatabaseState,
  name: string,
  before: object | undefined,
  after: object | undefined,
): Promise<void> {
  if (name === 'presets' && after) {
    const preset = after as PresetRecord
    const version = await tables.presetVersions.find(preset.designated_version_id)
    if (version?.preset_id !== preset.id)
      throw new GatewayError(400, `presets.designated_version_id: ${hasNoVersion(preset)}; create it first`)
  }
  if (name === 'presetVersions' && before) {
    const { id, preset_id } = before as PresetVersion
    const changed = after as PresetVersion | undefined
    if (changed?.id === id && changed.preset_id === preset_id) return
    const preset = await tables.presets.find(preset_id)
    if (preset?.designated_version_id === id)
      throw new GatewayError(
        409,
        `presetVersions '${id}' is the designated_version_id of presets '${preset.id}'; change that reference first`,
      )
  }
}

function hasNoVersion({ id, designated_version_id }: PresetRecord): string {
  return `presetVersions has no '${designated_version_id}' whose preset_id is '${id}'`
}
