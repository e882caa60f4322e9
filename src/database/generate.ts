/**
 * Generated records beyond the hand-written ones. Loads faker, so it is imported by whoever needs one more record.
 */
import type { Faker } from '@faker-js/faker'
import { random } from '../lib/seed.ts'
import { fakeBenchmark } from '../resources/benchmark.ts'
import type { Making } from '../resources/factory.ts'
import { fakeEmbeddingsModel } from '../resources/model.ts'
import { fakePage } from '../resources/page.ts'
import { fakePost } from '../resources/post.ts'
import { fakePreset, fakePresetVersion, type PresetRecord, type PresetVersion } from '../resources/preset.ts'
import { fakeProvider } from '../resources/provider.ts'
import { fakeWorkspace, type Workspace } from '../resources/workspace.ts'
import type { CollectionName } from './collection-names.ts'
import type { Rows } from './collections.ts'

export interface Generator {
  /** One record of a collection; the same for the same seed and index, whatever else is generated. */
  row(name: CollectionName, index: number, workspaces: readonly Workspace[]): Rows[CollectionName]
  /** The two versions of the generated preset with this index. */
  versionsOf(presetIndex: number): PresetVersion[]
}

export async function generator(seed: string | number): Promise<Generator> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  let next = random(seed)
  // An instance of our own: seeding the shared one would reach into the tests of whoever uses it too.
  const OwnFaker = shared.constructor as typeof Faker
  const faker = new OwnFaker({
    locale: shared.rawDefinitions,
    randomizer: { next: () => next(), seed: () => {} },
  })

  const making = (collection: CollectionName, index: number): Making => ({
    index,
    field(name) {
      next = random(seed, collection, index, name)
      return faker
    },
  })

  const preset = (index: number, workspaces: readonly Workspace[]): PresetRecord => {
    const workspace = workspaces[index % Math.max(workspaces.length, 1)]
    const bare = fakePreset(making('presets', index), { workspaceId: workspace?.id ?? orphan })
    return { ...bare, designated_version_id: versionsOf(index)[1]?.id ?? bare.designated_version_id }
  }

  const versionsOf = (index: number): PresetVersion[] => {
    const { id } = fakePreset(making('presets', index), { workspaceId: orphan })
    return [1, 2].map((version) =>
      fakePresetVersion(making('presetVersions', index * 2 + version - 1), { presetId: id, version }),
    )
  }

  const factories = {
    providers: (index: number) => fakeProvider(making('providers', index)),
    workspaces: (index: number) => fakeWorkspace(making('workspaces', index)),
    embeddingsModels: (index: number) => fakeEmbeddingsModel(making('embeddingsModels', index)),
    benchmarks: (index: number) => fakeBenchmark(making('benchmarks', index)),
    pages: (index: number) => fakePage(making('pages', index)),
    posts: (index: number) => fakePost(making('posts', index)),
    presets: preset,
    presetVersions: (index: number) => versionsOf(index >> 1)[index & 1] as PresetVersion,
  }
  return { row: (name, index, workspaces) => factories[name](index, workspaces), versionsOf }
}

/** The workspace of a preset in a world without workspaces. */
const orphan = '00000000-0000-4000-8000-000000000000'
