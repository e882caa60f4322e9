/** All collections. To add one, declare it next to its resource, add a fixture file, and list it here. */
import type * as z from 'zod'
import { benchmarks } from './benchmark.ts'
import { models } from './catalogue-model.ts'
import type { CollectionDeclaration } from './collection.ts'
import { embeddingsModels } from './model.ts'
import { pages } from './page.ts'
import { posts } from './post.ts'
import { presets, presetVersions } from './preset.ts'
import { providers } from './provider.ts'
import { workspaces } from './workspace.ts'

const list = [
  providers,
  workspaces,
  embeddingsModels,
  benchmarks,
  presets,
  presetVersions,
  pages,
  posts,
  models,
] as const

type Listed = (typeof list)[number]

export type Rows = { [C in Listed as C['name']]: z.output<C['schema']> }

/** Collections with a configurable number of records. The number of parts depends on their owners. */
export type SizedCollectionName = Extract<Listed, { partOf?: undefined }>['name']

export type CollectionName = keyof Rows

export const collections: readonly CollectionDeclaration<CollectionName>[] = list

export const collectionNames = collections.map(({ name }) => name)
