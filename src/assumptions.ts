/**
 * Every place where the specification says "not shown" and the double has to choose, by name.
 * The README prints this table; replies that took a branch resting on one name it in `x-understudy-assumptions`.
 */

export interface Assumption {
  /** The silent place, in the specification's words. */
  readonly about: string
  /** What we do there. */
  readonly choice: string
}

export const assumptions = {
  errorEnvelope: {
    about: 'Error replies for status codes other than 500',
    choice: 'the 500 envelope, with the status as `error.code`',
  },
  violations: {
    about: 'Error behaviour when an input rule is violated',
    choice:
      '400; the message is the first violation, as in `model: must be vendor/model`; `error.metadata.violations` lists every one with path, message and rule',
  },
  authentication: {
    about: 'A missing, malformed or unknown key',
    choice: '401; any bearer key is accepted unless `apiKeys` lists the valid ones',
  },
  unknownPath: {
    about: 'Operations of the other tagged groups',
    choice:
      '404 for a path the specification does not describe, 405 with `Allow` for another method of a known one',
  },
  extension: {
    about: 'The operations of the other tagged groups, where an extension answers them',
    choice:
      'as published clients know them; off unless `extensions` names the group; the text, tokens and citations are those of POST /responses',
  },
  document: {
    about: 'The operations of the other tagged groups, where an OpenAPI document describes them',
    choice:
      'checked and answered by its schemas and examples, with values from the seed, in their own success status; a stream is a 501',
  },
  requestBody: {
    about: 'Bodies that are empty, not JSON, of another type, or too large',
    choice:
      '400 empty, malformed, not UTF-8 or nested deeper than 500 levels, 415 another content type, 413 above `limits.requestBodyBytes`; no content type is read as JSON',
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
    about: 'Whether `{id}` is an id or a slug when it could be both',
    choice: 'looked up as an id first, then as a slug',
  },
  slugConflict: {
    about: 'A workspace slug that is taken',
    choice: '409 when another workspace has it as its slug or its id',
  },
  emptyUpdate: {
    about: 'PATCH with no known field',
    choice: '200, nothing moves, `updated_at` included',
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
      '`coding` selects `codecategories`, the others do not narrow the rows; an explicit `category` wins',
  },
  designFiltersWithoutSource: {
    about: '`arena` and `category` when no source is given',
    choice: 'they narrow the design rows only, and only when given',
  },
  benchmarkMeta: {
    about: 'Values of the benchmark meta',
    choice:
      '`version` is "v1"; `as_of` is a constant; `citation` and `source_url` are null across sources; `model_count` counts distinct models in `data`',
  },
  modelName: {
    about: 'The form of a model identifier',
    choice:
      'vendor/model or @preset/slug, 400 for any other; the reply carries the model as it was asked for',
  },
  presetModel: {
    about: 'What a preset brings as a model',
    choice:
      'its config and system prompt, each where the request has no field of its own; whatever its status, with a warning unless `active`',
  },
  inputItems: {
    about: 'Other request parameters and input items of POST /responses',
    choice:
      'those that published clients send are accepted; an input item or content part of another type, an empty list, `store: true` and a `previous_response_id` are 400',
  },
  tokens: {
    about: 'What a token is',
    choice:
      'up to eight characters of one kind with the space before them, a Markdown link as a whole; instructions and texts of the input count, images and files do not',
  },
  forcedTool: {
    about: 'Which function a `tool_choice` of `required` calls',
    choice: 'the first one in `tools`; functions that are offered and not forced are not called',
  },
  toolShape: {
    about: 'Shape of a `tools` entry',
    choice:
      'functions, and `gateway:web_search` with `parameters`; other types are let through and not run; `tool_choice: "none"` leaves the search tool out',
  },
  searchForms: {
    about: 'Web search asked for in several forms at once',
    choice: 'the tool counts before the plugin, the plugin before `:online`; of several of a kind, the first',
  },
  nativeSearch: {
    about: 'Which models have built-in web search',
    choice: 'all of them',
  },
  searchResults: {
    about: 'Which pages a search cites, and in what order',
    choice:
      'as many as `max_results` and the filters allow, those first that share most and rarest words with the last user message, titles counting twice; then the others in fixture order',
  },
  domainEntries: {
    about: 'What an entry of a domain list covers',
    choice:
      'a bare domain is that host alone, `*.domain` its subdomains at any depth without the bare domain, a path itself and all below it',
  },
  xSearchModels: {
    about: 'Which models `x_search_filter` is for',
    choice:
      'those of the vendor `x-ai`, when a search runs; otherwise it is checked, ignored, and warned of in the journal',
  },
  xSearchPosts: {
    about: 'How posts and pages share the citations',
    choice:
      'they take turns, a post first, within `max_results`; domain lists hold for posts too; days are UTC',
  },
  citedStructure: {
    about: 'Citations in a structured output',
    choice:
      'links at the end of strings that the schema leaves free to hold them, with an annotation each; none where no string can, since a link would break the JSON, and the journal says so',
  },
  responseFields: {
    about: 'Other fields of the Response object and of a `url_citation`',
    choice:
      'those that published clients require, null where nothing is to be said: `completed_at`, `error`, `incomplete_details`, `instructions`, the settings, `tools`, the details of `usage`; a `title` on each citation',
  },
  responseStatus: {
    about: 'Other status values of responses and messages',
    choice:
      '`incomplete` where `max_output_tokens` ends the text, `in_progress` in events; a rule may set `failed`, `cancelled` or `queued`',
  },
  webSearchItem: {
    about: 'Whether a search shows in the output',
    choice: 'a `web_search_call` item precedes the message',
  },
  reasoning: {
    about: 'Reasoning of a model',
    choice:
      'tokens by `effort`, within `max_tokens`, counted as output before the first item; none unless `reasoning` asks for it, and no output item',
  },
  presetStatus: {
    about: 'Other status values of presets',
    choice: '`disabled` and `archived`; such a preset is read and used like an active one',
  },
  presetConfig: {
    about: 'Other keys of `config`',
    choice: 'any field of a request to POST /responses, with the type it has there',
  },
  instructType: {
    about: 'Types of nullable model fields, and of `instruct_type`, when non-null',
    choice: '`instruct_type` is a string or null; the others are always null',
  },
  limitedEngine: {
    about: 'Which engine gives at most 20 results',
    choice:
      'the one in `search.limitedEngine`, `engine_c` by default; more is a 400, whatever `max_total_results` says',
  },
  largeIntegers: {
    about: 'Integers beyond 2^53',
    choice:
      '400 in a body, since JSON readers would change them; a larger `max_results` of benchmarks is no limit',
  },
  dates: {
    about: 'Which forms of ISO 8601 are taken and given',
    choice:
      '`from_date` and `to_date` are days such as 2025-06-30; timestamps in replies are UTC with milliseconds, such as 2026-01-01T00:00:00.001Z',
  },
  countryCodes: {
    about: 'The form of country codes',
    choice: 'two capital letters; whether the code is assigned is not checked',
  },
  streamOrder: {
    about: 'Other event types and their payloads',
    choice:
      'those that published clients know; one delta is one token; the annotations of a part follow its deltas',
  },
  rateLimits: {
    about: 'Rate limits',
    choice:
      'none, unless a rule has a quota: then 429 with `Retry-After`, and `X-RateLimit-Limit`, `-Remaining` and `-Reset` on every reply, the last in seconds from now',
  },
} as const satisfies Record<string, Assumption>

export type AssumptionName = keyof typeof assumptions
