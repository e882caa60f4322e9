/** Presets with versions. `GET /presets/{slug}` is a core operation. */
import * as z from 'zod'
import { ok } from '../../http/reply.ts'
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { oneLine } from '../../lib/one-line.ts'
import { check } from '../../lib/schema-messages.ts'
import { uuid } from '../../lib/seed.ts'
import { type AnyOperation, defineOperation, type RequestContext } from '../../operation.ts'
import { RequestSettings } from '../../resources/create-response-body.ts'
import { Preset, PresetRecord, PresetVersion } from '../../resources/preset.ts'
import { unknownSlug } from '../../resources/unknown-slug.ts'
import { defaultWorkspaceId, notFound, Page, page, userId } from './lists.ts'

const slug = () => z.string().min(1).describe('URL-safe slug of the preset.')

/** Lists presets without their versions, most recently updated first. */
const listPresets = defineOperation({
  id: 'listPresets',
  method: 'get',
  path: '/presets',
  doc: { summary: 'List presets', tag: 'Presets' },
  input: { query: Page },
  output: z.lazy(() => z.object({ data: z.array(PresetRecord._zod.innerType), total_count: z.int() })),
  async resolve({ query, sandbox }) {
    const rows = await sandbox.tables.presets.memo('by update', (presets) =>
      presets.toSorted((left, right) => right.updated_at.localeCompare(left.updated_at)),
    )
    return ok(page(rows, query))
  },
})

const listPresetVersions = defineOperation({
  id: 'listPresetVersions',
  method: 'get',
  path: '/presets/{slug}/versions',
  doc: { summary: 'List preset versions', tag: 'Presets' },
  input: { params: z.lazy(() => z.object({ slug: slug() })), query: Page },
  output: z.lazy(() => z.object({ data: z.array(PresetVersion._zod.innerType), total_count: z.int() })),
  errors: [404],
  resolve: async (context) => ok(page(await versionsOf(context), context.query)),
})

const getPresetVersion = defineOperation({
  id: 'getPresetVersion',
  method: 'get',
  path: '/presets/{slug}/versions/{version}',
  doc: { summary: 'Get a preset version', tag: 'Presets' },
  input: { params: z.lazy(() => z.object({ slug: slug(), version: z.string().min(1) })) },
  output: z.lazy(() => z.object({ data: PresetVersion._zod.innerType })),
  errors: [404],
  async resolve(context) {
    const { slug, version } = context.params
    const found = (await versionsOf(context)).find((each) => String(each.version) === version)
    if (found) return ok({ data: found })
    throw notFound(`the preset '${slug}' has no version '${version}'`)
  },
})

async function versionsOf({ params, sandbox, assume }: RequestContext<{ slug: string }>) {
  const { presets, presetVersions } = sandbox.tables
  const preset = await presets.findBy('slug', params.slug)
  if (!preset) {
    assume('notFound')
    throw unknownSlug('no preset has the slug', params.slug, await presets.rows())
  }
  const versions = (await presetVersions.rows()).filter(({ preset_id }) => preset_id === preset.id)
  return versions.toSorted((left, right) => left.version - right.version)
}

type Body = Readonly<Record<string, unknown>>

function requiring(schema: z.ZodRecord, field: string): z.ZodRecord {
  const issue = { path: [field], message: 'Is required', params: { rule: 'required' } }
  return schema.refine((body) => body[field] !== undefined, issue)
}

const kept = (
  'model models temperature top_p top_k top_a min_p seed stop stop_sequences frequency_penalty presence_penalty ' +
  'repetition_penalty max_tokens max_completion_tokens max_output_tokens max_tool_calls parallel_tool_calls ' +
  'reasoning provider plugins response_format text verbosity service_tier thinking tools tool_choice'
).split(' ')

/** Stored fields that `@preset/…` ignores, because POST /responses lacks them or names them differently. */
const ineffective = ['max_tokens', 'max_completion_tokens', 'response_format', 'thinking', 'stop_sequences']

export const presetOperations: readonly AnyOperation[] = [
  listPresets,
  listPresetVersions,
  getPresetVersion,
  createPreset('ChatCompletion', '/chat/completions', ['messages'], systemMessages),
  createPreset('Message', '/messages', ['model', 'messages'], ({ system }) => textOf(system)),
  createPreset('Response', '/responses', [], ({ instructions }) => textOf(instructions)),
]

function createPreset(
  kind: string,
  path: string,
  required: readonly string[],
  systemPrompt: (body: Body) => string,
): AnyOperation {
  return defineOperation({
    id: `createPresetFrom${kind}`,
    method: 'post',
    path: `/presets/{slug}${path}`,
    doc: { summary: `Create a preset from the body of POST ${path}`, tag: 'Presets' },
    input: {
      params: z.lazy(() => z.object({ slug: PresetRecord.unwrap().shape.slug })),
      body: z.lazy(() => required.reduce(requiring, z.record(z.string(), z.unknown()))),
    },
    output: z.lazy(() => z.object({ data: Preset })),
    writes: true,
    async resolve({ params: { slug }, body, sandbox, now, requestKey, warn }) {
      const { presets, presetVersions } = sandbox.tables
      const existing = await presets.findBy('slug', slug)
      const time = new Date(now).toISOString()
      const user = userId(sandbox.seed)
      const preset_id = existing?.id ?? uuid(requestKey, 'preset')
      const versions = (await presetVersions.rows()).filter((each) => each.preset_id === preset_id)
      const designated_version = await presetVersions.create({
        id: uuid(requestKey, 'preset version'),
        preset_id,
        version: Math.max(0, ...versions.map(({ version }) => version)) + 1,
        config: configOf(body, warn),
        system_prompt: systemPrompt(body),
        creator_id: user,
        created_at: time,
        updated_at: time,
      })
      const changes = { designated_version_id: designated_version.id, updated_at: time }
      const preset = existing
        ? await presets.update(existing.id, changes)
        : await presets.create({
            id: preset_id,
            name: slug,
            slug,
            description: null,
            status: 'active',
            status_updated_at: null,
            created_at: time,
            creator_user_id: user,
            workspace_id: await defaultWorkspaceId(sandbox),
            ...changes,
          })
      return ok({ data: { ...preset, designated_version } })
    },
  })
}

/** Returns the fields that a preset stores. Warns about fields that are omitted or have no effect. */
function configOf(body: Body, warn: (message: string) => void): Record<string, unknown> {
  const sent = kept.filter((field) => body[field] !== undefined && body[field] !== null)
  const isUsable = (field: string) => check(RequestSettings, { [field]: body[field] }).error === undefined
  const unusable = sent.filter((field) => !isUsable(field))
  if (unusable.length > 0)
    warn(`The preset omits fields that POST /responses does not accept: ${oneLine(unusable.join(', '))}`)
  const unused = sent.filter((field) => ineffective.includes(field))
  if (unused.length > 0) warn(`These preset fields have no effect on replies: ${unused.join(', ')}`)
  return Object.fromEntries(sent.filter(isUsable).map((field) => [field, body[field]]))
}

function systemMessages({ messages }: Body): string {
  const system = listOf(messages)
    .map(fieldsOf)
    .filter(({ role }) => role === 'system' || role === 'developer')
  return system.map(({ content }) => textOf(content)).join('\n\n')
}
