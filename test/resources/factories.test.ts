// Factories: what they make is valid, unique and repeatable. And the edges of the shared strings.

import { base, en, Faker } from '@faker-js/faker'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Benchmark, benchmarkKey, fakeBenchmark } from '../../src/resources/benchmark.ts'
import type { Making } from '../../src/resources/factory.ts'
import { EmbeddingsModel, fakeEmbeddingsModel } from '../../src/resources/model.ts'
import { fakePage, Page } from '../../src/resources/page.ts'
import { fakePost, Post } from '../../src/resources/post.ts'
import { fakePreset, fakePresetVersion, PresetRecord, PresetVersion } from '../../src/resources/preset.ts'
import { fakeProvider, Provider } from '../../src/resources/provider.ts'
import { Timestamp } from '../../src/resources/text.ts'
import { fakeWorkspace, Workspace, WorkspaceUpdate } from '../../src/resources/workspace.ts'

const shared = new Faker({ locale: [en, base] })

const workspaceId = '11111111-1111-4111-8111-111111111111'
const presetId = 'e0000000-0000-4000-8000-000000000001'

interface Case<T> {
  schema: z.ZodType<T>
  make(making: Making): T
  keys(record: T): string[]
}
interface Factory {
  name: string
  schema: z.ZodType
  make(making: Making): unknown
  keys(record: unknown): string[]
}
function ofKind<T>(name: string, { schema, make, keys }: Case<T>): Factory {
  return { name, schema, make, keys: (record) => keys(schema.parse(record)) }
}

const factories = [
  ofKind('fakeProvider', { schema: Provider, make: fakeProvider, keys: ({ slug }) => [slug] }),
  ofKind('fakeWorkspace', { schema: Workspace, make: fakeWorkspace, keys: ({ id, slug }) => [id, slug] }),
  ofKind('fakeEmbeddingsModel', {
    schema: EmbeddingsModel,
    make: fakeEmbeddingsModel,
    keys: ({ id }) => [id],
  }),
  ofKind('fakeBenchmark', { schema: Benchmark, make: fakeBenchmark, keys: (row) => [benchmarkKey(row)] }),
  ofKind('fakePreset', {
    schema: PresetRecord,
    make: (making) => fakePreset(making, { workspaceId }),
    keys: ({ id, slug }) => [id, slug],
  }),
  ofKind('fakePresetVersion', {
    schema: PresetVersion,
    make: (making) => fakePresetVersion(making, { presetId, version: making.index + 1 }),
    keys: ({ id, version }) => [id, String(version)],
  }),
  ofKind('fakePage', { schema: Page, make: fakePage, keys: ({ url }) => [url] }),
  ofKind('fakePost', { schema: Post, make: fakePost, keys: ({ id, url }) => [id, url] }),
]

describe.each(factories)('$name', ({ schema, make, keys }) => {
  const records = Array.from({ length: 200 }, (_, index) => make(making(index)))
  const few = records.slice(0, 20)

  it('makes records that pass their schema', () => {
    for (const record of records) expect(schema.safeParse(record).error?.issues).toBeUndefined()
  })

  it('makes unique keys', () => {
    const all = records.flatMap(keys)
    expect(new Set(all).size).toBe(all.length)
  })

  it('makes the same record from the same seed', () => {
    expect(few.map((_, index) => make(making(index)))).toEqual(few)
  })

  it('makes another record from another seed', () => {
    expect(few.map((_, index) => make(making(index, 'other')))).not.toEqual(few)
  })

  it('makes the same record when every field has a faker of its own', () => {
    expect(few.map((_, index) => make(withFakersApart(index)))).toEqual(few)
  })

  it('dates records between 2023 and the end of 2025', () => {
    const dates = JSON.stringify(records).match(/(?<=")\d{4}-\d\d-\d\dT[^"]+(?=")/g) ?? []
    expect(dates.filter((date) => date < '2023-01-01' || date >= '2026-01-01')).toEqual([])
  })
})

describe('fakeBenchmark', () => {
  it('makes index rows at even places and design rows at odd ones', () => {
    const sources = [0, 1, 2, 3].map((index) => fakeBenchmark(making(index)).source)
    expect(sources).toEqual(['index-source', 'design-source', 'index-source', 'design-source'])
  })
})

describe('fakePreset and fakePresetVersion', () => {
  it('fit together when the version takes the designated id', () => {
    const preset = fakePreset(making(7), { workspaceId })
    const version = fakePresetVersion(making(8), {
      presetId: preset.id,
      version: 1,
      id: preset.designated_version_id,
    })
    expect(version).toMatchObject({ id: preset.designated_version_id, preset_id: preset.id, version: 1 })
  })
})

describe('Workspace lengths count code points', () => {
  const workspace = fakeWorkspace(making(0))
  const accepts = (changes: object) => {
    const answers = [
      Workspace.safeParse({ ...workspace, ...changes }).success,
      WorkspaceUpdate.safeParse(changes).success,
    ]
    expect(answers[0]).toBe(answers[1])
    return answers[0]
  }

  it.each([
    ['no name', { name: '' }, false],
    ['a name of 1', { name: 'a' }, true],
    ['a name of 99', { name: 'a'.repeat(99) }, true],
    ['a name of 100', { name: 'a'.repeat(100) }, true],
    ['a name of 101', { name: 'a'.repeat(101) }, false],
    ['a name of 1 emoji', { name: '🌊' }, true],
    ['a name of 100 emoji', { name: '🌊'.repeat(100) }, true],
    ['a name of 101 emoji', { name: '🌊'.repeat(101) }, false],
    ['a slug of 50', { slug: 'a'.repeat(50) }, true],
    ['a slug of 51', { slug: 'a'.repeat(51) }, false],
    ['an empty slug', { slug: '' }, false],
    ['a slug of segments', { slug: 'a1-b2-c3' }, true],
    ['a slug that ends in a hyphen', { slug: 'a-' }, false],
    ['a slug with two hyphens together', { slug: 'a--b' }, false],
    ['a slug that ends in a line feed', { slug: 'a\n' }, false],
    ['a slug in capitals', { slug: 'A' }, false],
    ['an empty description', { description: '' }, true],
    ['a null description', { description: null }, true],
    ['a description of 500', { description: '🌊'.repeat(500) }, true],
    ['a description of 501', { description: 'a'.repeat(501) }, false],
    ['a sampling rate of 0.0001', { io_logging_sampling_rate: 0.0001 }, true],
    ['a sampling rate of 0.00009', { io_logging_sampling_rate: 0.00009 }, false],
    ['a sampling rate of 1', { io_logging_sampling_rate: 1 }, true],
    ['a sampling rate above 1', { io_logging_sampling_rate: 1.0001 }, false],
    ['a sampling rate of null', { io_logging_sampling_rate: null }, false],
    ['a key id that is not whole', { io_logging_api_key_ids: [1.5] }, false],
    ['a key id beyond the safe integers', { io_logging_api_key_ids: [2 ** 53] }, false],
    ['no key ids', { io_logging_api_key_ids: [] }, true],
    ['null key ids', { io_logging_api_key_ids: null }, true],
    ['a sort nobody described', { default_provider_sort: 'vibes' }, true],
  ])('%s', (_, changes, accepted) => {
    expect(accepts(changes)).toBe(accepted)
  })

  it('says how long it may be and how long it is', () => {
    const issues = WorkspaceUpdate.safeParse({ name: '🌊'.repeat(101) }).error?.issues
    expect(issues).toMatchObject([
      { code: 'too_big', maximum: 100, path: ['name'], message: 'Must have at most 100 characters, has 101' },
    ])
  })

  it('shows the lengths in JSON Schema', () => {
    const schema = z.toJSONSchema(WorkspaceUpdate, { reused: 'inline' }).$defs?.WorkspaceUpdate
    expect(schema?.properties).toMatchObject({
      name: { type: 'string', minLength: 1, maxLength: 100 },
      slug: { minLength: 1, maxLength: 50, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' },
      description: { anyOf: [{ type: 'string', maxLength: 500 }, { type: 'null' }] },
    })
    expect(schema?.required).toBeUndefined()
  })
})

describe('WorkspaceUpdate', () => {
  it('keeps fields that the specification does not name', () => {
    expect(WorkspaceUpdate.parse({ colour: 'blue' })).toEqual({ colour: 'blue' })
  })
})

describe('Timestamp', () => {
  it.each([
    ['2025-12-31T23:59:59Z', true],
    [new Date(0).toISOString(), true],
    ['2025-12-31T23:59:59+02:00', true],
    ['2025-12-31', false],
    ['2025-02-30T00:00:00Z', false],
    ['2025-12-31T23:59:59', false],
  ])('%s', (text, accepted) => {
    expect(Timestamp.safeParse(text).success).toBe(accepted)
  })
})

/** Every field is the same faker, seeded anew: making one costs more than a record. */
function making(index: number, seed = 'seed'): Making {
  return { index, field: (name) => seeded(shared, `${seed}/${index}/${name}`) }
}

function withFakersApart(index: number): Making {
  return { index, field: (name) => seeded(new Faker({ locale: [en, base] }), `seed/${index}/${name}`) }
}

function seeded(faker: Faker, text: string): Faker {
  faker.seed([...text].map((character) => character.codePointAt(0) ?? 0))
  return faker
}
