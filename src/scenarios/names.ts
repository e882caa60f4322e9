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

/** Words for fields that rules do not have, and what to write. */
const misnomers: Readonly<Record<string, string>> = {
  once: 'use times: 1',
  delay: "use fault: { name: 'latency', ms: 100 }",
  status: "use fault: { name: 'status', status: 503 }, or reply: { status: 200, … }",
  response: "did you mean 'reply'?",
  text: "use reply: 'Hello'",
  body: 'use reply: { body: … }',
  path: "use on: 'POST /path'",
  method: "use on: 'POST /path'",
}

/** Returns the end of a message about an unknown field of a rule: `: use times: 1`. */
export function misnomer(field: string, fields: readonly string[]): string | undefined {
  return fields.includes('times') && Object.hasOwn(misnomers, field) ? `: ${misnomers[field]}` : undefined
}

/** Whether a text is the path of a scenario file, or of a recording, not the name of a bundled scenario. */
export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
