/**
 * Scenarios as a person writes them: faults by their bare names, defaults left out.
 */
// Written by `npm run generate` from the schemas: change those.

import type { FaultInput, Json } from '../faults/fault-input.ts'

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

/** The path of a file with a scenario, a rule or a tape. */
export type ScenarioPath = `${string}.json` | `${string}.yaml` | `${string}.yml` | `${string}.tape.jsonl`

/** Nothing where a text is known when it is compiled: then it must be one of the known names. */
export type Computed<Text extends string> = string extends Text ? unknown : never

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

/** What a rule is about: an operation, `*` for every request, or `POST /path` for a path that no operation describes. */
export type OperationName =
  | KnownOperationId
  | OwnOperationId
  | '*'
  | `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'} /${string}`

/** A named list of rules. */
export interface ScenarioInput {
  /** For editors: where the JSON Schema of scenarios is. */
  '$schema'?: string
  /** Letters, digits, dots, dashes and underscores: it travels in headers. */
  name: string
  /** What the client sees. */
  description?: string
  /** The first that is about a call happens. */
  rules: RuleInput[]
}

/** When something happens, and what. */
export interface RuleInput {
  /** For people; messages use it. */
  name?: string
  /** An operation, `*` for every request, or `POST /path` for a path that no operation describes. */
  on: OperationName | OperationName[]
  /** Which of these requests it is about: all that is named must hold. */
  when?: WhenInput
  /** How often it happens at most. Default: no end. */
  times?: number
  /** Calls that pass before it starts; one that a rule before it answers is none of them. Default: 0. */
  after?: number
  /** It happens at every so-many-th call. Default: 1. */
  every?: number
  /** Share of calls, 0 to 1, drawn from the seed; the same for the same call. Default: 1. */
  probability?: number | {
    /** At the start of the sandbox. */
    from: number
    /** From the end of `overMs` on. */
    to: number
    /** Milliseconds of sandbox time on the way. */
    overMs: number
  }
  /** So many requests and tokens pass in each window of sandbox time; it happens to the others. Without an effect of its own, these get the fault `rate-limit`. */
  quota?: QuotaInput
  /** It happens once the calls of the sandbox have cost so many dollars. Without an effect of its own, it refuses with 402. */
  budget?: number
  /** The state of the sandbox after it has happened, for `when.state`. It may be all that happens. */
  setState?: string
  /** Only in this part of the elapsed time of the sandbox. */
  during?: {
    /** Its start. */
    fromMs?: number
    /** Its end. Default: none. */
    toMs?: number
  }
  /** What goes wrong: a fault by name, or with its parameters, or several. */
  fault?: FaultInput | FaultInput[]
  /** What is answered in place of the operation. A `fault` beside it acts on this reply. */
  reply?: ScriptedReplyInput
  /** The turns of one conversation: one request each. */
  script?: TurnInput[]
  /** What a conversation gets after the last turn: `fail` refuses, `repeat` begins again, also for new conversations, `pass` leaves it to other rules and the operation. Default: fail. */
  exhausted?: 'fail' | 'repeat' | 'pass'
  /** One step a call. */
  sequence?: StepInput[]
  /** After the end of the sequence: pass, the last step again and again, or from the start. Default: pass. */
  afterwards?: 'pass' | 'last' | 'repeat'
}

/** Which requests a rule is about. */
export interface WhenInput {
  /** Globs of model names: `aurora/*`. One of several is enough. */
  model?: string | string[]
  /** A part of the input text, or a regular expression that finds it. */
  input?: string | {
    /** A part of the text. */
    contains: string
  } | PatternInput
  /** Whether the request asks for an event stream. */
  stream?: boolean
  /** By name; case does not matter in names. */
  headers?: Record<string, ConditionInput>
  /** Query parameters by name. */
  query?: Record<string, ConditionInput>
  /** Path parameters by name: `slug`. */
  params?: Record<string, ConditionInput>
  /** Fields of the body by path: `tools.0.type`; `*` stands for any of them. */
  body?: Record<string, ConditionInput>
  /** The state of the sandbox that `setState` of some rule has set; `started` at first. */
  state?: string | string[]
  /** The number of the call among those that meet the other conditions, from 1. */
  call?: number | number[]
}

/** The value itself, or one of equals, contains, matches, present. */
export type ConditionInput = string | number | boolean | null | {
  /** Any JSON value, compared deeply. */
  equals: Json
} | {
  /** A part of the text. */
  contains: string
} | PatternInput | {
  /** Whether it is there at all. */
  present: boolean
}

/** A regular expression, as data. */
export interface PatternInput {
  /** A regular expression of JavaScript without look-around and back-references, found anywhere in the text. */
  matches: string
  /** Flags of the regular expression. Default: none. */
  flags?: string
}

/** How much passes in a window of sandbox time. */
export type QuotaInput = {
  /** Requests that pass in each window. */
  limit: number
  /** Milliseconds of sandbox time. */
  windowMs: number
} | {
  /** How many requests pass in a window. */
  requests?: number
  /** Requests pass while fewer tokens are used in the window. They count when answered. */
  tokens?: number
  /** Length of the window: '500ms', '10s', '1m', '1h', '1d', or milliseconds. */
  per: number | string
  /** `fixed` begins with the first request after the window before. Default: fixed. */
  window?: 'sliding' | 'fixed'
  /** A quota of its own for each API key or model. Default: one for all. */
  by?: 'key' | 'model'
}

/** What a rule does at one call; `pass` leaves the call to older rules and to the operation. */
export type StepInput = 'pass' | {
  /** What goes wrong at this call. */
  fault: FaultInput | FaultInput[]
} | {
  /** What is answered at this call. */
  reply: ScriptedReplyInput
  /** What goes wrong with that reply. */
  fault?: FaultInput | FaultInput[]
}

/** What a rule answers in place of the operation. */
export interface ScriptedReplyInput {
  /** Default: 200. */
  status?: number
  /** On top of the usual ones. */
  headers?: Record<string, string>
  /** For POST /responses: the text of the message. */
  text?: string
  /** For POST /responses: what the text cites. */
  citations?: ScriptedCitationInput[]
  /** For POST /responses: whole output items, function calls or reasoning for example; ids and statuses are filled in. */
  output?: ScriptedItemInput[]
  /** For POST /responses: whether the events of the items alternate in a stream. Default: false. */
  interleave?: boolean
  /** For POST /responses: the id. Default: made from the request. */
  id?: string
  /** For POST /responses: the status of the Response object. Default: completed; incomplete where the tokens do not suffice. */
  responseStatus?: 'completed' | 'incomplete' | 'in_progress' | 'failed' | 'cancelled' | 'queued'
  /** For POST /responses: why the response is incomplete. Default: max_output_tokens. */
  incompleteReason?: 'max_output_tokens' | 'content_filter'
  /** For POST /responses: why the response failed. Default: server_error. */
  error?: {
    /** `error.code`. */
    code?: string
    /** `error.message`. */
    message?: string
  }
  /** For POST /responses: the usage. What is left out is counted. */
  usage?: ScriptedUsageInput
  /** The whole body, for any operation. */
  body?: Json
  /** The body step by step, for any operation. */
  frames?: ScriptedFrameInput[]
}

/** An item of a scripted output. */
export type ScriptedItemInput = {
  type: 'message'
  /** Default: made from the request. */
  id?: string
  /** Default: completed, or incomplete where the item is cut. */
  status?: 'completed' | 'incomplete' | 'in_progress'
  content: string | Array<{
    type?: 'output_text' | 'refusal'
    text?: string
    annotations?: {
      type: 'url_citation'
      /** Source page. */
      url: string
      title: string
      /** Start offset into the text of its content part. */
      start_index: number
      /** End offset into the same text, exclusive. */
      end_index: number
      /** Excerpt of the page. */
      content?: string
    }[]
    refusal?: string
    [field: string]: unknown
  }>
  [field: string]: unknown
} | {
  type: 'reasoning'
  /** Default: made from the request. */
  id?: string
  /** Default: completed, or incomplete where the item is cut. */
  status?: 'completed' | 'incomplete' | 'in_progress'
  /** What was thought, in short. Default: none. */
  summary?: string | Array<string | {
    type: 'summary_text'
    text: string
  }>
  /** What was thought, in full. Default: none. */
  content?: string | Array<string | {
    type: 'reasoning_text'
    text: string
  }>
  encrypted_content?: string | null
  [field: string]: unknown
} | {
  type: 'function_call'
  /** Default: made from the request. */
  id?: string
  /** Default: completed, or incomplete where the item is cut. */
  status?: 'completed' | 'incomplete' | 'in_progress'
  name: string
  /** JSON, or what becomes it. Default: {}. */
  arguments?: string | Record<string, unknown>
  /** Default: made from the request. */
  call_id?: string
  [field: string]: unknown
} | {
  type: 'web_search_call'
  /** Default: made from the request. */
  id?: string
  status?: 'in_progress' | 'searching' | 'completed' | 'failed'
  action?: {
    query: string
  } | {
    type: 'search'
    query: string
    queries?: string[]
    sources?: {
      type: 'url'
      url: string
    }[]
  } | {
    type: 'open_page'
    url?: string | null
  } | {
    type: 'find_in_page'
    url: string
    pattern: string
  }
  [field: string]: unknown
} | {
  type: 'image_generation_call'
  /** Default: made from the request. */
  id?: string
  status?: 'in_progress' | 'generating' | 'completed' | 'failed'
  /** The image in base64. Default: a PNG of one pixel, or null where the status is failed. */
  result?: string | null
  /** Base64 of what a stream shows before the image. Default: none. */
  partial_images?: string[]
  revised_prompt?: string
  background?: string
  output_format?: string
  quality?: string
  size?: string
  [field: string]: unknown
}

/** A page that a scripted text cites. */
export interface ScriptedCitationInput {
  /** The address of the page. */
  url: string
  /** Default: the address. */
  title?: string
  /** What the page says. Default: none. */
  content?: string
}

/** One step of a scripted stream. */
export type ScriptedFrameInput = {
  /** The event as JSON. */
  event: {
    /** As `response.created`. */
    type: string
    [field: string]: unknown
  }
} | {
  /** The text behind `data: `. */
  data: string
} | {
  /** Bytes as they are, given as text. */
  bytes: string
} | {
  /** Bytes as they are, given in base64. */
  base64: string
} | {
  /** Milliseconds of sandbox time. */
  wait: number
} | {
  /** The literal [DONE]. */
  done: true
} | {
  /** How the connection ends. */
  hangUp: 'end' | 'reset' | 'silence'
}

/** For POST /responses: the usage. What is left out is counted, and the total follows. */
export interface ScriptedUsageInput {
  input_tokens?: number
  input_tokens_details?: {
    cached_tokens?: number
  }
  output_tokens?: number
  output_tokens_details?: {
    reasoning_tokens?: number
  }
}

/** One request of a conversation: what it must look like, and what it gets. */
export interface TurnInput {
  /** The text of the reply; behind `output` and before the calls where there are such. */
  text?: string
  /** For POST /responses: what the text cites. */
  citations?: ScriptedCitationInput[]
  /** For POST /responses: whole output items, function calls or reasoning for example; ids and statuses are filled in. */
  output?: ScriptedItemInput[]
  /** For POST /responses: whether the events of the items alternate in a stream. Default: false. */
  interleave?: boolean
  /** For POST /responses: the id. Default: made from the request. */
  id?: string
  /** For POST /responses: the status of the Response object. Default: completed; incomplete where the tokens do not suffice. */
  responseStatus?: 'completed' | 'incomplete' | 'in_progress' | 'failed' | 'cancelled' | 'queued'
  /** For POST /responses: why the response is incomplete. Default: max_output_tokens. */
  incompleteReason?: 'max_output_tokens' | 'content_filter'
  /** For POST /responses: why the response failed. Default: server_error. */
  error?: {
    /** `error.code`. */
    code?: string
    /** `error.message`. */
    message?: string
  }
  /** For POST /responses: the usage. What is left out is counted. */
  usage?: ScriptedUsageInput
  /** What the request must look like. Default: anything. */
  expect?: TurnExpectationInput
  /** Functions to call, with their arguments, by name. A list calls one function more than once. */
  call?: Record<string, Record<string, Json>> | Record<string, Record<string, Json>>[]
  /** What goes wrong at this turn, in place of the reply or on its way. */
  fault?: FaultInput | FaultInput[]
}

/** What the request of a turn must look like. */
export interface TurnExpectationInput {
  /** A part of the last user message, or a regular expression that finds it. */
  input?: string | {
    /** A part of the text. */
    contains: string
  } | PatternInput
  /** Functions that the request must offer; it may offer more. */
  tools?: string[]
  /** What the functions that the turn before called have returned, by name. A list has one check for each call of that function, in their order; a single check must hold for one of them. */
  result?: Record<string, ResultCheckInput | ResultCheckInput[]>
}

/** A part of the text, a regular expression, or fields of the JSON. */
export type ResultCheckInput = string | PatternInput | {
  [field: string]: unknown
}
