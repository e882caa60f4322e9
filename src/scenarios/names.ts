/**
 * Names in scenarios: the operations that a rule is about, and paths of scenario files.
 */

/** In a rule's `on`: every operation that answers with text. No operation has this id. */
export const textOperations = 'text'

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

/** An operation of your own, as `defineOperation` types its id; of a document: `'getFile' as CustomOperationId`. */
export type CustomOperationId = string & { readonly isCustomOperation: true }

/**
 * Requests that a rule matches: an operation, `text` for every operation that answers with text, `*` for every request,
 * or `POST /path` for a path that no operation describes.
 */
export type OperationName =
  | KnownOperationId
  | typeof textOperations
  | '*'
  | `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'} /${string}`

/** The path of a file with a scenario, a rule or a recording. */
export type ScenarioPath =
  | `${string}.json`
  | `${string}.yaml`
  | `${string}.yml`
  | `${string}.recording.jsonl`
  | `${string}.tape.jsonl`

/** Whether a text is the path of a scenario file, or of a recording, not the name of a bundled scenario. */
export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
