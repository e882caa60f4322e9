import { describe, expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'

const production = '11111111-1111-4111-8111-111111111111'
const staging = '22222222-2222-4222-8222-222222222222'

describeAdapters('PATCH /workspaces/{id}', (entrance) => {
  const { call } = entrance
  const patch = (id: string, body: unknown) => call(`PATCH /workspaces/${id}`, { body })
  const stored = (key: string) => entrance.sandbox.db.workspaces.get(key)

  describe('updates', () => {
    it('leave omitted fields unchanged, and advance updated_at', async () => {
      const before = await stored(production)
      const { status, body } = await patch(production, { name: 'Renamed' })
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual(['data'])
      expect(body.data).toEqual({ ...before, name: 'Renamed', updated_at: body.data.updated_at })
      expect(Date.parse(body.data.updated_at)).toBeGreaterThan(Date.parse(before?.updated_at ?? ''))
    })

    it('are stored for every field in the body', async () => {
      const changes = {
        name: 'All of it',
        slug: 'all-of-it',
        description: 'Every field.',
        default_text_model: 'aurora/dawn-2',
        default_image_model: 'borealis/canvas-1',
        default_provider_sort: 'latency',
        io_logging_api_key_ids: [1, 2, 3],
        io_logging_sampling_rate: 0.5,
        is_data_discount_logging_enabled: true,
        is_observability_broadcast_enabled: true,
        is_observability_io_logging_enabled: true,
      }
      expect((await patch('staging', changes)).body.data).toMatchObject(changes)
      expect(await stored('all-of-it')).toMatchObject(changes)
    })

    it.each([
      'description',
      'default_text_model',
      'default_image_model',
      'default_provider_sort',
      'io_logging_api_key_ids',
    ])('clear %s with null', async (field) => {
      expect((await patch(production, { [field]: null })).body.data[field]).toBeNull()
    })

    it('advance updated_at even if it is in the future', async () => {
      const future = '2099-01-01T00:00:00.000Z'
      await entrance.sandbox.db.workspaces.update(production, { updated_at: future })
      expect((await patch(production, { name: 'Later' })).body.data.updated_at).toBe(
        '2099-01-01T00:00:00.001Z',
      )
    })

    it('leave the workspace unchanged if empty, including updated_at', async () => {
      const before = await stored(production)
      const { status, headers, body } = await patch(production, {})
      expect(status).toBe(200)
      expect(body.data).toEqual(before)
      expect(headers.get('x-understudy-assumptions')).toContain('emptyUpdate')
    })

    it('ignore id, created_at and unknown fields in the body', async () => {
      const before = await stored(production)
      const { status, body } = await patch(production, { id: staging, created_at: 'never', colour: 'red' })
      expect(status).toBe(200)
      expect(body.data).toEqual(before)
      expect(entrance.sandbox.journal.last('updateWorkspace')?.warnings.join()).toContain('body.colour')
    })

    it('accept an unspecified provider sort with a warning', async () => {
      expect((await patch(production, { default_provider_sort: 'vibes' })).status).toBe(200)
      expect(entrance.sandbox.journal.last('updateWorkspace')?.warnings.join()).toContain("'vibes'")
    })
  })

  describe('slugs', () => {
    it('can be changed: only the new slug is found', async () => {
      expect((await patch('production', { slug: 'live' })).status).toBe(200)
      expect((await patch('live', { name: 'Live' })).body.data.id).toBe(production)
      expect((await patch('production', { name: 'Gone' })).status).toBe(404)
    })

    it.each([
      ['slug', 'production'],
      ['id', production],
    ])("are rejected with 409 if they equal another workspace's %s", async (_, slug) => {
      const { status, headers, body } = await patch('staging', { slug, name: 'Not kept' })
      expect(status).toBe(409)
      expect(body.error.code).toBe(409)
      expect(headers.get('x-understudy-assumptions')).toContain('slugConflict')
      expect((await stored('staging'))?.name).not.toBe('Not kept')
    })

    it("may equal the workspace's own slug or id", async () => {
      expect((await patch('staging', { slug: 'staging' })).status).toBe(200)
      expect((await patch('staging', { slug: staging })).status).toBe(200)
    })

    it('are case-sensitive, but UUIDs are not', async () => {
      const { status, body } = await patch(production.toUpperCase(), { name: 'Loud' })
      expect([status, body.data.id, body.data.name]).toEqual([200, production, 'Loud'])
      expect((await patch('PRODUCTION', { name: 'Louder' })).status).toBe(404)
    })

    it('are matched only if no id matches', async () => {
      const { workspaces } = entrance.sandbox.db
      const template = await workspaces.get('staging')
      if (!template) throw new Error('no template')
      const id = '33333333-3333-4333-8333-333333333333'
      await workspaces.create({ ...template, id, slug: '44444444-4444-4444-8444-444444444444' })
      await workspaces.create({ ...template, id: '44444444-4444-4444-8444-444444444444', slug: 'fourth' })
      const { body } = await patch('44444444-4444-4444-8444-444444444444', { name: 'By id' })
      expect(body.data.slug).toBe('fourth')
    })
  })

  describe('valid fields', () => {
    it.each([
      ['name of 1 character', { name: 'x' }],
      ['name of 100 characters', { name: 'x'.repeat(100) }],
      ['name of 100 emoji', { name: '🦊'.repeat(100) }],
      ['slug of 1 character', { slug: 'a' }],
      ['slug of 50 characters', { slug: 'a'.repeat(50) }],
      ['slug of digits', { slug: '2026' }],
      ['slug of several segments', { slug: 'a-b2-c' }],
      ['description of 500 characters', { description: 'x'.repeat(500) }],
      ['description of 0 characters', { description: '' }],
      ['sampling rate of 0.0001', { io_logging_sampling_rate: 0.0001 }],
      ['sampling rate of 1', { io_logging_sampling_rate: 1 }],
      ['list of 0 keys', { io_logging_api_key_ids: [] }],
      ['negative key id', { io_logging_api_key_ids: [-1] }],
    ])('include a %s', async (_, body) => {
      const { status, body: reply } = await patch('staging', body)
      expect(status).toBe(200)
      expect(reply.data).toMatchObject(body)
    })
  })

  describe('invalid updates', () => {
    it.each([
      ['an empty name', { name: '' }, 'body.name'],
      ['a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
      ['a null name', { name: null }, 'body.name'],
      ['a number as name', { name: 7 }, 'body.name'],
      ['an empty slug', { slug: '' }, 'body.slug'],
      ['a slug of 51 characters', { slug: 'a'.repeat(51) }, 'body.slug'],
      ['a null slug', { slug: null }, 'body.slug'],
      ['a slug with capitals', { slug: 'Production' }, 'body.slug'],
      ['a slug with a leading hyphen', { slug: '-a' }, 'body.slug'],
      ['a slug with a trailing hyphen', { slug: 'a-' }, 'body.slug'],
      ['a slug with consecutive hyphens', { slug: 'a--b' }, 'body.slug'],
      ['a slug with a line break at its end', { slug: 'a\n' }, 'body.slug'],
      ['a slug with an underscore', { slug: 'a_b' }, 'body.slug'],
      ['a description of 501 characters', { description: 'x'.repeat(501) }, 'body.description'],
      ['a number as text model', { default_text_model: 1 }, 'body.default_text_model'],
      [
        'a key id that is not an integer',
        { io_logging_api_key_ids: [1.5] },
        'body.io_logging_api_key_ids[0]',
      ],
      ['a key id as string', { io_logging_api_key_ids: ['1'] }, 'body.io_logging_api_key_ids[0]'],
      ['key ids as one number', { io_logging_api_key_ids: 1 }, 'body.io_logging_api_key_ids'],
      ['a sampling rate of 0', { io_logging_sampling_rate: 0 }, 'body.io_logging_sampling_rate'],
      [
        'a sampling rate below 0.0001',
        { io_logging_sampling_rate: 0.00009 },
        'body.io_logging_sampling_rate',
      ],
      ['a sampling rate above 1', { io_logging_sampling_rate: 1.0001 }, 'body.io_logging_sampling_rate'],
      ['a null sampling rate', { io_logging_sampling_rate: null }, 'body.io_logging_sampling_rate'],
      [
        'a string as flag',
        { is_observability_broadcast_enabled: 'yes' },
        'body.is_observability_broadcast_enabled',
      ],
      ['a null flag', { is_data_discount_logging_enabled: null }, 'body.is_data_discount_logging_enabled'],
      ['a list as body', [], 'body'],
      ['null as body', 'null', 'body'],
    ])('are rejected with 400 for %s', async (_, body, path) => {
      const before = await stored('staging')
      const { status, headers, body: reply } = await patch('staging', body)
      expect(status).toBe(400)
      const [first] = reply.error.metadata.violations
      expect(reply.error.code).toBe(400)
      // SDKs show error.message, so it contains the first violation.
      expect(reply.error.message.toLowerCase()).toBe(
        `${first.path.replace(/^body\./, '')}: ${first.message}`.toLowerCase(),
      )
      expect(reply.error.metadata.violations.map((violation: { path: string }) => violation.path)).toContain(
        path,
      )
      expect(headers.get('x-understudy-assumptions')).toContain('violations')
      expect(await stored('staging')).toEqual(before)
    })

    it('are reported with all violations at once, each with path, message and rule', async () => {
      const { body } = await patch('staging', { name: '', slug: 'A', io_logging_sampling_rate: 2 })
      const text = expect.any(String)
      expect(body.error.metadata.violations).toEqual([
        { path: 'body.name', message: text, rule: text },
        { path: 'body.slug', message: text, rule: text },
        { path: 'body.io_logging_sampling_rate', message: text, rule: text },
      ])
    })
  })

  it.each(['x', 'nobody', '99999999-9999-4999-8999-999999999999', '__proto__', 'constructor'])(
    'responds with a 404 for the id %s',
    async (id) => {
      const { status, body } = await patch(id, { name: 'x' })
      expect(status).toBe(404)
      expect(body).toEqual({ error: { code: 404, message: 'Resource not found' } })
    },
  )

  it('applies 50 concurrent updates without losing any', async () => {
    const rates = Array.from({ length: 50 }, (_, index) => (index + 1) / 100)
    await Promise.all([
      ...rates.map((rate) => patch('staging', { io_logging_sampling_rate: rate })),
      patch('staging', { name: 'At once' }),
      patch(staging, { description: 'At once' }),
    ])
    expect(await stored('staging')).toMatchObject({ name: 'At once', description: 'At once' })
  })
})
