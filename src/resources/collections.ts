// The collections of a database. A new one touches its resource, its fixture file, and one line of this list.

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

/** The record of each collection, by name. */
export type Rows = { [C in Listed as C['name']]: z.output<C['schema']> }

/** The collections whose number of records can be set: parts come with the records that they are parts of. */
export type SizedCollectionName = Extract<Listed, { partOf?: undefined }>['name']

/** The names of the collections: `providers`, `workspaces`, … */
export type CollectionName = keyof Rows

export const collections: readonly CollectionDeclaration<CollectionName>[] = list

export const collectionNames = collections.map(({ name }) => name)
