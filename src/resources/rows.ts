/**
 * The records of the collections.
 */
// Written by `npm run generate` from the schemas: change those.

/** The record of each collection, by name. */
export interface Rows {
  /** Of `db.providers`. */
  providers: ProviderRow
  /** Of `db.workspaces`. */
  workspaces: WorkspaceRow
  /** Of `db.embeddingsModels`. */
  embeddingsModels: EmbeddingsModelRow
  /** Of `db.benchmarks`. */
  benchmarks: BenchmarkRow
  /** Of `db.presets`. */
  presets: PresetRow
  /** Of `db.presetVersions`. */
  presetVersions: PresetVersionRow
  /** Of `db.pages`. */
  pages: PageRow
  /** Of `db.posts`. */
  posts: PostRow
  /** Of `db.models`. */
  models: ModelRow
}

/** A provider of AI models. */
export interface ProviderRow {
  /** Display name. */
  name: string
  /** URL-friendly identifier. */
  slug: string
  /** URL of the privacy policy. */
  privacy_policy_url: string | null
  /** URL of the terms of service. */
  terms_of_service_url?: string | null
  /** URL of the status page. */
  status_page_url?: string | null
  /** ISO 3166-1 alpha-2 country code. */
  headquarters?: string | null
  /** ISO 3166-1 alpha-2 country codes. */
  datacenters?: string[] | null
}

/** A container for defaults and logging settings. */
export interface WorkspaceRow {
  id: string
  /** Name of the workspace. */
  name: string
  /** URL-friendly identifier. */
  slug: string
  /** Description of the workspace. */
  description: string | null
  /** Model identifier. */
  default_text_model: string | null
  /** Model identifier. */
  default_image_model: string | null
  /** Default provider sort preference; described values: price, throughput, latency, exacto. */
  default_provider_sort: string | null
  /** API key IDs used to filter I/O logging. */
  io_logging_api_key_ids: number[] | null
  /** Share of requests that I/O logging samples. */
  io_logging_sampling_rate: number
  /** Whether data discount logging is enabled. */
  is_data_discount_logging_enabled: boolean
  /** Whether broadcast is enabled. */
  is_observability_broadcast_enabled: boolean
  /** Whether private logging is enabled. */
  is_observability_io_logging_enabled: boolean
  created_at: string
  updated_at: string
  /** Identifier of the creating user. */
  created_by: string
}

/** An embeddings model with its metadata and pricing. */
export interface EmbeddingsModelRow {
  /** Model identifier, <vendor>/<model>. */
  id: string
  canonical_slug: string
  name: string
  description: string
  /** Unix timestamp in seconds. */
  created: number
  context_length: number
  architecture: {
    input_modalities: string[]
    output_modalities: string[]
    /** Such as text->text. */
    modality: string
    tokenizer: string
    instruct_type: string | null
  }
  /** Each a decimal number per unit. */
  pricing: {
    prompt: string
    completion: string
    image: string
    request: string
  }
  top_provider: {
    context_length: number
    is_moderated: boolean
    max_completion_tokens: number | null
  }
  /** Empty for embeddings models. */
  supported_parameters: string[]
  links: {
    /** Path to the endpoints of this model. */
    details: string
  }
  default_parameters: null
  per_request_limits: null
  supported_voices: null
  knowledge_cutoff: null
  expiration_date: null
}

/** A benchmark item; its source decides its shape. */
export type BenchmarkRow = {
  source: 'index-source'
  model_permaslug: string
  display_name: string
  intelligence_index: number
  coding_index: number
  agentic_index: number
  pricing: {
    prompt: string
    completion: string
  }
} | {
  source: 'design-source'
  model_permaslug: string
  display_name: string
  arena: 'models' | 'builders' | 'agents'
  /** A category within the arena. */
  category: string
  elo: number
  /** Percentage, 0 to 100. */
  win_rate: number
  avg_generation_time_ms: number | null
  tournament_stats: {
    first_place: number | null
    second_place: number | null
    third_place: number | null
    fourth_place: number | null
    total: number | null
  }
  pricing: {
    prompt: string
    completion: string
  } | null
}

/** A record of `presets`. */
export interface PresetRow {
  id: string
  name: string
  /** URL-safe. */
  slug: string
  description: string | null
  status: 'active' | 'disabled' | 'archived'
  status_updated_at: string | null
  created_at: string
  updated_at: string
  creator_user_id: string
  workspace_id: string
  /** Identifier of the designated version. */
  designated_version_id: string
}

/** One version of a preset. */
export interface PresetVersionRow {
  id: string
  preset_id: string
  /** Version number. */
  version: number
  /** Model configuration. */
  config: {
    model?: string
    temperature?: number
    [field: string]: unknown
  }
  system_prompt: string
  creator_id: string
  created_at: string
  updated_at: string
}

/** A page that web search can find. */
export interface PageRow {
  /** Key of the page. */
  url: string
  title: string
  /** One to three sentences of the page. */
  excerpt: string
  published_at?: string
}

/** A social-media post that web search can find. */
export interface PostRow {
  id: string
  handle: string
  date: string
  text: string
  url: string
  /** What image understanding sees. */
  images?: {
    description: string
  }[]
  /** What video understanding sees. */
  videos?: {
    description: string
  }[]
}

/** A model with its metadata and pricing. */
export interface ModelRow {
  /** Model identifier, <vendor>/<model>. */
  id: string
  canonical_slug: string
  name: string
  description: string
  /** Unix timestamp in seconds. */
  created: number
  context_length: number
  architecture: {
    input_modalities: string[]
    output_modalities: string[]
    /** Such as text->text. */
    modality: string
    tokenizer: string
    instruct_type: string | null
  }
  /** Each a decimal number per unit. */
  pricing: {
    prompt: string
    completion: string
    image: string
    request: string
  }
  top_provider: {
    context_length: number
    is_moderated: boolean
    max_completion_tokens: number | null
  }
  /** Names of request parameters. */
  supported_parameters: string[]
  links: {
    /** Path to the endpoints of this model. */
    details: string
  }
  default_parameters: Record<string, number | null> | null
  per_request_limits: null
  supported_voices: null
  knowledge_cutoff: string | null
  expiration_date: string | null
}

/** The collections whose number of records can be set: parts come with the records that they are parts of. */
export type SizedCollectionName =
  | 'providers'
  | 'workspaces'
  | 'embeddingsModels'
  | 'benchmarks'
  | 'presets'
  | 'pages'
  | 'posts'
  | 'models'
