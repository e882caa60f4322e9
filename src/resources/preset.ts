// A preset: a named, versioned model configuration. Spec: Preset, PresetVersion, GET /presets/{slug}.

import * as z from 'zod'
import { defineCollection } from './collection.ts'
import { RequestSettings } from './create-response-body.ts'
import { type FactoryContext, lifetime, pick, slugify, timestamp, uniqueWords, VENDORS } from './factory.ts'
import { isoTimestamp, urlSafe } from './text.ts'
import type { Workspace } from './workspace.ts'

/** Only `active` is in the specification; the others are known from its clients. */
export const PresetStatus = z.lazy(() => z.enum(['active', 'disabled', 'archived']))
export type PresetStatus = z.infer<typeof PresetStatus>

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
    .meta({ id: 'PresetVersion', description: 'One version of a preset.' }),
)

export type PresetVersion = z.infer<typeof PresetVersion>

/** A version as it is stored: what it would bring to a request, a request may have. */
const StoredPresetVersion = z.lazy(() =>
  PresetVersion.check(({ value, issues }) => {
    for (const issue of RequestSettings.safeParse(value.config).error?.issues ?? [])
      issues.push({ ...issue, path: ['config', ...issue.path], input: value.config } as never)
  }),
)

/** A preset as it is stored: its versions are records of their own. */
export const PresetRecord = z.lazy(() =>
  z.strictObject({
    id: z.uuid(),
    name: z.string(),
    slug: urlSafe().describe('URL-safe.'),
    description: z.string().nullable(),
    status: PresetStatus,
    status_updated_at: isoTimestamp().nullable(),
    created_at: isoTimestamp(),
    updated_at: isoTimestamp(),
    creator_user_id: z.string(),
    workspace_id: z.uuid(),
    designated_version_id: z.uuid().describe('Identifier of the designated version.'),
  }),
)

export type PresetRecord = z.infer<typeof PresetRecord>

/** A preset as the wire shows it. */
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
  refersTo: { workspace_id: 'workspaces', designated_version_id: 'presetVersions' },
  fake: (context, rows) => fakePreset(context, rows('workspaces') as readonly Workspace[]),
})

export const presetVersions = defineCollection({
  name: 'presetVersions',
  schema: StoredPresetVersion,
  keys: { id: ({ id }) => id, version: ({ preset_id, version }) => `${preset_id}/${version}` },
  fixtures: () => import('../../fixtures/preset-versions.json', { with: { type: 'json' } }),
  partOf: { collection: 'presets', field: 'preset_id', each: 2 },
  fake: (context, rows) => fakePresetVersion(context, rows('presets') as readonly PresetRecord[]),
})

/**
 * Makes one plausible preset, such as `press-release-notes`. Its second version, which `fakePresetVersion` makes, is
 * the designated one.
 */
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
    designated_version_id: versionId(context.of('presetVersions', index * 2 + 1)),
  }
}

/** Makes the first version of a preset for an even index, its second for the odd one after it. */
export function fakePresetVersion(context: FactoryContext, presets: readonly PresetRecord[]): PresetVersion {
  const { index, field } = context
  const preset = presets[index >> 1]
  if (!preset) throw new RangeError(`The preset of version ${index} is missing`)
  // The first is as old as its preset; the second came later, and no change to it after the last one of the preset.
  const created_at =
    index % 2 === 0 ? preset.created_at : timestamp(field('created_at'), preset.created_at, preset.updated_at)
  return {
    id: index % 2 === 0 ? versionId(context) : preset.designated_version_id,
    preset_id: preset.id,
    version: (index % 2) + 1,
    config: {
      model: `${pick(field('model'), VENDORS)}/chat-large`,
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

function versionId({ field }: FactoryContext): string {
  return field('id').string.uuid()
}

/** The workspace of a preset where there are none. */
const NO_WORKSPACE = '00000000-0000-4000-8000-000000000000'

const AUDIENCES = [
  'Press',
  'Support',
  'Partner',
  'Clinic',
  'Sales',
  'Campus',
  'Retail',
  'Legal',
  'Weekly',
  'Mobile',
  'Finance',
  'Community',
  'Travel',
  'Internal',
  'Museum',
  'Engineering',
  'Beginner',
  'Public',
  'Kitchen',
  'Quarterly',
  'Library',
  'Newsroom',
]
const TASKS = [
  {
    name: 'Release Notes',
    description: 'Turns a list of changes into notes for readers.',
    prompt: 'You write release notes. Lead with what a user notices, and leave out what nobody would.',
  },
  {
    name: 'Meeting Minutes',
    description: 'Decisions and open questions from a transcript.',
    prompt: 'You take minutes. List decisions first, then open questions, each with the person who owns it.',
  },
  {
    name: 'Translation Check',
    description: 'Compares a translation with its original.',
    prompt: 'You compare a translation with its original and name every change of meaning, however small.',
  },
  {
    name: 'Query Writer',
    description: 'From a question in words to a query.',
    prompt: 'You turn questions into SQL. Ask back when a column could mean two things.',
  },
  {
    name: 'Tone Editor',
    description: 'Makes a stern message kind without making it vague.',
    prompt: 'You edit messages for tone. Keep every fact, every date and every request.',
  },
  {
    name: 'Ticket Router',
    description: 'Names the team that should read a message first.',
    prompt: 'You route messages. Answer with one team and one sentence that says why.',
  },
  {
    name: 'Contract Reader',
    description: 'Finds dates, sums and duties in an agreement.',
    prompt: 'You read agreements. List dates, sums and duties, each with the clause that it comes from.',
  },
  {
    name: 'Survey Analyst',
    description: 'Groups free answers and counts the groups.',
    prompt: 'You analyse survey answers. Name each group, count it, and quote one answer as it was written.',
  },
  {
    name: 'Alt Text Writer',
    description: 'One sentence for a reader who cannot see the picture.',
    prompt: 'You write alternative text. One sentence, what matters first, no "image of".',
  },
  {
    name: 'Outline Builder',
    description: 'Puts loose notes into an order that can be followed.',
    prompt: 'You build outlines. Three levels at most, and no heading without something below it.',
  },
  {
    name: 'Fact Checker',
    description: 'Lists the claims of a text, each with what would show it.',
    prompt: 'You check facts. For each claim say whether it is supported, and by which source.',
  },
  {
    name: 'Lesson Planner',
    description: 'A plan of one hour, with one thing to try.',
    prompt:
      'You plan lessons of one hour. Begin with a question, and end with something that the class tries out.',
  },
]
const SUBJECTS = TASKS.map(({ name }) => name)
