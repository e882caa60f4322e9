/**
 * Assumptions: the behaviour that Understudy chose where the specification is silent, by name. ASSUMPTIONS.md lists
 * them. Replies that depend on assumptions name them in `x-understudy-assumptions`.
 */

export interface Assumption {
  /** Unspecified behaviour, in the specification's words. */
  readonly about: string
  /** Behaviour of Understudy. */
  readonly choice: string
}

export const assumptions = {
  errorEnvelope: {
    about: 'Error replies for status codes other than 500',
    choice: 'the envelope of 500, with the status as `error.code`',
  },
  violations: {
    about: 'Error behaviour when an input rule is violated',
    choice:
      '400; the message is the first violation, such as `model: must be vendor/model`; `error.metadata.violations` lists all violations with path, message and rule',
  },
  authentication: {
    about: 'A missing, malformed or unknown key',
    choice: '401; any bearer key is accepted unless `apiKeys` lists the valid ones',
  },
  unknownPath: {
    about: 'Operations of the other tagged groups',
    choice:
      '404 for a path that the specification does not describe, 405 with `Allow` for another method of a described path',
  },
  extension: {
    about: 'The operations of the other tagged groups, if an extension implements them',
    choice:
      'compatible with published clients; disabled unless `extensions` names the group; text, tokens and citations are those of POST /responses',
  },
  document: {
    about: 'The operations of the other tagged groups, if an OpenAPI document describes them',
    choice:
      'requests are checked by its schemas; replies have its success status, and its examples or values generated from the seed; operations that create, list, get, change and delete the records of a path keep them in the sandbox; a stream is a 501',
  },
  documentSample: {
    about: 'The other operations of an OpenAPI document',
    choice: 'the same request gets the same sample; nothing is kept',
  },
  requestBody: {
    about: 'Bodies that are empty, not JSON, of another content type, or too large',
    choice:
      '400 if empty, malformed, not UTF-8 or nested deeper than 500 levels; 415 for another content type; 413 above `limits.requestBodyBytes`; a body without a content type is read as JSON',
  },
  repeatedParameter: {
    about: 'A query parameter given more than once',
    choice: '400',
  },
  notFound: {
    about: 'An unknown workspace, preset or `@preset/…` model',
    choice: '404',
  },
  workspaceLookup: {
    about: 'Whether `{id}` is an id or a slug if it could be both',
    choice: 'looked up as an id first, then as a slug',
  },
  slugConflict: {
    about: 'A workspace slug that is already taken',
    choice: '409 if another workspace has it as its slug or id',
  },
  emptyUpdate: {
    about: 'PATCH with no known field',
    choice: '200; nothing changes, not even `updated_at`',
  },
  providerSort: {
    about: '`default_provider_sort` outside the described values',
    choice: 'accepted, with a warning in the journal',
  },
  designShape: {
    about: 'Item shape for the `design-source` source',
    choice: 'source, model, arena, category, elo, win rate, generation time, tournament stats, pricing',
  },
  benchmarkOrder: {
    about: 'Order of benchmark rows',
    choice:
      'index rows first, by the selected index (default intelligence) descending, then design rows by elo descending',
  },
  taskTypeOnDesign: {
    about: 'Which design category a `task_type` selects',
    choice:
      '`coding` selects `codecategories`, other values do not filter; an explicit `category` takes precedence',
  },
  designFiltersWithoutSource: {
    about: '`arena` and `category` without a source',
    choice: 'they filter only the design rows',
  },
  benchmarkMeta: {
    about: 'Values of the benchmark meta',
    choice:
      '`version` is "v1"; `as_of` is a constant; `citation` and `source_url` are null across sources; `model_count` counts distinct models in `data`',
  },
  modelName: {
    about: 'The form of a model identifier',
    choice:
      'vendor/model or @preset/slug, 400 for anything else; the reply has the model name of the request',
  },
  presetModel: {
    about: 'The effect of a preset as a model',
    choice:
      'its config and system prompt apply unless the request sets the same field; presets of any status are used, with a warning unless `active`',
  },
  inputItems: {
    about: 'Other request parameters and input items of POST /responses',
    choice:
      'parameters and items that published clients send are accepted; an unknown type of input item or content part, an empty list, `store: true` and `previous_response_id` are 400',
  },
  tokens: {
    about: 'The definition of a token',
    choice:
      'up to eight characters of one kind with the preceding space, or a whole Markdown link; instructions and input text count, images and files do not',
  },
  forcedTool: {
    about: 'The function that `tool_choice: "required"` calls',
    choice:
      'the first one in `tools`; functions are not called unless forced, nor in reply to the output of a tool',
  },
  notSimulated: {
    about: 'Fields of other APIs that change the meaning of a reply',
    choice:
      '`background: true`, `conversation`, and a `tool_choice` that forces a tool other than a function or the search are 400, unless a rule scripts the reply',
  },
  toolShape: {
    about: 'Shape of a `tools` entry',
    choice:
      'functions, and `gateway:web_search` with `parameters`; other types are accepted but not run; `tool_choice: "none"` disables the search tool',
  },
  offeredSearch: {
    about: 'When a model uses the search tool that a request offers',
    choice:
      'if it is the only tool, if `tool_choice` forces it, or if the question asks for a search, for sources or for recent facts; a reply to the output of a tool does not search again',
  },
  searchForms: {
    about: 'Web search requested in several ways at once',
    choice:
      'the tool takes precedence over the plugin, the plugin over `:online`; the first of several tools or plugins',
  },
  nativeSearch: {
    about: 'Models with built-in web search',
    choice: 'all models',
  },
  searchResults: {
    about: 'Cited pages of a search, and their order',
    choice:
      'as many as `max_results` and the filters allow; first the pages that share the most and rarest words with the last user message (titles count twice), then the others in fixture order',
  },
  domainEntries: {
    about: 'The scope of an entry in a domain list',
    choice:
      'a bare domain covers only that host; `*.domain` covers its subdomains at any depth, without the bare domain; a path covers itself and everything below it',
  },
  xSearchModels: {
    about: 'Models that support `x_search_filter`',
    choice:
      'models of the vendor `x-ai`, if a search runs; otherwise it is checked and ignored, with a warning in the journal',
  },
  xSearchPosts: {
    about: 'Posts and pages among the citations',
    choice:
      'they alternate, a post first, within `max_results`; domain lists apply to posts too; days are in UTC',
  },
  citedStructure: {
    about: 'Citations in a structured output',
    choice:
      'links with annotations at the end of strings whose schema allows them; if there is no such string, no citations, with a warning in the journal',
  },
  responseFields: {
    about: 'Other fields of the Response object and of a `url_citation`',
    choice:
      'fields that published clients require, null if not applicable: `completed_at`, `error`, `incomplete_details`, `instructions`, the settings, `tools`, the details of `usage`; a `title` on each citation',
  },
  responseStatus: {
    about: 'Other status values of responses and messages',
    choice:
      '`incomplete` if `max_output_tokens` truncates the text, `in_progress` in events; a rule can set `failed`, `cancelled` or `queued`',
  },
  webSearchItem: {
    about: 'Whether a search appears in the output',
    choice: 'a `web_search_call` item precedes the message',
  },
  reasoning: {
    about: 'Reasoning of a model',
    choice:
      'none unless the request has `reasoning`; tokens depend on `effort`, up to `max_tokens`, and count as output; an item before the others shows a summary of one to three paragraphs, unless `exclude` is set; an unknown effort is that of `medium`, with a warning',
  },
  presetStatus: {
    about: 'Other status values of presets',
    choice: '`disabled` and `archived`; such presets can be read and used like active ones',
  },
  presetConfig: {
    about: 'Other keys of `config`',
    choice: 'any field of a POST /responses request, with the same type',
  },
  instructType: {
    about: 'Types of nullable model fields, and of `instruct_type`, when non-null',
    choice: '`instruct_type` is a string or null; the others are always null',
  },
  limitedEngine: {
    about: 'The engine with at most 20 results',
    choice:
      'the engine in `search.limitedEngine`, `engine_c` by default; more results are a 400, regardless of `max_total_results`',
  },
  largeIntegers: {
    about: 'Integers beyond 2^53',
    choice:
      '400 in a body, because JSON parsers would round them; a larger `max_results` of benchmarks means no limit',
  },
  dates: {
    about: 'Accepted and returned forms of ISO 8601',
    choice:
      '`from_date` and `to_date` are dates such as 2025-06-30; timestamps in replies are UTC with milliseconds, such as 2026-01-01T00:00:00.001Z',
  },
  countryCodes: {
    about: 'The form of country codes',
    choice: 'two capital letters; unassigned codes are accepted',
  },
  streamOrder: {
    about: 'Other event types and their payloads',
    choice:
      'event types that published clients know; one delta per token; annotations of a part follow its deltas',
  },
  rateLimits: {
    about: 'Rate limits',
    choice:
      'none, unless a rule has a `rateLimit`: then 429 with `Retry-After`, and `X-RateLimit-Limit`, `-Remaining` and `-Reset` (in seconds) on every reply',
  },
} as const satisfies Record<string, Assumption>

export type AssumptionName = keyof typeof assumptions
