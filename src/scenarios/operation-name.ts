/**
 * What a rule is about, by name.
 */

/** Operations of the specification, and of the extensions. */
export type KnownOperationId =
  | 'listProviders'
  | 'updateWorkspace'
  | 'listEmbeddingsModels'
  | 'listBenchmarks'
  | 'getPreset'
  | 'createResponse'
  | 'createChatCompletion'
  | 'createMessage'
  | 'listModels'
  | 'countModels'
  | 'listModelEndpoints'
  | 'createEmbeddings'
  | 'getKey'
  | 'getCredits'
  | 'getGeneration'

/** An operation of your own, as `defineOperation` types its id; of a document: `'getFile' as OwnOperationId`. */
export type OwnOperationId = string & { readonly isOwnOperation: true }

/** What a rule is about: an operation, `*` for every request, or `POST /path` for a path that no operation describes. */
export type OperationName =
  | KnownOperationId
  | OwnOperationId
  | '*'
  | `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'} /${string}`

/** Nothing where a text is known when it is compiled: then it must be one of the known names. */
export type Computed<Text extends string> = string extends Text ? unknown : never
