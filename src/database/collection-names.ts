/**
 * Names of the collections, everywhere.
 */
export const collectionNames = [
  'providers',
  'workspaces',
  'embeddingsModels',
  'benchmarks',
  'presets',
  'presetVersions',
  'pages',
  'posts',
] as const

export type CollectionName = (typeof collectionNames)[number]
