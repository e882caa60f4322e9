/**
 * Names in scenarios: the operations that a rule is about, and paths of scenario files.
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

/** The path of a file with a scenario, a rule or a tape. */
export type ScenarioPath = `${string}.json` | `${string}.yaml` | `${string}.yml` | `${string}.tape.jsonl`

/** Whether a text is the path of a scenario file, or of a tape, not the name of a bundled scenario. */
export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
