import { expect, it } from 'vitest'
import { Preset } from '../../src/resources/preset.ts'
import { describeAdapters } from '../describe-adapters.ts'

describeAdapters('GET /presets/{slug}', (entrance) => {
  const { call } = entrance

  it.each(['email-copywriter', 'code-review', 'support-triage', 'research-brief'])(
    'returns %s with its designated version',
    async (slug) => {
      const { status, body } = await call(`GET /presets/${slug}`)
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual(['data'])
      expect(Preset.parse(body.data)).toEqual(body.data)
      expect(body.data.slug).toBe(slug)
      expect(body.data.designated_version.id).toBe(body.data.designated_version_id)
      expect(body.data.designated_version.preset_id).toBe(body.data.id)
    },
  )

  it('returns a designated version that is not the newest', async () => {
    const { body } = await call('GET /presets/support-triage')
    expect(body.data.designated_version.version).toBe(1)
  })

  it.each([
    [{ model: 'aurora/dawn-2', temperature: 0.5 }, false],
    [{ model: 'aurora/dawn-2', top_p: 0.5 }, true],
  ])(
    'reports the assumption presetConfig only for undocumented settings: %j, %s',
    async (config, reported) => {
      const { presets, presetVersions } = entrance.sandbox.db
      const preset = await presets.get('code-review')
      await presetVersions.update(preset?.designated_version_id ?? '', { config })
      const { headers } = await call('GET /presets/code-review')
      expect((headers.get('x-understudy-assumptions') ?? '').includes('presetConfig')).toBe(reported)
    },
  )

  it('responds with 404 to an unknown slug, with the assumption notFound', async () => {
    const { status, headers, body } = await call('GET /presets/nobody')
    expect(status).toBe(404)
    expect(body).toEqual({ error: { code: 404, message: 'Resource not found' } })
    expect(headers.get('x-understudy-assumptions')).toContain('notFound')
  })

  it('suggests a similar slug in the journal for an unknown one', async () => {
    await call('GET /presets/code-reviw')
    expect(entrance.sandbox.journal.last('getPreset')?.error).toBe(
      "Resource not found: no preset has the slug 'code-reviw'; did you mean 'code-review'?",
    )
  })

  it.each(['__proto__', 'constructor', 'toString', 'Email-Copywriter', '%20', '..%2F..%2Fetc'])(
    'responds with 404 for the slug %s',
    async (slug) => {
      expect((await call(`GET /presets/${slug}`)).status).toBe(404)
    },
  )

  it('decodes a percent-encoded slug', async () => {
    expect((await call('GET /presets/code%2Dreview')).body.data.slug).toBe('code-review')
  })
})
