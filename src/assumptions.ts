/**
 * Assumptions: named choices for behaviour that the specification leaves open, listed in docs/assumptions.md. Replies that
 * depend on assumptions name them in `x-understudy-assumptions`, unless `reported` says otherwise.
 */

export interface Assumption {
  /** Behaviour that the specification leaves open, in the specification's terms. */
  readonly about: string
  /** Behaviour that Understudy implements. */
  readonly choice: string
  /** When replies name the assumption, and why. Default: in every reply that depends on it. */
  readonly reported?: string
}

export const assumptions = {
  errorEnvelope: {
    about: 'Error replies for status codes other than 500',
    choice: 'the 500 envelope, with the status as `error.code`',
    reported: 'never, because every error except a 500 depends on it',
  },
  violations: {
    about: 'Error behaviour when an input rule is violated',
    choice:
      '400; the message describes the first violation, such as `model: must be vendor/model`; `error.metadata.violations` lists all violations with path, message and rule',
  },
  requestRules: {
    about: 'Valid requests that vendors refuse, such as a tool call without its result',
    choice:
      'a warning in the journal and in `x-understudy-warnings`; with `strict`, the error of the vendor; `error.metadata.rule` names the rule, and `onlySpecified` turns the rules off',
  },
  authentication: {
    about: 'A missing, malformed or unknown key',
    choice:
      '401; any key is accepted, as a bearer or as `x-api-key`, unless `apiKeys` lists the valid ones, or the sandbox manages keys',
  },
  unknownPath: {
    about: 'Paths without an operation',
    choice: '404 for an unknown path, 405 with `Allow` for another method, 426 for a WebSocket',
  },
  extension: {
    about: 'Operations outside the Model Gateway API',
    choice:
      'compatible with published clients, and omitted with `onlySpecified`; text, tokens and citations are the same as in POST /responses',
  },
  documentSample: {
    about: 'Operations outside the Model Gateway API that an OpenAPI document describes',
    choice:
      "the document's example, or a sample that satisfies its schema; nothing is checked or stored, and requests for a stream get a 501",
  },
  requestBody: {
    about: 'Empty, malformed or oversized bodies, and content types other than JSON',
    choice:
      '400 if empty, malformed, not UTF-8 or nested deeper than 500 levels; 415 for other content types; 413 above `limits.requestBodyBytes`; a body without a content type is read as JSON',
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
    about: 'An `{id}` that could be an id or a slug',
    choice: 'looked up as an id first, then as a slug',
  },
  slugConflict: {
    about: 'A workspace slug that is already taken',
    choice: "409 if it is another workspace's slug or id",
  },
  emptyUpdate: {
    about: 'PATCH with no known field',
    choice: '200; nothing changes, not even `updated_at`',
  },
  providerSort: {
    about: 'A `default_provider_sort` other than the described values',
    choice: 'accepted, with a warning in the journal',
  },
  designShape: {
    about: 'The item shape for `design-source`',
    choice: 'source, model, arena, category, elo, win rate, generation time, tournament stats, pricing',
  },
  benchmarkOrder: {
    about: 'The order of benchmark rows',
    choice: 'index rows by the selected index, intelligence by default, then design rows by elo; descending',
  },
  taskTypeOnDesign: {
    about: 'The design category that a `task_type` selects',
    choice: '`coding` selects `codecategories`; others do not filter; `category` takes precedence',
  },
  designFiltersWithoutSource: {
    about: '`arena` and `category` without a source',
    choice: 'only design rows are filtered',
  },
  benchmarkMeta: {
    about: "Values in the benchmarks' `meta`",
    choice:
      '`version` is "v1"; `as_of` is a constant; `citation` and `source_url` are null across sources; `model_count` counts distinct models in `data`',
  },
  modelName: {
    about: 'The form of a model identifier',
    choice:
      'vendor/model or @preset/slug; any other name is accepted with a warning; with `strict`, it gets a 400 unless `models` lists it, and with `onlySpecified` always; the reply has the requested model name',
  },
  presetModel: {
    about: 'The effect of a preset used as a model, or after one: `vendor/model@preset/slug`',
    choice:
      'its config and system prompt apply unless the request sets the same field; a preset with any status is used, with a warning unless the status is `active`',
  },
  inputItems: {
    about: 'Request parameters and input items of POST /responses that the API does not describe',
    choice:
      'parameters and items that published clients send are accepted; an item of any other type is counted, with a warning, or gets a 400 with `strict` or `onlySpecified`; an unknown type of content part, an empty list, `store: true` or `previous_response_id` get a 400',
  },
  compaction: {
    about: 'The input item `compaction_trigger`',
    choice: 'a request that ends with it gets a `compaction` item, unless a rule replies',
  },
  tokens: {
    about: 'The definition of a token',
    choice:
      'up to eight characters of one kind with the preceding space, or a whole Markdown link; instructions and input text count; an image counts as 765 tokens, or 85 with low detail; files do not count',
    reported: 'only if the request limits its tokens, because the usage of every text depends on it',
  },
  forcedTool: {
    about: 'When a model calls a function, and the function that `tool_choice: "required"` calls',
    choice:
      'exactly while `tool_choice` forces one, also in reply to its own result; the first function in `tools`, or of those that `allowed_tools` lists',
  },
  notSimulated: {
    about: 'Fields of other APIs that change the meaning of a reply',
    choice:
      'requests with `background: true`, `conversation`, or a `tool_choice` that forces anything but a function or the web search tool get a 400, unless a rule scripts the reply',
  },
  toolShape: {
    about: 'The shape of a `tools` entry',
    choice:
      'functions, and `gateway:web_search` with `parameters`; other types are accepted but not run; `tool_choice: "none"` disables the search tool',
  },
  offeredSearch: {
    about: 'When a model uses the search tool that a request offers',
    choice:
      "if it is the only tool, if `tool_choice` forces it, or if the question asks for a search, for sources or for recent facts; a reply to a tool's output does not search again",
  },
  searchForms: {
    about: 'A web search requested in several ways at once',
    choice: 'a tool takes precedence over a plugin, a plugin over `:online`, and the first over others',
  },
  nativeSearch: {
    about: 'Models with built-in web search',
    choice: 'all models',
  },
  searchResults: {
    about: 'The pages that a search cites, and their order',
    choice:
      'as many as `max_results` and the filters allow; pages that share the most and rarest words with the last user message come first (titles count twice), then all others in fixture order',
  },
  domainEntries: {
    about: 'The scope of a domain list entry',
    choice:
      'a bare domain covers only that host; `*.domain` covers subdomains at any depth, but not the bare domain; a path covers itself and everything under it',
  },
  xSearchModels: {
    about: 'Models that support `x_search_filter`',
    choice:
      'models of the vendor `x-ai`, if a search runs; otherwise the filter is checked but ignored, with a warning in the journal',
  },
  xSearchPosts: {
    about: 'The order of posts and pages in the citations',
    choice:
      'posts and pages alternate, starting with a post, up to `max_results`; domain lists also apply to posts; days are in UTC',
  },
  citedStructure: {
    about: 'Citations in structured output',
    choice:
      'links with annotations, at the end of the first free-form string with room; without such a string, citations are omitted, with a warning in the journal',
  },
  responseFields: {
    about: 'Other fields of the Response object and of a `url_citation`',
    choice:
      'fields that published clients require, null if not applicable: `completed_at`, `error`, `incomplete_details`, `instructions`, the settings, `tools` and `usage` details; a `title` on each citation',
    reported: 'never, because every response depends on it',
  },
  responseStatus: {
    about: 'Other status values of responses and messages',
    choice:
      '`incomplete` if `max_output_tokens` truncates the text, `in_progress` in events; a rule can set `failed`, `cancelled` or `queued`',
  },
  webSearchItem: {
    about: 'How a search appears in the output',
    choice:
      'a `web_search_call` item precedes the message; in messages, a `server_tool_use` block and its result do; chat completions show only the citations',
  },
  reasoning: {
    about: "A model's reasoning",
    choice:
      "none unless the request has `reasoning`; tokens depend on `effort`, up to `max_tokens`, and count as output; a leading item contains a summary of one to three paragraphs, unless `exclude` is set; an unknown effort is treated as `medium`, with a warning; `reasoning_details` in chat completions have the kinds and the format of the model's vendor",
  },
  promptCache: {
    about: 'Prompts that the model caches, and their prices',
    choice:
      'only what `cache_control` marks in POST /messages, of any length, for five minutes or with `ttl` for an hour since its last use; a model without prices for it charges 0.1 times the price of input tokens to read, 1.25 times to write, and twice to write for an hour',
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
    about: 'The non-null types of nullable model fields and of `instruct_type`',
    choice: '`instruct_type` is a string or null; the other fields are always null',
    reported: 'never, because every embeddings model depends on it',
  },
  limitedEngine: {
    about: 'The engine that allows at most 20 results',
    choice:
      'the engine in `search.limitedEngine`, by default `engine_c`; requests for more get a 400, regardless of `max_total_results`',
  },
  largeIntegers: {
    about: 'Integers beyond 2^53',
    choice:
      '400 in a body, because JSON parsers would round them; in GET /benchmarks, a larger `max_results` means no limit',
  },
  dates: {
    about: 'The accepted and returned forms of ISO 8601',
    choice:
      '`from_date` and `to_date` are dates such as 2025-06-30; timestamps in replies are UTC with milliseconds, such as 2026-01-01T00:00:00.001Z',
  },
  countryCodes: {
    about: 'The form of country codes',
    choice: 'two capital letters; unassigned codes are accepted',
    reported: 'never, because every provider depends on it',
  },
  streamOrder: {
    about: 'Stream events that the API does not describe',
    choice: "types and payloads that clients know; one delta per token; annotations follow a part's deltas",
    reported: 'never, because every stream depends on it',
  },
  rateLimits: {
    about: 'Rate limits',
    choice:
      'none, unless a rule has a `rateLimit`: requests over the limit get a 429 with `Retry-After`, and every reply has `X-RateLimit-Limit`, `-Remaining` and `-Reset` (in seconds)',
    reported: 'never, because only a rule limits the rate',
  },
} as const satisfies Record<string, Assumption>

export type AssumptionName = keyof typeof assumptions
