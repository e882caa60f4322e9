/** Names used in scenarios: the operations that rules match, and scenario file paths. */

/** In a rule's `on`, matches all operations that generate text. No operation may have this id. */
export const textOperations = 'text'

/** Ids of operations in the specification and outside it. */
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

/** Titles of the scenarios that `use(rule)`, `reply()`, `fail()` and `script()` create, by scenario name. */
const shorthands: Readonly<Record<string, string>> = {
  rule: 'the inline rule',
  reply: 'reply()',
  fail: 'fail()',
  script: 'script()',
}

/** Returns true if the name was generated rather than chosen by the scenario's author. */
export function isShorthand(scenario: unknown): boolean {
  return typeof scenario === 'string' && Object.hasOwn(shorthands, scenario)
}

/** Describes a rule in its author's words: `rule 2 of 'flaky'`, `rule 2 (slow) of 'flaky'` or `reply()`. */
export function ruleTitle(scenario: string, number: number, name?: string | null): string {
  const own = name == null ? '' : ` (${name})`
  return number === 1 && isShorthand(scenario)
    ? `${shorthands[scenario]}${own}`
    : `rule ${number}${own} of '${scenario}'`
}

const endpoint = "choose the endpoint with on: 'createResponse', or on: 'POST /path'"

/**
 * Fields that users expect, each with the fix, by a field that only rules (`times`), conditions (`params`), replies
 * (`frames`) or turns (`expect`) have.
 */
const misnomers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  times: {
    rule: "did you mean 'rules'?",
    once: 'use times: 1',
    count: 'use times',
    operation: "use on: 'createResponse'",
    delay: "use fault: { name: 'latency', ms: 100 }",
    status: "use fault: { name: 'status', status: 503 }, or reply: { status: 200, … }",
    response: "did you mean 'reply'?",
    text: "use reply: 'Hello'",
    body: 'use reply: { body: … }',
    retryAfter: "use headers: { 'retry-after': '1' }",
    path: endpoint,
    method: endpoint,
  },
  params: { prompt: 'use input', messages: 'use input', path: endpoint, method: endpoint },
  frames: {
    content: 'use text',
    message: 'use text',
    choices: 'use text, which every protocol shows in its own form',
    tool_calls: "use script([{ call: { search: { q: 'tides' } } }])",
  },
  expect: {
    tool: "use call: { search: { q: 'tides' } }",
    tool_calls: "use call: { search: { q: 'tides' } }",
    reply: 'use text',
  },
}

/** Returns the fix for a field that an object with these fields lacks, such as `; use times: 1` for `once`. */
export function misnomer(field: string, fields: readonly string[]): string | undefined {
  const [, fixes = {}] = Object.entries(misnomers).find(([marker]) => fields.includes(marker)) ?? []
  return Object.hasOwn(fixes, field) ? `; ${fixes[field]}` : undefined
}

/** Returns true for the path of a scenario file or a recording, false for a name. */
export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
