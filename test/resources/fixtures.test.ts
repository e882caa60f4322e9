// Tests that fixtures match their schemas and are consistent with each other.

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import benchmarks from '../../fixtures/benchmarks.json' with { type: 'json' }
import embeddingsModels from '../../fixtures/embeddings-models.json' with { type: 'json' }
import pages from '../../fixtures/pages.json' with { type: 'json' }
import posts from '../../fixtures/posts.json' with { type: 'json' }
import presetVersions from '../../fixtures/preset-versions.json' with { type: 'json' }
import presets from '../../fixtures/presets.json' with { type: 'json' }
import providers from '../../fixtures/providers.json' with { type: 'json' }
import workspaces from '../../fixtures/workspaces.json' with { type: 'json' }
import { Arena, Benchmark, CATEGORIES } from '../../src/resources/benchmark.ts'
import { EmbeddingsModel } from '../../src/resources/model.ts'
import { Page } from '../../src/resources/page.ts'
import { Post } from '../../src/resources/post.ts'
import { PresetRecord, PresetVersion } from '../../src/resources/preset.ts'
import { Provider } from '../../src/resources/provider.ts'
import { Workspace } from '../../src/resources/workspace.ts'

const world = {
  providers: z.array(Provider).parse(providers),
  workspaces: z.array(Workspace).parse(workspaces),
  embeddingsModels: z.array(EmbeddingsModel).parse(embeddingsModels),
  benchmarks: z.array(Benchmark).parse(benchmarks),
  presets: z.array(PresetRecord).parse(presets),
  presetVersions: z.array(PresetVersion).parse(presetVersions),
  pages: z.array(Page).parse(pages),
  posts: z.array(Post).parse(posts),
}

const indexRows = world.benchmarks.filter((row) => row.source === 'index-source')
const designRows = world.benchmarks.filter((row) => row.source === 'design-source')

describe('fixtures', () => {
  it('contain the documented number of rows', () => {
    const counts = Object.fromEntries(Object.entries(world).map(([name, rows]) => [name, rows.length]))
    expect(counts).toEqual({
      providers: 12,
      workspaces: 2,
      embeddingsModels: 8,
      benchmarks: 71,
      presets: 4,
      presetVersions: 10,
      pages: 40,
      posts: 24,
    })
    expect([indexRows.length, designRows.length]).toEqual([20, 51])
  })

  it('designate only versions that belong to the same preset', () => {
    const owners = world.presets.map(({ designated_version_id }) => {
      return world.presetVersions.find(({ id }) => id === designated_version_id)?.preset_id
    })
    expect(owners).toEqual(world.presets.map(({ id }) => id))
  })

  it('reference only existing workspaces and presets', () => {
    const workspaceIds = world.workspaces.map(({ id }) => id)
    const presetIds = world.presets.map(({ id }) => id)
    for (const { workspace_id } of world.presets) expect(workspaceIds).toContain(workspace_id)
    for (const { preset_id } of world.presetVersions) expect(presetIds).toContain(preset_id)
  })

  it('contain only dates before 2026, when the sandbox clock starts', () => {
    const start = Date.parse('2026-01-01T00:00:00Z')
    const dates = JSON.stringify(world).match(/(?<=")\d{4}-\d\d-\d\dT[^"]+(?=")/g) ?? []
    const seconds = world.embeddingsModels.map(({ created }) => created * 1000)
    expect(dates.length).toBeGreaterThan(90)
    expect([...dates.map((date) => Date.parse(date)), ...seconds].filter((time) => !(time < start))).toEqual(
      [],
    )
  })

  it('contain no record updated before its creation', () => {
    for (const row of [...world.workspaces, ...world.presets, ...world.presetVersions]) {
      expect(Date.parse(row.updated_at), row.id).toBeGreaterThanOrEqual(Date.parse(row.created_at))
    }
  })

  it('rank models differently in each index, without ties', () => {
    const orders = (['intelligence_index', 'coding_index', 'agentic_index'] as const).map((index) => {
      expect(new Set(indexRows.map((row) => row[index])).size).toBe(indexRows.length)
      return indexRows
        .toSorted((a, b) => b[index] - a[index])
        .map((row) => row.model_permaslug)
        .join()
    })
    expect(new Set(orders).size).toBe(3)
  })

  it('contain rows for every pair of arena and category', () => {
    const pairs = new Set(designRows.map(({ arena, category }) => `${arena} ${category}`))
    for (const arena of Arena.unwrap().options)
      for (const category of CATEGORIES) expect(pairs).toContain(`${arena} ${category}`)
  })

  it('contain only models from listed providers and x-ai', () => {
    const slugs = new Set([...world.providers.map(({ slug }) => slug), 'x-ai'])
    const models = [
      ...world.benchmarks.map((row) => row.model_permaslug),
      ...world.embeddingsModels.map(({ id }) => id),
      ...world.presetVersions.flatMap(({ config }) => config.model ?? []),
    ]
    expect(models.filter((model) => !slugs.has(model.split('/')[0] ?? ''))).toEqual([])
  })

  it('have normalised URLs', () => {
    for (const { url } of [...world.pages, ...world.posts]) expect(new URL(url).href).toBe(url)
  })
})
