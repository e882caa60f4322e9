/**
 * Scenarios as a person writes them: faults by their bare names, defaults left out.
 */
// Written by `npm run generate` from the schemas: change those.

import type { FaultInput } from '../faults/fault-input.ts'
import type { Json } from '../lib/json.ts'
import type { OperationName } from './operation-name.ts'
import type { ScriptedCitationInput, ScriptedItemInput, ScriptedReplyInput, ScriptedUsageInput } from './scripted-reply-input.ts'

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
  probability?: number
  /** At most these requests and tokens pass in each window of sandbox time; it happens to the others. Without an effect of its own, these get the fault `rate-limit`. */
  rateLimit?: RateLimitInput
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
export interface RateLimitInput {
  /** How many requests pass in a window. */
  requests?: number
  /** Requests pass while fewer tokens are used in the window. They count when answered. */
  tokens?: number
  /** Length of the window: '500ms', '10s', '1m', '1h', '1d', or milliseconds. */
  per: number | string
  /** A limit of its own for each API key or model. Default: one for all. */
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
