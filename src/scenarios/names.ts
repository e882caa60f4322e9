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

/** An operation of your own, as `defineOperation` types its id; of a document: `'getFile' as OwnOperationId`. */
export type OwnOperationId = string & { readonly isOwnOperation: true }

/**
 * Requests that a rule matches: an operation, `text` for every operation that answers with text, `*` for every request,
 * or `POST /path` for a path that no operation describes.
 */
export type OperationName =
  | KnownOperationId
  | OwnOperationId
  | typeof textOperations
  | '*'
  | `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'} /${string}`

/** Fields of earlier versions, and what to write now. */
const earlier: Readonly<Record<string, string>> = {
  exhausted: "is now 'onEnd'",
  afterwards: "is now 'onEnd', and its 'last' is 'repeat-last'",
  quota: "is now 'rateLimit': write rateLimit: { requests: 60, per: '1m' }",
  window: 'is no longer there: windows of a rate limit are fixed',
}

/** Returns a message for a field that earlier versions had: `'exhausted' is now 'onEnd'`. */
export function renamed(field: string): string | undefined {
  return Object.hasOwn(earlier, field) ? `'${field}' ${earlier[field]}` : undefined
}

/** The path of a file with a scenario, a rule or a tape. */
export type ScenarioPath = `${string}.json` | `${string}.yaml` | `${string}.yml` | `${string}.tape.jsonl`

/** Whether a text is the path of a scenario file, or of a tape, not the name of a bundled scenario. */
export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
