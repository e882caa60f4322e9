/**
 * The bodies of requests.
 */
// Written by `npm run generate` from the schemas: change those.

/** Request bodies by operation id; `undefined` for those that take none. */
export interface Bodies {
  /** List all providers. */
  listProviders: undefined
  /** Update a workspace. */
  updateWorkspace: UpdateWorkspaceRequest
  /** List all embeddings models. */
  listEmbeddingsModels: undefined
  /** List benchmarks. */
  listBenchmarks: undefined
  /** Get a preset. */
  getPreset: undefined
  /** Create a response. */
  createResponse: CreateResponseRequest
}

/** The fields of a workspace to change; omitted ones stay. */
export interface UpdateWorkspaceRequest {
  /** Name of the workspace. */
  name?: string
  /** URL-friendly identifier. */
  slug?: string
  /** Description of the workspace. */
  description?: string | null
  /** Model identifier. */
  default_text_model?: string | null
  /** Model identifier. */
  default_image_model?: string | null
  /** Default provider sort preference; described values: price, throughput, latency, exacto. */
  default_provider_sort?: string | null
  /** API key IDs used to filter I/O logging. */
  io_logging_api_key_ids?: number[] | null
  /** Share of requests that I/O logging samples. */
  io_logging_sampling_rate?: number
  /** Whether data discount logging is enabled. */
  is_data_discount_logging_enabled?: boolean
  /** Whether broadcast is enabled. */
  is_observability_broadcast_enabled?: boolean
  /** Whether private logging is enabled. */
  is_observability_io_logging_enabled?: boolean
  [field: string]: unknown
}

/** A request for a model response. */
export interface CreateResponseRequest {
  /** Model identifier. */
  model: string
  /** Plain text, or a list of messages. */
  input: string | Array<{
    type?: 'message'
    role: 'user' | 'assistant' | 'system' | 'developer'
    content: string | Array<{
      type: 'input_text'
      text: string
      [field: string]: unknown
    } | {
      type: 'output_text'
      text: string
      annotations?: unknown[] | null
      logprobs?: unknown
      [field: string]: unknown
    } | {
      type: 'refusal'
      refusal: string
      [field: string]: unknown
    } | {
      type: 'input_image'
      image_url?: unknown
      file_id?: unknown
      detail?: unknown
      [field: string]: unknown
    } | {
      type: 'input_file'
      file_id?: unknown
      file_data?: unknown
      file_url?: unknown
      filename?: unknown
      detail?: unknown
      [field: string]: unknown
    }>
    id?: string | null
    status?: string | null
    phase?: unknown
    [field: string]: unknown
  } | {
    type: 'function_call'
    call_id: string
    name: string
    arguments: string
    id?: unknown
    status?: unknown
    namespace?: unknown
    [field: string]: unknown
  } | {
    type: 'function_call_output'
    call_id: string
    output: string | Array<{
      type: 'input_text'
      text: string
      [field: string]: unknown
    } | {
      type: 'output_text'
      text: string
      annotations?: unknown[] | null
      logprobs?: unknown
      [field: string]: unknown
    } | {
      type: 'refusal'
      refusal: string
      [field: string]: unknown
    } | {
      type: 'input_image'
      image_url?: unknown
      file_id?: unknown
      detail?: unknown
      [field: string]: unknown
    } | {
      type: 'input_file'
      file_id?: unknown
      file_data?: unknown
      file_url?: unknown
      filename?: unknown
      detail?: unknown
      [field: string]: unknown
    }>
    id?: unknown
    status?: unknown
    [field: string]: unknown
  } | {
    type: 'web_search_call'
    id?: unknown
    status?: unknown
    action?: unknown
    [field: string]: unknown
  } | {
    type: 'reasoning'
    id?: unknown
    status?: unknown
    summary?: unknown
    content?: unknown
    encrypted_content?: unknown
    format?: unknown
    signature?: unknown
    [field: string]: unknown
  } | {
    type: 'item_reference'
    id: string
    [field: string]: unknown
  }>
  /** Use the tool `gateway:web_search`. */
  plugins?: Array<{
    id: 'web'
    /** Default: automatic choice. */
    engine?: 'native' | 'engine_a' | 'engine_b' | 'engine_c'
    /** Default: 5. At most 20 for one engine. */
    max_results?: number
    /** Restricts results to these domains. */
    include_domains?: string[]
    /** Excludes results from these domains. */
    exclude_domains?: string[]
    [field: string]: unknown
  }> | null
  /** Upper bound on generated tokens. */
  max_output_tokens?: number | null
  /** When true, the reply is an event stream. */
  stream?: boolean | null
  x_search_filter?: {
    /** Only posts from these handles. */
    allowed_x_handles?: string[] | null
    /** No posts from these handles. */
    excluded_x_handles?: string[] | null
    /** The first day, UTC. */
    from_date?: string | null
    /** The last day, UTC. */
    to_date?: string | null
    /** Adds what images show to the excerpt. */
    enable_image_understanding?: boolean | null
    /** Adds what videos show to the excerpt. */
    enable_video_understanding?: boolean | null
    [field: string]: unknown
  } | null
  instructions?: string | null
  tools?: {
    type: string
    [field: string]: unknown
  }[] | null
  tool_choice?: 'auto' | 'none' | 'required' | {
    type: string
    name?: string
    mode?: unknown
    tools?: unknown
    server_label?: unknown
    [field: string]: unknown
  } | null
  parallel_tool_calls?: boolean | null
  text?: {
    format?: {
      type: 'text'
      [field: string]: unknown
    } | {
      type: 'json_object'
      [field: string]: unknown
    } | {
      type: 'json_schema'
      name?: string
      schema?: {
        [field: string]: unknown
      } | null
      strict?: boolean | null
      description?: unknown
      [field: string]: unknown
    } | null
    /** low, medium (the default) or high. */
    verbosity?: string | null
    [field: string]: unknown
  } | null
  temperature?: number | null
  top_p?: number | null
  presence_penalty?: number | null
  frequency_penalty?: number | null
  metadata?: Record<string, unknown> | null
  reasoning?: {
    effort?: string | null
    max_tokens?: number | null
    enabled?: boolean | null
    summary?: string | null
    exclude?: boolean | null
    generate_summary?: unknown
    [field: string]: unknown
  } | null
  include?: string[] | null
  service_tier?: string | null
  store?: false | null
  previous_response_id?: null
  [field: string]: unknown
}
