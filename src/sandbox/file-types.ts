/**
 * What a sandbox is saved as, and latency profiles.
 */
// Written by `npm run generate` from the schemas: change those.

/** A whole sandbox as data. */
export interface SandboxFile {
  format: 'understudy-sandbox'
  version: 1
  sandbox: string
  seed: number | string
  fixtures: {
    providers?: unknown[]
    workspaces?: unknown[]
    embeddingsModels?: unknown[]
    benchmarks?: unknown[]
    presets?: unknown[]
    presetVersions?: unknown[]
    pages?: unknown[]
    posts?: unknown[]
    models?: unknown[]
  }
  /** By collection: what differs from the seed. */
  changes: Record<string, {
    created: {
      [field: string]: unknown
    }[]
    changed: {
      key: string
      row: {
        [field: string]: unknown
      }
    }[]
    deleted: string[]
  }>
  rules: {
    /** In force, newest first. Replies by functions stay in their process. */
    uses: Array<{
      scenario: {
        [field: string]: unknown
      }
      isCounted: boolean
      progress: Array<{
        /** Its place in the scenario, from 1. */
        rule: number
        seen: number
        taken: number
        happened: number
        quota: [string, {
          at: number
          now: number
          requests: number
          tokens: number
        }[]][]
        runs: Array<{
          conversation: number
          firstUserText: string
          turns: number
          said: {
            text: string
            isSure: boolean
          }[]
          calls: Record<string, string>
          pending: string[]
          problem: string | null
        }>
        problem: string | null
      }>
    }>
    /** Named by requests in their header. */
    named: Array<{
      scenario: {
        [field: string]: unknown
      }
      isCounted: boolean
      progress: Array<{
        /** Its place in the scenario, from 1. */
        rule: number
        seen: number
        taken: number
        happened: number
        quota: [string, {
          at: number
          now: number
          requests: number
          tokens: number
        }[]][]
        runs: Array<{
          conversation: number
          firstUserText: string
          turns: number
          said: {
            text: string
            isSure: boolean
          }[]
          calls: Record<string, string>
          pending: string[]
          problem: string | null
        }>
        problem: string | null
      }>
    }>
    conversations: number
    state: string
  }
  clock: {
    steps: number
    advanced: number
    elapsed: number
  }
  /** How often the same request came, by its hash. */
  occurrences: Record<string, number>
  /** The journal, secrets hidden. */
  calls?: Array<{
    id?: string
    method: string
    path: string
    operation: string | null
    params: Record<string, string>
    query: Record<string, string | string[]>
    headers: Record<string, string>
    rawBody: {
      text: string
      cut: number
      [field: string]: unknown
    }
    status: number
    replyHeaders: Record<string, string>
    replyBody: {
      text: string
      cut: number
      [field: string]: unknown
    }
    delivery: 'pending' | 'complete' | 'cut' | 'client-left'
    warnings: string[]
    assumptions: string[]
    reason?: string | null
    at?: string
    rule: {
      scenario: string
      rule: number
      faults: string[]
      [field: string]: unknown
    } | null
    turn: {
      conversation: number
      turn: number
      of: number
      problem: string | null
      [field: string]: unknown
    } | null
    usage: {
      model: string
      inputTokens: number
      cachedTokens: number
      outputTokens: number
      reasoningTokens: number
      cost: number | null
      [field: string]: unknown
    } | null
    nearMisses: {
      scenario: string
      rule: number
      reason: string
      [field: string]: unknown
    }[]
    brokeContract: boolean
    timeline: {
      ms: number
      offset: number
      [field: string]: unknown
    }[]
    firstByteMs: number | null
    durationMs: number | null
    [field: string]: unknown
  }>
}

/** Times and lengths of answers, by model. */
export interface LatencyProfileInput {
  /** The version of the form. */
  profile: 1
  /** Where the figures are from. */
  source?: string
  /** By model, or a glob of models; `*` is for all others. */
  models: Record<string, {
    /** Milliseconds until the first event of a stream. */
    firstByteMs: Record<string, number>
    /** Milliseconds before each token of a stream. Default: none. */
    gapMs?: Record<string, number>
    /** Milliseconds until an answer that is no stream. Default: the first event and all gaps. */
    totalMs?: Record<string, number>
    /** Tokens of a plain text answer. Default: as long as it is without a profile. */
    tokens?: Record<string, number>
    [field: string]: unknown
  }>
  [field: string]: unknown
}
