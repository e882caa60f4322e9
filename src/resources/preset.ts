// A preset: a named, versioned model configuration. Spec: Preset, PresetVersion, GET /presets/{slug}.

import * as z from 'zod'
import { lifetime, type Making, pick, slugify, timestamp, VENDORS } from './factory.ts'
import { Timestamp, UrlSafe } from './text.ts'

/** Only `active` is in the specification; the others are known from its clients. */
export const PresetStatus = z.enum(['active', 'disabled', 'archived'])
export type PresetStatus = z.infer<typeof PresetStatus>

export const PresetVersion = z
  .strictObject({
    id: z.uuid(),
    preset_id: z.uuid(),
    version: z.int().positive().describe('Version number.'),
    config: z
      .looseObject({ model: z.string().optional(), temperature: z.number().optional() })
      .describe('Model configuration.'),
    system_prompt: z.string(),
    creator_id: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'PresetVersion', description: 'One version of a preset.' })

export type PresetVersion = z.infer<typeof PresetVersion>

/** A preset as it is stored: its versions are records of their own. */
export const PresetRecord = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  slug: UrlSafe.describe('URL-safe.'),
  description: z.string().nullable(),
  status: PresetStatus,
  status_updated_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  creator_user_id: z.string(),
  workspace_id: z.uuid(),
  designated_version_id: z.uuid().describe('Identifier of the designated version.'),
})

export type PresetRecord = z.infer<typeof PresetRecord>

/** A preset as the wire shows it. */
export const Preset = PresetRecord.extend({
  designated_version: PresetVersion.describe('The currently designated version, embedded.'),
}).meta({ id: 'Preset', description: 'A named, versioned model configuration.' })

export type Preset = z.infer<typeof Preset>

/** Makes one plausible preset, such as `release-notes-37`. Its designated version is still to be made. */
export function fakePreset(
  making: Making,
  { workspaceId, designatedVersionId }: { workspaceId: string; designatedVersionId?: string },
): PresetRecord {
  const { index, field } = making
  const task = pick(field('task'), TASKS)
  const name = `${task.name} ${index}`
  const status = field('status').datatype.boolean(0.8)
    ? 'active'
    : pick(field('rest'), ['disabled', 'archived'])
  const { created_at, updated_at } = lifetime(making)
  return {
    id: field('id').string.uuid(),
    name,
    slug: slugify(name),
    description: field('description').datatype.boolean(0.8) ? task.description : null,
    status,
    status_updated_at:
      status === 'active' ? null : timestamp(field('status_updated_at'), created_at, updated_at),
    created_at,
    updated_at,
    creator_user_id: `user_${field('creator_user_id').string.alphanumeric(12)}`,
    workspace_id: workspaceId,
    designated_version_id: designatedVersionId ?? field('designated_version_id').string.uuid(),
  }
}

/** Makes one plausible version. Give it the preset's `designated_version_id` as `id` to designate it. */
export function fakePresetVersion(
  making: Making,
  { presetId, version, id }: { presetId: string; version: number; id?: string },
): PresetVersion {
  const { field } = making
  return {
    id: id ?? field('id').string.uuid(),
    preset_id: presetId,
    version,
    config: {
      model: `${pick(field('model'), VENDORS)}/chat-large`,
      temperature: field('temperature').number.float({ min: 0, max: 1, fractionDigits: 1 }),
    },
    system_prompt: pick(field('system_prompt'), TASKS).prompt,
    creator_id: `user_${field('creator_id').string.alphanumeric(12)}`,
    ...lifetime(making),
  }
}

const TASKS = [
  {
    name: 'Release notes',
    description: 'Turns a list of changes into notes for readers.',
    prompt: 'You write release notes. Lead with what a user notices, and leave out what nobody would.',
  },
  {
    name: 'Meeting minutes',
    description: 'Decisions and open questions from a transcript.',
    prompt: 'You take minutes. List decisions first, then open questions, each with the person who owns it.',
  },
  {
    name: 'Translation check',
    description: 'Compares a translation with its original.',
    prompt: 'You compare a translation with its original and name every change of meaning, however small.',
  },
  {
    name: 'Query writer',
    description: 'From a question in words to a query.',
    prompt: 'You turn questions into SQL. Ask back when a column could mean two things.',
  },
  {
    name: 'Tone editor',
    description: 'Makes a stern message kind without making it vague.',
    prompt: 'You edit messages for tone. Keep every fact, every date and every request.',
  },
]
