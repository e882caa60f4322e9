/** A preset: a named, versioned model configuration. Spec: Preset, PresetVersion, GET /presets/{slug}. */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { check } from '../lib/schema-messages.ts'
import { defineCollection } from './collection.ts'
import { RequestSettings } from './create-response-body.ts'
import { type FactoryContext, lifetime, pick, slugify, timestamp, uniqueWords } from './factory.ts'
import { isoTimestamp, urlSafe } from './text.ts'
import type { Workspace } from './workspace.ts'

const { audiences: AUDIENCES, tasks: TASKS } = words.presets

export const PresetVersion = z.lazy(() =>
  z
    .strictObject({
      id: z.uuid(),
      preset_id: z.uuid(),
      version: z.int().positive().describe('Version number.'),
      config: z
        .looseObject({ model: z.string().optional(), temperature: z.number().optional() })
        .describe('Model configuration.'),
      system_prompt: z.string(),
      creator_id: z.string(),
      created_at: isoTimestamp(),
      updated_at: isoTimestamp(),
    })
    .meta({ id: 'PresetVersion', description: 'A version of a preset.' }),
)
export type PresetVersion = z.infer<typeof PresetVersion>

/** A stored version. Its configuration must consist of valid request fields. */
const StoredPresetVersion = z.lazy(() =>
  PresetVersion.check(({ value, issues }) => {
    for (const issue of check(RequestSettings, value.config).error?.issues ?? [])
      issues.push({ ...issue, path: ['config', ...issue.path], input: value.config } as never)
  }),
)

/** A stored preset. Its versions are separate records. */
export const PresetRecord = z.lazy(() =>
  z.strictObject({
    id: z.uuid(),
    name: z.string(),
    slug: urlSafe().describe('URL-safe.'),
    description: z.string().nullable(),
    // The specification only has `active`; the other statuses come from clients.
    status: z.enum(['active', 'disabled', 'archived']),
    status_updated_at: isoTimestamp().nullable(),
    created_at: isoTimestamp(),
    updated_at: isoTimestamp(),
    creator_user_id: z.string(),
    workspace_id: z.uuid(),
    designated_version_id: z.uuid().describe('Identifier of the designated version.'),
  }),
)
export type PresetRecord = z.infer<typeof PresetRecord>

/** A preset as returned by the API. */
export const Preset = z.lazy(() =>
  PresetRecord.unwrap()
    .extend({
      designated_version: PresetVersion.describe('The currently designated version, embedded.'),
    })
    .meta({ id: 'Preset', description: 'A named, versioned model configuration.' }),
)
export type Preset = z.infer<typeof Preset>

export const presets = defineCollection({
  name: 'presets',
  schema: PresetRecord,
  keys: { id: ({ id }) => id, slug: ({ slug }) => slug },
  fixtures: () => import('../../fixtures/presets.json', { with: { type: 'json' } }),
  refersTo: ['workspaces'],
  fake: (context, rows) => fakePreset(context, rows('workspaces') as readonly Workspace[]),
})

export const presetVersions = defineCollection({
  name: 'presetVersions',
  schema: StoredPresetVersion,
  keys: { id: ({ id }) => id, version: ({ preset_id, version }) => `${preset_id}/${version}` },
  fixtures: () => import('../../fixtures/preset-versions.json', { with: { type: 'json' } }),
  refersTo: ['presets'],
  partOf: { collection: 'presets', field: 'preset_id', each: 2 },
  fake: (context, rows) => fakePresetVersion(context, rows('presets') as readonly PresetRecord[]),
})

/** The designated version is the second of the two that `fakePresetVersion` generates. */
export function fakePreset(
  context: FactoryContext,
  workspaces: readonly Pick<Workspace, 'id'>[],
): PresetRecord {
  const { index, field } = context
  const [audience = '', subject = '', ...round] = uniqueWords(context, AUDIENCES, SUBJECTS)
  const name = [audience, subject, ...round].join(' ')
  const task = TASKS[SUBJECTS.indexOf(subject)]
  const status = field('status').datatype.boolean(0.8)
    ? 'active'
    : pick(field('rest'), ['disabled', 'archived'])
  const { created_at, updated_at } = lifetime(context)
  const version = context.of('presetVersions', index * 2 + 1)
  return {
    id: field('id').string.uuid(),
    name,
    slug: slugify(name),
    description: field('description').datatype.boolean(0.8) ? (task?.description ?? null) : null,
    status,
    status_updated_at:
      status === 'active' ? null : timestamp(field('status_updated_at'), created_at, updated_at),
    created_at,
    updated_at,
    creator_user_id: `user_${field('creator_user_id').string.alphanumeric(12)}`,
    workspace_id: workspaces[index % workspaces.length]?.id ?? NO_WORKSPACE,
    designated_version_id: version.field('id').string.uuid(),
  }
}

export function fakePresetVersion(context: FactoryContext, presets: readonly PresetRecord[]): PresetVersion {
  const { index, field } = context
  const preset = presets[index >> 1]
  if (!preset) throw new RangeError('set every field: all presets already have their versions')
  // The first version is created with its preset, the second later. Neither is updated after the preset's last update.
  const created_at =
    index % 2 === 0 ? preset.created_at : timestamp(field('created_at'), preset.created_at, preset.updated_at)
  return {
    id: index % 2 === 0 ? field('id').string.uuid() : preset.designated_version_id,
    preset_id: preset.id,
    version: (index % 2) + 1,
    config: {
      model: pick(field('model'), words.modelIds),
      temperature: field('temperature').number.float({ min: 0, max: 1, fractionDigits: 1 }),
    },
    system_prompt: (
      TASKS.find(({ name }) => preset.name.includes(name)) ?? pick(field('system_prompt'), TASKS)
    ).prompt,
    creator_id: `user_${field('creator_id').string.alphanumeric(12)}`,
    created_at,
    updated_at: timestamp(field('updated_at'), created_at, preset.updated_at),
  }
}

/** Workspace id of generated presets if there are no workspaces. */
const NO_WORKSPACE = '00000000-0000-4000-8000-000000000000'

const SUBJECTS = TASKS.map(({ name }) => name)
