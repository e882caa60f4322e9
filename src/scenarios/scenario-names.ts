/**
 * Names that the types of scenarios complete.
 */
// Written by `npm run generate` from the schemas: change those.

/** A scenario that comes with the double. */
export type BundledScenarioName =
  | 'provider-outage'
  | 'flaky'
  | 'rate-limited'
  | 'overloaded'
  | 'out-of-credits'
  | 'unauthorized'
  | 'unreachable'
  | 'proxy-error-page'
  | 'slow-first-event'
  | 'slow-stream'
  | 'stream-cut'
  | 'stream-stall'
  | 'stream-reset'
  | 'stream-error'
  | 'malformed-events'
  | 'split-stream'
  | 'buffering-proxy'
  | 'parser-torture'
  | 'brownout'
  | 'contract-break'
  | 'bad-citations'
  | 'web-search-empty'
  | 'chaos'

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
