// Tests that factories generate valid, unique and reproducible records, and the limits of stored rows.

import { base, en, Faker } from '@faker-js/faker'
import { describe, expect, it } from 'vitest'
import modelRows from '../../fixtures/models.json' with { type: 'json' }
import { fakeDesignBenchmark } from '../../src/resources/benchmark.ts'
import type { CollectionDeclaration } from '../../src/resources/collection.ts'
import { collections } from '../../src/resources/collections.ts'
import { type FactoryContext, uniqueWords } from '../../src/resources/factory.ts'
import { fakePreset, fakePresetVersion } from '../../src/resources/preset.ts'
import { fakeWorkspace, type Workspace } from '../../src/resources/workspace.ts'

const shared = new Faker({ locale: [en, base] })

/** Other collections' records, for factories that refer to them. */
const relatedRecords: Record<string, readonly object[]> = {
  workspaces: [fakeWorkspace(contextOf('workspaces', 0)), fakeWorkspace(contextOf('workspaces', 1))],
}
relatedRecords['presets'] = Array.from({ length: 60 }, (_, index) =>
  fakePreset(contextOf('presets', index), relatedRecords['workspaces'] as Workspace[]),
)

const architecture = {
  input_modalities: ['text'],
  modality: 'text->text',
  tokenizer: 'Aurora',
  instruct_type: null,
}

const make = (declaration: CollectionDeclaration, context: FactoryContext) =>
  declaration.fake(context, (name) => relatedRecords[name] ?? [])

describe.each(collections)('the $name factory', (declaration) => {
  const { name, schema, keys } = declaration
  const records = Array.from({ length: 120 }, (_, index) => make(declaration, contextOf(name, index)))
  const few = records.slice(0, 20)

  it('generates records that match their schema', () => {
    for (const record of records) expect(schema.safeParse(record).error?.issues).toBeUndefined()
  })

  it('generates unique keys', () => {
    for (const read of Object.values(keys)) {
      expect(new Set(records.map(read)).size).toBe(records.length)
    }
  })

  it('generates the same record if every field has a separate faker', () => {
    const apart = () => new Faker({ locale: [en, base] })
    expect(few.map((_, index) => make(declaration, contextOf(name, index, 'seed', apart)))).toEqual(few)
  })

  it('dates records between 2023 and the end of 2025', () => {
    const dates = JSON.stringify(records).match(/(?<=")\d{4}-\d\d-\d\dT[^"]+(?=")/g) ?? []
    expect(dates.filter((date) => date < '2023-01-01' || date >= '2026-01-01')).toEqual([])
  })

  it('generates names without numbers', () => {
    const names = few.flatMap((record) => {
      const { name = '', slug = '', title = '' } = record as Record<string, string>
      return [name, slug, title]
    })
    expect(names.filter((text) => /[ -]\d+$/.test(text))).toEqual([])
  })
})

describe('uniqueWords', () => {
  it('adds a number after the last combination of words', () => {
    const lists = [
      ['Amber', 'Blue', 'Coral'],
      ['Bay', 'Hill'],
    ] as const
    const names = Array.from({ length: 14 }, (_, index) =>
      uniqueWords(contextOf('providers', index), ...lists).join(' '),
    )
    expect(new Set(names).size).toBe(14)
    expect(names.map((name) => /\d+$/.exec(name)?.[0])).toEqual([
      ...Array(6).fill(undefined),
      ...Array(6).fill('2'),
      '3',
      '3',
    ])
  })
})

describe('fakeDesignBenchmark', () => {
  it('generates higher win rates and more first places for higher elos', () => {
    const rows = Array.from({ length: 40 }, (_, index) =>
      fakeDesignBenchmark(contextOf('benchmarks', index)),
    ).sort((left, right) => left.elo - right.elo)
    const rates = rows.map(({ win_rate }) => win_rate)
    expect(rates).toEqual(rates.toSorted((left, right) => left - right))
    for (const { tournament_stats: stats, elo } of rows)
      expect(Math.sign((stats.first_place as number) - (stats.fourth_place as number))).toBe(
        Math.sign(elo - 1150),
      )
  })
})

describe('generated workspaces and presets', () => {
  it('refer to models in the catalogue', () => {
    const ids = modelRows.map(({ id }) => id)
    const presets = [fakePreset(contextOf('presets', 0), [])]
    expect(ids).toContain(fakeWorkspace(contextOf('workspaces', 3)).default_text_model)
    expect(ids).toContain(fakePresetVersion(contextOf('presetVersions', 1), presets).config.model)
  })
})

describe('fakePreset and fakePresetVersion', () => {
  const presets = Array.from({ length: 50 }, (_, index) => fakePreset(contextOf('presets', index), []))
  const versionsOf = (index: number) =>
    [0, 1].map((place) => fakePresetVersion(contextOf('presetVersions', index * 2 + place), presets))

  it('date the first version no earlier than the preset, and the second later', () => {
    for (const [index, preset] of presets.entries()) {
      const [first, second] = versionsOf(index)
      const dates = [
        preset.created_at,
        first?.created_at,
        second?.created_at,
        second?.updated_at,
        preset.updated_at,
      ]
      expect(dates).toEqual(dates.toSorted())
      expect(first?.created_at).not.toBe(second?.created_at)
    }
  })
})

describe("a stored row's limits", () => {
  const versionOf = (version: number) => ({ version })
  it.each<[collection: string, valid: object[], invalid: object[]]>([
    ['pages', [{ title: 'a' }, { excerpt: 'a' }], [{ title: '' }, { excerpt: '' }]],
    [
      'posts',
      [{ id: 'a' }, { text: 'a' }, { images: [{ description: 'a' }] }, { videos: [] }],
      [{ id: '' }, { text: '' }, { images: [{ description: '' }] }, { videos: [{ description: '' }] }],
    ],
    [
      'benchmarks',
      [{ win_rate: 0 }, { win_rate: 100 }, { avg_generation_time_ms: 0 }],
      [{ win_rate: -1 }, { win_rate: 100.5 }, { avg_generation_time_ms: -1 }],
    ],
    [
      'models',
      [['text'], ['text', 'image']].map((output_modalities) => ({
        architecture: { ...architecture, output_modalities },
      })),
      [{ architecture: { ...architecture, output_modalities: [] } }],
    ],
    [
      'presetVersions',
      [versionOf(1), { config: { model: 'a' } }, { config: { max_output_tokens: 1 } }],
      [versionOf(0), { config: { model: '' } }, { config: { max_output_tokens: 0 } }],
    ],
  ])('apply to %s', (name, valid, invalid) => {
    const declaration = collections.find((each) => each.name === name) as CollectionDeclaration
    const row = make(declaration, contextOf(name, 1))
    const accepts = (changes: object) => declaration.schema.safeParse({ ...row, ...changes }).success
    expect([valid.map(accepts), invalid.map(accepts)]).toEqual([
      valid.map(() => true),
      invalid.map(() => false),
    ])
  })
})

/**
 * Shares one reseeded Faker instance for all fields, because creating an instance takes longer than
 * generating a record.
 */
function contextOf(collection: string, index: number, seed = 'seed', faker = () => shared): FactoryContext {
  const seeded = (...labels: Array<string | number>): Faker => {
    const fresh = faker()
    fresh.seed([...[seed, ...labels].join('/')].map((character) => character.codePointAt(0) ?? 0))
    return fresh
  }
  return {
    index,
    field: (name) => seeded(collection, index, name),
    shared: (name) => seeded(collection, name),
    of: (other, place) => contextOf(other, place, seed, faker),
  }
}
