/**
 * Scripted replies as a person writes them, defaults left out.
 */
// Written by `npm run generate` from the schemas: change those.

import type { Json } from '../lib/json.ts'

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
