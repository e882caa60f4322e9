/** Spec: Workspace, PATCH /workspaces/{id}. */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { defineCollection } from './collection.ts'
import { type FactoryContext, lifetime, pick, slugify, uniqueWords } from './factory.ts'
import { list } from './list.ts'
import { codePoints, isoTimestamp } from './text.ts'

const { teams: TEAMS, stages: STAGES, descriptions: DESCRIPTIONS } = words.workspaces

const fields = () => ({
  name: codePoints(1, 100).describe('Workspace name.'),
  slug: codePoints(1, 50)
    .regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      'Must be lowercase alphanumeric segments separated by single hyphens',
    )
    .describe('URL-friendly identifier.'),
  description: codePoints(0, 500).nullable().describe('Workspace description.'),
  default_text_model: z.string().nullable().describe('Model identifier.'),
  default_image_model: z.string().nullable().describe('Model identifier.'),
  default_provider_sort: z
    .string()
    .nullable()
    .describe(
      'Default sort preference for providers; documented values: price, throughput, latency, exacto.',
    ),
  io_logging_api_key_ids: list(z.int()).nullable().describe('API key IDs used to filter I/O logging.'),
  io_logging_sampling_rate: z
    .number()
    .min(0.0001)
    .max(1)
    .meta({ format: 'double', description: 'Fraction of requests sampled by I/O logging.' }),
  is_data_discount_logging_enabled: z.boolean().describe('If true, data discount logging is enabled.'),
  is_observability_broadcast_enabled: z.boolean().describe('If true, broadcast is enabled.'),
  is_observability_io_logging_enabled: z.boolean().describe('If true, private logging is enabled.'),
})

export const Workspace = z.lazy(() =>
  z
    .strictObject({
      id: z.uuid(),
      ...fields(),
      created_at: isoTimestamp(),
      updated_at: isoTimestamp(),
      created_by: z.string().describe('Identifier of the user who created the workspace.'),
    })
    .meta({ id: 'Workspace', description: 'A container for defaults and logging settings.' }),
)
export type Workspace = z.infer<typeof Workspace>

/** Keeps unspecified fields. */
export const WorkspaceUpdate = z.lazy(() =>
  z.looseObject(fields()).partial().meta({
    id: 'WorkspaceUpdate',
    description: 'Workspace fields to change. Omitted fields are unchanged.',
  }),
)
export type WorkspaceUpdate = z.infer<typeof WorkspaceUpdate>
/** Request body of `updateWorkspace`, as clients send it. */
export type UpdateWorkspaceRequest = z.input<typeof WorkspaceUpdate>

/** Documented values of `default_provider_sort`. Any other string is also accepted. */
export const PROVIDER_SORTS = ['price', 'throughput', 'latency', 'exacto'] as const

export const workspaces = defineCollection({
  name: 'workspaces',
  schema: Workspace,
  keys: { id: ({ id }) => id, slug: ({ slug }) => slug },
  fixtures: () => import('../../fixtures/workspaces.json', { with: { type: 'json' } }),
  fake: fakeWorkspace,
})

export function fakeWorkspace(context: FactoryContext): Workspace {
  const { field } = context
  const name = uniqueWords(context, TEAMS, STAGES).join(' ')
  return {
    id: field('id').string.uuid(),
    name,
    slug: slugify(name),
    description: field('has_description').datatype.boolean(0.7)
      ? pick(field('description'), DESCRIPTIONS)
      : null,
    ...lifetime(context),
    created_by: `user_${field('created_by').string.alphanumeric(12)}`,
    default_text_model: pick(field('default_text_model'), words.modelIds),
    default_image_model: null,
    default_provider_sort: pick(field('default_provider_sort'), [...PROVIDER_SORTS, null]),
    io_logging_api_key_ids: apiKeyIds(context),
    io_logging_sampling_rate: pick(field('io_logging_sampling_rate'), [0.01, 0.1, 0.25, 0.5, 1]),
    is_data_discount_logging_enabled: field('is_data_discount_logging_enabled').datatype.boolean(),
    is_observability_broadcast_enabled: field('is_observability_broadcast_enabled').datatype.boolean(),
    is_observability_io_logging_enabled: field('is_observability_io_logging_enabled').datatype.boolean(),
  }
}

function apiKeyIds({ field }: FactoryContext): number[] | null {
  const faker = field('io_logging_api_key_ids')
  const count = faker.number.int({ min: 0, max: 3 })
  return count === 0 ? null : Array.from({ length: count }, () => faker.number.int({ min: 100, max: 9999 }))
}
