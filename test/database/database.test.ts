import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import type { Provider } from '../../src/resources/provider.ts'
import { call } from '../call.ts'

const provider = (slug: string) => ({ name: slug, slug, privacy_policy_url: null })
const uuid = (last: number) => `99999999-9999-4999-8999-99999999999${last}`
const make = (options: GatewayOptions = {}) => createGateway(options).createSandbox().db

describe('a collection', () => {
  it('rejects a read without a key', async () => {
    const { providers } = make()
    // @ts-expect-error: no key.
    await expect(providers.get()).rejects.toThrow(
      'db.providers.get() expects a key such as an id, got undefined',
    )
    await expect(providers.get(7 as never)).rejects.toThrow(
      'db.providers.get() expects a key such as an id, got 7',
    )
  })

  it('keeps its order when a record changes', async () => {
    const { providers } = make()
    const before = (await providers.list()).map(({ slug }) => slug)
    await providers.update('borealis', { slug: 'boreal' })
    await providers.create(provider('last'))
    const after = (await providers.list()).map(({ slug }) => slug)
    expect(after).toEqual([...before.map((slug) => (slug === 'borealis' ? 'boreal' : slug)), 'last'])
    expect(await providers.get('borealis')).toBeUndefined()
    expect(await providers.get('boreal')).toBeDefined()
  })

  it('copies records on the way in and out', async () => {
    const { providers } = make()
    const mine = { ...provider('mine'), datacenters: ['DE'] }
    await providers.create(mine)
    mine.datacenters.push('FR')
    const read = await providers.get('mine')
    read?.datacenters?.push('US')
    expect((await providers.get('mine'))?.datacenters).toEqual(['DE'])
  })

  it("does not freeze or share the caller's objects, even inside loose schemas", async () => {
    const { presets, presetVersions } = make()
    const [preset] = await presets.list()
    const [first] = await presetVersions.list()
    const version = { ...first, id: uuid(1), version: 9, config: { mine: { deep: ['a'] } } } as never
    const mine = Reflect.get(version, 'config') as { mine: { deep: string[] } }
    await presetVersions.create(version)
    mine.mine.deep.push('b')
    await presetVersions.update(uuid(1), { config: mine })
    mine.mine.deep.push('c')
    expect((await presetVersions.get(uuid(1)))?.config).toEqual({ mine: { deep: ['a', 'b'] } })

    const fixtures = {
      presets: [{ ...preset, designated_version_id: uuid(1), id: Reflect.get(version, 'preset_id') }],
      presetVersions: [version],
    }
    const other = make({ fixtures: fixtures as never })
    expect(await other.presetVersions.list()).toEqual([version])
    mine.mine.deep.push('d')
    expect((await other.presetVersions.get(uuid(1)))?.config).toEqual({ mine: { deep: ['a', 'b', 'c'] } })
  })

  it('finds workspaces and presets by id or slug, and pages by URL', async () => {
    const { workspaces, presets, pages } = make()
    const [workspace] = await workspaces.list()
    expect(await workspaces.get(workspace?.id ?? '')).toEqual(await workspaces.get('production'))
    expect(await presets.get('code-review')).toBeDefined()
    const [page] = await pages.list()
    expect(await pages.get(page?.url ?? '')).toEqual(page)
  })

  it.each(['__proto__', 'constructor', 'hasOwnProperty', ''])(
    'returns undefined for the key %j',
    async (key) => {
      expect(await make().providers.get(key)).toBeUndefined()
    },
  )

  it('rejects an invalid record, naming collection, path and reason', async () => {
    const { providers } = make()
    const invalidRecord = { ...provider('mine'), headquarters: 'Germany' }
    await expect(providers.create(invalidRecord)).rejects.toThrow(/providers\.headquarters must/)
    await expect(providers.update('aurora', { name: 7 as unknown as string })).rejects.toThrow(
      /providers\.name must/,
    )
    expect(await providers.list()).toHaveLength(12)
  })

  it.each([
    ['providers', { slug: 'aurora' }, 'slug'],
    ['workspaces', { id: '33333333-3333-4333-8333-333333333333' }, 'slug'],
    ['workspaces', { slug: 'third' }, 'id'],
    ['embeddingsModels', {}, 'id'],
    ['presetVersions', { id: '33333333-3333-4333-8333-333333333333' }, 'version'],
    ['pages', {}, 'url'],
  ] as const)('rejects a duplicate key in %s: %o', async (name, changes, key) => {
    const collection = make()[name]
    const [first] = await collection.list()
    const again = { ...first, ...changes } as never
    await expect(collection.create(again)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(key),
    })
  })

  it('keeps the order of fields when an update adds one', async () => {
    const { providers } = make({ fixtures: { providers: [provider('a')] } })
    const after = await providers.update('a', { datacenters: ['DE'], terms_of_service_url: null })
    const order = ['name', 'slug', 'privacy_policy_url', 'terms_of_service_url', 'datacenters']
    expect(Object.keys(after)).toEqual(order)
    expect(Object.keys((await providers.get('a')) ?? {})).toEqual(order)
  })
})

describe("a preset's configuration", () => {
  const invalid = [
    [{ tools: [{ type: 'function' }] }, 'config.tools[0].name: '],
    [{ text: { format: { type: 'poem' } } }, 'config.text.format.type: '],
    [{ plugins: [{ id: 'web', max_results: 26 }] }, 'config.plugins[0].max_results: '],
    [{ x_search_filter: { from_date: 'May' } }, 'config.x_search_filter.from_date: '],
  ] as const

  it.each(invalid)('is rejected on write with the path of the invalid field: %j', async (config, path) => {
    const { presets, presetVersions } = make()
    const preset = await presets.get('code-review')
    const id = preset?.designated_version_id as string
    const refusal = {
      status: 400,
      message: expect.stringContaining(`presetVersions.${path.replace(/: $/, '')}`),
    }
    await expect(presetVersions.update(id, { config: config as never })).rejects.toMatchObject(refusal)
    const version = { ...(await presetVersions.get(id)), config }
    const fixtures = { presets: [preset], presetVersions: [version] }
    expect(() => createGateway({ fixtures: fixtures as never })).toThrow(
      `options.fixtures.presetVersions[0].${path.replace(/: $/, '')}`,
    )
  })

  it('may contain unknown fields, and settings that require other request fields', async () => {
    const gateway = createGateway()
    const id = (await gateway.db.presets.get('code-review'))?.designated_version_id as string
    const config = { tool_choice: { type: 'function', name: 'look_up' }, beyond: { the: ['specification'] } }
    await gateway.db.presetVersions.update(id, { config })
    const ask = async (more: object) => {
      const reply = await call(gateway, 'POST /responses', {
        body: { model: '@preset/code-review', input: 'Hello', ...more },
      })
      return [reply.status, reply.body.error?.metadata.violations]
    }
    expect(await ask({ tools: [{ type: 'function', name: 'look_up' }] })).toEqual([200, undefined])
    const path = 'body.tool_choice.name'
    expect(await ask({})).toMatchObject([400, [{ path, message: 'Must name one of the function tools' }]])
  })
})

describe('list(condition)', () => {
  const db = make()
  const slugs = async (condition: Parameters<typeof db.providers.list>[0]) =>
    (await db.providers.list(condition)).map(({ slug }) => slug)

  it.each([
    ['a value', { slug: 'aurora' }, (row: Provider) => row.slug === 'aurora'],
    ['two values', { slug: 'aurora', name: 'Borealis' }, () => false],
    ['null', { headquarters: null }, (row: Provider) => row.headquarters === null],
    [
      'an array with the same items in order',
      { datacenters: ['US', 'CA'] },
      (row: Provider) => `${row.datacenters}` === 'US,CA',
    ],
    ['an empty array', { datacenters: [] }, (row: Provider) => row.datacenters?.length === 0],
    [
      'one item of an array',
      { datacenters: { some: 'US' } },
      (row: Provider) => row.datacenters?.includes('US'),
    ],
    ['an empty condition', {}, () => true],
    ['a field that is undefined', { slug: undefined }, () => true],
  ])('matches %s', async (_, condition, passes) => {
    const expected = (await db.providers.list()).filter((row) => passes(row))
    expect(await slugs(condition as never)).toEqual(expected.map(({ slug }) => slug))
  })

  it('rejects an inherited field as unknown', async () => {
    await expect(slugs({ constructor: 'Object' } as never)).rejects.toThrow("unknown field 'constructor'")
  })

  it('accepts unknown fields of a nested object', async () => {
    const { presetVersions } = make()
    const [version] = await presetVersions.list()
    const ofConfig = (config: object) => presetVersions.list({ config } as never)
    await presetVersions.update(version?.id as string, { config: { mine: 1 } })
    expect([await ofConfig({ mine: 1 }), await ofConfig({ mine: 2 })]).toMatchObject([{ length: 1 }, []])
  })

  it('matches the given fields of a nested object and ignores its others', async () => {
    const free = await db.embeddingsModels.list({ pricing: { completion: '0' } })
    expect(free).toHaveLength(8)
    const withImages = await db.embeddingsModels.list({
      architecture: { input_modalities: { some: 'image' } },
    })
    expect(withImages.map(({ id }) => id)).toEqual(
      free.filter((row) => row.architecture.input_modalities.includes('image')).map(({ id }) => id),
    )
    expect(withImages.length).toBeGreaterThan(0)
  })

  it('matches fields of one record type in a mixed collection, and rejects misspelt fields', async () => {
    const builders = await db.benchmarks.list({ source: 'design-source', arena: 'builders', pricing: null })
    expect(builders.length).toBeGreaterThan(0)
    for (const row of builders) expect(row).toMatchObject({ arena: 'builders', pricing: null })
    // @ts-expect-error: unknown field of a provider.
    await expect(db.providers.list({ slugg: 'aurora' })).rejects.toThrow(
      /^db\.providers\.list\(\): unknown field 'slugg'; did you mean 'slug'\?$/,
    )
    // @ts-expect-error: datacenters are strings.
    expect(await db.providers.list({ datacenters: { some: 7 } })).toEqual([])
  })

  it('matches fields of array items', async () => {
    const [post] = (await db.posts.list()).filter(({ images }) => images)
    const [image] = post?.images ?? []
    expect(await db.posts.list({ images: { some: { description: image?.description as string } } })).toEqual([
      post,
    ])
  })

  it('returns the latest version of changed rows, in order', async () => {
    const { providers } = make()
    await providers.update('borealis', { name: 'Moved', headquarters: null })
    await providers.create({ ...provider('late'), name: 'Moved' })
    await providers.update('aurora', { name: 'Moved' })
    await providers.delete('cinderpeak')
    const moved = await providers.list({ name: 'Moved' })
    expect(moved.map(({ slug }) => slug)).toEqual(['aurora', 'borealis', 'late'])
    expect(await providers.list({ slug: 'cinderpeak' })).toEqual([])
  })

  it.each([[[]], [null], ['aurora'], [3], [() => true]])('rejects the condition %j', async (condition) => {
    await expect(db.providers.list(condition as never)).rejects.toMatchObject({ status: 400 })
  })
})

describe('query()', () => {
  const providers = [
    { ...provider('a'), headquarters: 'DE', datacenters: ['DE', 'FR'] },
    { ...provider('b'), headquarters: 'FR', datacenters: ['DE'] },
    { ...provider('c'), headquarters: 'DE', datacenters: null },
  ]

  describe.each(['before the first write', 'after the first write'])('%s', (when) => {
    const prepared = async () => {
      const db = make({ fixtures: { providers } })
      if (when === 'after the first write') await db.providers.update('b', { name: 'b' })
      return db.providers
    }

    it.each<[string, Parameters<Awaited<ReturnType<typeof prepared>>['query']>[0], string[]]>([
      ['fields', (q) => q.where({ headquarters: 'DE' }), ['a', 'c']],
      ['a predicate on a field', (q) => q.where({ slug: (slug) => slug > 'a' }), ['b', 'c']],
      ['a predicate on the record', (q) => q.where(({ datacenters }) => !datacenters), ['c']],
      ['either of two conditions', (q) => q.where({ slug: 'a' }).or({ slug: 'c' }), ['a', 'c']],
      ['both of two conditions', (q) => q.where({ headquarters: 'DE' }).and({ slug: 'c' }), ['c']],
      ['no record', (q) => q.where({ slug: 'd' }), []],
      ['a predicate on a list', (q) => q.where({ datacenters: (list) => list?.includes('FR') }), ['a']],
      ['an item of a list', (q) => q.where({ datacenters: { some: (code) => code > 'DE' } }), ['a']],
      ['null or a list', (q) => q.where({ datacenters: null }).or({ slug: 'b' }), ['b', 'c']],
    ])('matches %s, in order', async (_, build, slugs) => {
      const records = await (await prepared()).query(build)
      expect(records.map(({ slug }) => slug)).toEqual(slugs)
    })

    it('returns copies, and passes frozen records to predicates', async () => {
      const collection = await prepared()
      const [record] = await collection.query((q) =>
        q.where((row) => row.slug === 'a' && !Reflect.set(row, 'name', 'Spoilt')),
      )
      expect(record).toEqual(providers[0])
      record?.datacenters?.push('US')
      expect(await collection.get('a')).toEqual(providers[0])
    })

    it('rejects invalid arguments', async () => {
      const collection = await prepared()
      const refusal = { status: 400, message: expect.stringContaining('db.providers.query()') }
      for (const build of [undefined, { slug: 'a' }, () => undefined, () => true])
        await expect(collection.query(build as never)).rejects.toMatchObject(refusal)
      await expect(collection.query((q) => q.where(3 as never))).rejects.toThrow('condition')
    })

    it('refuses async predicates and regular expressions', async () => {
      const collection = await prepared()
      await expect(collection.query((q) => q.where({ slug: async () => false }))).rejects.toMatchObject({
        status: 400,
        message: 'db.providers.query(): A predicate must not be async: it returned a promise',
      })
      await expect(collection.query((q) => q.where({ slug: /a/ as never }))).rejects.toMatchObject({
        status: 400,
        message: 'db.providers.query(): The condition contains /a/, which matches no JSON value',
      })
    })
  })

  it('calls a predicate on a nested list or object', async () => {
    const { embeddingsModels } = make()
    const all = await embeddingsModels.list()
    const withImages = all.filter((row) => row.architecture.input_modalities.includes('image'))
    expect(
      await embeddingsModels.query((q) =>
        q.where({ architecture: { input_modalities: (list) => list.includes('image') } }),
      ),
    ).toEqual(withImages)
    expect(await embeddingsModels.query((q) => q.where({ pricing: () => false }))).toEqual([])
  })

  it('reads the state at the time of the call', async () => {
    const sandbox = createGateway().createSandbox()
    await sandbox.db.providers.create(provider('mine'))
    const query = () => sandbox.db.providers.query((q) => q.where({ slug: 'mine' }))
    const before = query()
    sandbox.reset()
    expect(await before).toEqual([provider('mine')])
    expect(await query()).toEqual([])
  })
})

describe('a concurrent reader', () => {
  it('sees the old rows while the first write copies them without blocking', async () => {
    const fixtures = { providers: Array.from({ length: 2500 }, (_, place) => provider(`p-${place}`)) }
    const { providers } = make({ fixtures })
    await providers.get('p-0')
    let isWritten = false
    const write = providers.update('p-2499', { slug: 'moved' }).then(() => {
      isWritten = true
    })
    let turns = 0
    for (; !isWritten; turns++) {
      const [list, old, moved] = await Promise.all([
        providers.list({ slug: 'moved' }),
        providers.get('p-2499'),
        providers.get('moved'),
      ])
      expect([list.length, old !== undefined, moved !== undefined]).toEqual(
        moved ? [1, false, true] : [0, true, false],
      )
      await new Promise(setImmediate)
    }
    await write
    expect(turns).toBeGreaterThan(2)
    expect(await providers.get('moved')).toEqual({ ...provider('p-2499'), slug: 'moved' })
  })

  it('sees rows and keys of the same version, in order, throughout a write', async () => {
    const { providers } = make()
    const order = (await providers.list()).map(({ slug }) => slug)
    const rename = (from: string, to: string) => () => providers.update(from, { slug: to })
    for (let turns = 0; turns < 40; turns++) {
      for (const [write, from, to] of [
        [rename('aurora', 'dawn'), 'aurora', 'dawn'],
        [rename('dawn', 'aurora'), 'dawn', 'aurora'],
        [() => providers.create(provider('new')), '', 'new'],
        [() => providers.delete('new'), 'new', ''],
      ] as const) {
        // After this write, no reader has listed the rows yet.
        await providers.update('borealis', { name: `Number ${turns}` })
        const written = write()
        for (let turn = 0; turn < turns; turn++) await undefined
        const [list, before, after] = await Promise.all([
          providers.list(),
          providers.get(from),
          providers.get(to),
        ])
        expect(list.find(({ slug }) => slug === from)).toEqual(before)
        expect(list.find(({ slug }) => slug === to)).toEqual(after)
        expect(before === undefined || after === undefined).toBe(true)
        expect(list.slice(1, order.length).map(({ slug }) => slug)).toEqual(order.slice(1))
        await written
      }
    }
  })
})

describe('presets and their versions', () => {
  it('must be created version first, and designated versions cannot be deleted', async () => {
    const { presets, presetVersions } = make()
    const [like] = await presets.list()
    const mine = { ...like, id: uuid(2), slug: 'mine', designated_version_id: uuid(1) } as NonNullable<
      typeof like
    >
    const message = `db.presets.create(): presets.designated_version_id: presetVersions has no '${uuid(1)}' whose preset_id is '${uuid(2)}'; create it first`
    await expect(presets.create(mine)).rejects.toMatchObject({ status: 400, message })
    const [version] = await presetVersions.list()
    for (const id of [uuid(1), uuid(3)])
      await presetVersions.create({
        ...version,
        id,
        version: Number(id.at(-1)),
        preset_id: uuid(2),
      } as NonNullable<typeof version>)
    await presetVersions.delete(uuid(3))
    await presets.create(mine)
    await expect(presetVersions.delete(uuid(1))).rejects.toMatchObject({
      status: 409,
      message: `db.presetVersions.delete(): presetVersions '${uuid(1)}' is the designated_version_id of presets '${uuid(2)}'; change that reference first`,
    })
    await presetVersions.update(uuid(1), { version: 7 })
    await presets.delete(uuid(2))
    expect(await presetVersions.delete(uuid(1))).toMatchObject({ version: 7 })
  })

  it('can designate only a version of the same preset', async () => {
    const { presets, presetVersions } = make()
    const other = (await presets.get('code-review'))?.designated_version_id ?? ''
    await expect(presets.update('email-copywriter', { designated_version_id: other })).rejects.toThrow(
      /designated_version_id/,
    )
    const preset = await presets.get('email-copywriter')
    const [first] = await presetVersions.list({ preset_id: preset?.id ?? '' })
    await presets.update('email-copywriter', { designated_version_id: first?.id ?? '' })
    expect((await presets.get('email-copywriter'))?.designated_version_id).toBe(first?.id)
  })

  it('keep the designated version', async () => {
    const { presets, presetVersions } = make()
    const id = (await presets.get('code-review'))?.designated_version_id ?? ''
    await expect(
      presetVersions.update(id, { preset_id: '33333333-3333-4333-8333-333333333333' }),
    ).rejects.toMatchObject({ status: 409 })
  })
})

describe("a gateway's initial records", () => {
  it('are extended to any count with generated records, which depend only on the seed', async () => {
    const size = {
      providers: 30,
      workspaces: 5,
      embeddingsModels: 20,
      benchmarks: 80,
      presets: 9,
      pages: 50,
      posts: 30,
    }
    const first = make({ seed: 3, recordCounts: size })
    const second = make({ seed: 3, recordCounts: size })
    for (const [name, count] of Object.entries(size)) {
      const rows = await first[name as 'providers'].list()
      expect(rows, name).toHaveLength(count)
      expect(await second[name as 'providers'].list(), name).toEqual(rows)
    }
    expect(await make({ seed: 4, recordCounts: size }).providers.list()).not.toEqual(
      await first.providers.list(),
    )
  })

  it('include two versions of each generated preset, one of them designated', async () => {
    const { presets, presetVersions } = make({ recordCounts: { presets: 6 } })
    const generated = (await presets.list()).slice(4)
    expect(generated).toHaveLength(2)
    for (const preset of generated) {
      const versions = await presetVersions.list({ preset_id: preset.id })
      expect(versions.map(({ version }) => version)).toEqual([1, 2])
      expect(versions.map(({ id }) => id)).toContain(preset.designated_version_id)
    }
  })

  it('do not change when another collection grows', async () => {
    const small = await make({ recordCounts: { providers: 20 } }).providers.list()
    const large = await make({ recordCounts: { providers: 40, pages: 60 } }).providers.list()
    expect(large.slice(0, 20)).toEqual(small)
  })

  it.each([
    [
      { providers: [provider('a'), { slug: 'b' }] },
      /providers\[1\]\.name is required \(also privacy_policy_url\)/,
    ],
    [{ providers: [provider('a'), provider('a')] }, /providers\[1\]\.slug: 'a' is taken by providers\[0\]/],
    [{ workspaces: [{}] }, /workspaces\[0\]\.id is required/],
    [{ providers: 'all' }, /fixtures\.providers must/],
    [{ provider: [] }, /options\.fixtures\.provider: unknown field; did you mean 'providers'/],
  ])('must be valid: %o throws a one-line error with a path', (fixtures, message) => {
    const error = (() => {
      try {
        createGateway({ fixtures: fixtures as never })
        return undefined
      } catch (thrown) {
        return thrown as Error
      }
    })()
    expect(error?.message).toMatch(message)
    expect(error?.message).not.toContain('\n')
  })

  const versions = (id: string, preset_id: string) => ({
    id,
    preset_id,
    version: 1,
    config: {},
    system_prompt: '',
    creator_id: 'user_ada',
    created_at: '2025-01-01T00:00:00Z',
    updated_at: '2025-01-01T00:00:00Z',
  })

  it('must replace presets and their versions together', async () => {
    const [preset] = await make().presets.list({ slug: 'code-review' })
    const invalid = [
      [{ presets: [] }, 'options.fixtures.presets without presetVersions: pass both or neither'],
      [{ presetVersions: [] }, 'options.fixtures.presetVersions without presets: pass both or neither'],
      [
        { presets: [preset], presetVersions: [] },
        /: options\.fixtures\.presets\[0\]\.designated_version_id: presetVersions has no '[-0-9a-f]+' whose preset_id is '[-0-9a-f]+'$/,
      ],
      [
        { presets: [], presetVersions: [versions(uuid(1), uuid(2))] },
        /: options\.fixtures\.presetVersions\[0\]\.preset_id: presets has no record '99999999-.*2'$/,
      ],
    ] as const
    for (const [fixtures, message] of invalid) {
      expect(() => createGateway({ fixtures: fixtures as never })).toThrow(message)
      expect(() => createGateway().createSandbox({ fixtures: fixtures as never })).toThrow(
        expect.objectContaining({ status: 400, message: expect.stringMatching(message) }),
      )
    }
    const custom = { ...preset, id: uuid(2), designated_version_id: uuid(1) }
    const db = make({
      fixtures: { presets: [custom], presetVersions: [versions(uuid(1), uuid(2))] } as never,
    })
    expect(await db.presets.list()).toEqual([custom])
    expect(await db.presetVersions.list()).toHaveLength(1)
  })

  it('omit versions whose preset exceeds the requested count', async () => {
    const { presets, presetVersions } = make({ recordCounts: { presets: 1 } })
    const [only] = await presets.list()
    const owners = (await presetVersions.list()).map(({ preset_id }) => preset_id)
    expect(owners).toEqual([only?.id, only?.id, only?.id])
  })

  it('include generated presets of custom workspaces', async () => {
    const workspace = { ...(await make().workspaces.get('staging')), id: uuid(7), slug: 'mine' } as never
    const { presets } = make({ fixtures: { workspaces: [workspace] }, recordCounts: { presets: 8 } })
    const generated = (await presets.list()).slice(4)
    expect(generated.map(({ workspace_id }) => workspace_id)).toEqual(Array(4).fill(uuid(7)))
  })

  it("include no generated record that has a custom record's key", async () => {
    const generated = await make({ recordCounts: { providers: 16 } }).providers.list()
    const fixtures = { providers: generated.slice(12).map((row) => ({ ...row, name: 'Mine' })) }
    const all = await make({ fixtures, recordCounts: { providers: 20 } }).providers.list()
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(20)
    expect(all.slice(0, 4).map(({ name }) => name)).toEqual(Array(4).fill('Mine'))
  })
})

describe('a fork that has not accessed a collection yet', () => {
  const forked = async () => {
    const original = createGateway().createSandbox()
    await original.db.providers.create(provider('mine'))
    return original.fork()
  }

  it('passes its rows to its own forks', async () => {
    expect(await (await forked()).fork().db.providers.get('mine')).toEqual(provider('mine'))
  })

  it('restores its rows from a snapshot', async () => {
    const fork = await forked()
    const before = fork.snapshot()
    await fork.db.providers.delete('mine')
    fork.restore(before)
    expect(await fork.db.providers.get('mine')).toEqual(provider('mine'))
  })

  it('returns to the seed on reset', async () => {
    const fork = await forked()
    fork.reset()
    expect(await fork.db.providers.list()).toHaveLength(12)
  })
})

describe('errors of a collection', () => {
  it.each([
    [[], ''],
    [[provider('yours')], '; expected yours'],
    [[provider('mines')], "; did you mean 'mines'?"],
  ])('are 404s for a key that is not in %j', async (providers, hint) => {
    const { db } = createGateway({ fixtures: { providers } }).createSandbox()
    await expect(db.providers.delete('mine')).rejects.toMatchObject({
      status: 404,
      message: `db.providers.delete(): providers has no record 'mine'${hint}`,
    })
  })
})
