/** Presets: named, versioned model configurations. Spec: GET /presets/{slug}. */
import * as z from 'zod'
import { ok } from '../http/reply.ts'
import { defineOperation } from '../operation.ts'
import { Preset } from '../resources/preset.ts'
import { unknownSlug } from '../resources/unknown-slug.ts'

/** Reads a preset with its designated version. Throws 404 for an unknown slug (assumption `notFound`). */
export const getPreset = defineOperation({
  id: 'getPreset',
  method: 'get',
  path: '/presets/{slug}',
  doc: { summary: 'Get a preset', tag: 'Presets' },
  input: { params: z.lazy(() => z.object({ slug: z.string().min(1) })) },
  output: z.lazy(() => z.object({ data: Preset })),
  errors: [404],
  async resolve({ params, sandbox, assume }) {
    const preset = await sandbox.tables.presets.findBy('slug', params.slug)
    if (!preset) {
      assume('notFound')
      throw unknownSlug('no preset has the slug', params.slug, await sandbox.tables.presets.rows())
    }
    const designated_version = await sandbox.tables.presetVersions.findBy('id', preset.designated_version_id)
    // `references.ts` ensures that the version exists.
    if (!designated_version) throw new Error(`Preset '${preset.slug}' has no designated version`)
    if (preset.status !== 'active') assume('presetStatus')
    // The specification shows only these keys.
    const { model: _, temperature: __, ...others } = designated_version.config
    if (Object.keys(others).length > 0) assume('presetConfig')
    return ok({ data: { ...preset, designated_version } })
  },
})
