/**
 * The collections by name: schema, keys, and where their canonical records lie.
 */
import type * as z from 'zod'
import { Benchmark, benchmarkKey } from '../resources/benchmark.ts'
import { EmbeddingsModel } from '../resources/model.ts'
import { Page } from '../resources/page.ts'
import { Post } from '../resources/post.ts'
import { PresetRecord, PresetVersion } from '../resources/preset.ts'
import { Provider } from '../resources/provider.ts'
import { Workspace } from '../resources/workspace.ts'
import type { TableSpec } from './base.ts'
import type { CollectionName } from './collection-names.ts'

export interface Rows {
  providers: Provider
  workspaces: Workspace
  embeddingsModels: EmbeddingsModel
  benchmarks: Benchmark
  presets: PresetRecord
  presetVersions: PresetVersion
  pages: Page
  posts: Post
}

export interface CollectionSpec<Row extends object> extends TableSpec<Row> {
  /** Loads the records of `fixtures/`, unchecked; only when somebody asks for them. */
  readonly canonical: () => Promise<{ default: unknown[] }>
}

export const collections: { readonly [Name in CollectionName]: CollectionSpec<Rows[Name]> } = {
  providers: {
    name: 'providers',
    schema: Provider,
    keys: { slug: (row) => row.slug },
    canonical: () => import('../../fixtures/providers.json', { with: { type: 'json' } }),
  },
  workspaces: {
    name: 'workspaces',
    schema: Workspace,
    keys: { id: (row) => row.id, slug: (row) => row.slug },
    canonical: () => import('../../fixtures/workspaces.json', { with: { type: 'json' } }),
  },
  embeddingsModels: {
    name: 'embeddingsModels',
    schema: EmbeddingsModel,
    keys: { id: (row) => row.id },
    canonical: () => import('../../fixtures/embeddings-models.json', { with: { type: 'json' } }),
  },
  benchmarks: {
    name: 'benchmarks',
    schema: Benchmark as z.ZodType<Benchmark>,
    keys: { key: benchmarkKey },
    canonical: () => import('../../fixtures/benchmarks.json', { with: { type: 'json' } }),
  },
  presets: {
    name: 'presets',
    schema: PresetRecord,
    keys: { id: (row) => row.id, slug: (row) => row.slug },
    canonical: () => import('../../fixtures/presets.json', { with: { type: 'json' } }),
  },
  presetVersions: {
    name: 'presetVersions',
    schema: PresetVersion,
    keys: { id: (row) => row.id, version: (row) => `${row.preset_id}/${row.version}` },
    canonical: () => import('../../fixtures/preset-versions.json', { with: { type: 'json' } }),
  },
  pages: {
    name: 'pages',
    schema: Page,
    keys: { url: (row) => row.url },
    canonical: () => import('../../fixtures/pages.json', { with: { type: 'json' } }),
  },
  posts: {
    name: 'posts',
    schema: Post,
    keys: { id: (row) => row.id },
    canonical: () => import('../../fixtures/posts.json', { with: { type: 'json' } }),
  },
}
