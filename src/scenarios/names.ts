/** Names used in scenarios: the operations that rules match, and scenario file paths. */
import { lookUp } from '../lib/json.ts'

/** In a rule's `on`, matches all operations that generate text. No operation may have this id. */
export const textOperations = 'text'

export type KnownOperationId =
  | 'listProviders'
  | 'updateWorkspace'
  | 'listEmbeddingsModels'
  | 'listBenchmarks'
  | 'getPreset'
  | 'createResponse'
  | 'createChatCompletion'
  | 'createCompletion'
  | 'createMessage'
  | 'countMessageTokens'
  | 'listModels'
  | 'countModels'
  | 'listModelEndpoints'
  | 'createEmbeddings'
  | 'getKey'
  | 'getCredits'
  | 'getGeneration'

/**
 * Id of a custom operation, as typed by `defineOperation`. For an operation from an OpenAPI document, write
 * `'getFile' as CustomOperationId`.
 */
export type CustomOperationId = string & { readonly isCustomOperation: true }

/**
 * Requests that a rule matches: an operation id, `text` for all operations that generate text, `*` for all requests,
 * or `POST /path` for a path without an operation.
 */
export type OperationName =
  | KnownOperationId
  | typeof textOperations
  | '*'
  | `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'} /${string}`

/** Path of a file with a scenario, a rule or a recording. */
export type ScenarioPath = `${string}.json` | `${string}.yaml` | `${string}.yml` | `${string}.recording.jsonl`

/** Titles of the scenarios that `use(rule)`, `reply()`, `fail()`, `script()` and `hold()` create, by scenario name. */
const shorthands: Readonly<Record<string, string>> = {
  rule: 'the inline rule',
  reply: 'reply()',
  fail: 'fail()',
  script: 'script()',
  hold: 'hold()',
}

export function isShorthand(scenario: unknown): boolean {
  return typeof scenario === 'string' && Object.hasOwn(shorthands, scenario)
}

export function isRecorded(name: string): boolean {
  return name.endsWith('.recording.jsonl')
}

/** Describes a rule in its author's words: `rule 2 of 'flaky'`, `rule 2 (slow) of 'flaky'` or `reply()`. */
export function ruleTitle(scenario: string, number: number, name?: string | null): string {
  if (isRecorded(scenario)) return scenario
  const own = name == null ? '' : ` (${name})`
  return number === 1 && isShorthand(scenario)
    ? `${shorthands[scenario]}${own}`
    : `rule ${number}${own} of '${scenario}'`
}

const endpoint = "choose the endpoint with on: 'createResponse', or on: 'POST /path'"

/** Fixes for fields that users might expect. A fix applies only if the object supports the field `needs`. */
const misnomers: Readonly<Record<string, readonly [needs: string | undefined, fix: string]>> = {
  rule: ['times', "did you mean 'rules'?"],
  once: ['times', 'use times: 1'],
  count: ['times', 'use times'],
  operation: ['on', "use on: 'createResponse'"],
  path: [undefined, endpoint],
  method: [undefined, endpoint],
  delay: ['fault', "use fault: { name: 'latency', ms: 100 }"],
  status: ['fault', "use fault: { name: 'status', status: 503 }, or reply: { status: 200, … }"],
  retryAfter: ['fault', "use headers: { 'retry-after': '1' }"],
  response: ['reply', "did you mean 'reply'?"],
  body: ['reply', 'use reply: { body: … }'],
  text: ['reply', "use reply: 'Hello'"],
  prompt: ['input', 'use input'],
  messages: ['input', 'use input'],
  content: ['text', 'use text'],
  message: ['text', 'use text'],
  choices: ['text', 'use text, which every protocol shows in its own form'],
  tool: ['call', "use call: { search: { q: 'tides' } }"],
  tool_calls: ['text', "use script([{ call: { search: { q: 'tides' } } }])"],
  reply: ['call', 'use text'],
}

export function misnomer(field: string, fields: readonly string[]): string | undefined {
  const [needs, fix] = lookUp(misnomers, field) ?? []
  return fix !== undefined && (needs === undefined || fields.includes(needs)) ? `; ${fix}` : undefined
}

export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
