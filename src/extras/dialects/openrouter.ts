/**
 * OpenRouter, from its published OpenAPI document and its published SDKs; where two versions differ, the newest field
 * set that a published SDK requires.
 */
import type { Dialect, Fields } from './dialect.ts'

/** What a reply with a usage has beside the tokens. */
const costs: Fields = {
  'usage.cost': { from: 'cost' },
  'usage.is_byok': { value: false },
  'usage.cost_details': { value: {} },
  'usage.cost_details.upstream_inference_cost': { value: null },
}

const responseCosts: Fields = {
  ...costs,
  'usage.cost_details.upstream_inference_input_cost': { from: 'promptCost' },
  'usage.cost_details.upstream_inference_output_cost': { from: 'completionCost' },
}

const chatCosts: Fields = {
  ...costs,
  'usage.cost_details.upstream_inference_prompt_cost': { from: 'promptCost' },
  'usage.cost_details.upstream_inference_completions_cost': { from: 'completionCost' },
}

/** The fields of an object that stands one level deeper. */
function below(place: string, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([path, value]) => [`${place}.${path}`, value]))
}

/** What a usage in the Messages form has beside that. */
const messagesUsage: Fields = {
  'usage.cache_creation': { value: null },
  'usage.inference_geo': { value: null },
  'usage.output_tokens_details': { value: null },
  'usage.server_tool_use': { value: null },
  'usage.service_tier': { value: 'standard' },
}

/** How a request found its model. */
const routing: Fields = {
  openrouter_metadata: { value: { region: null, is_byok: false } },
  'openrouter_metadata.requested': { from: 'asked' },
  'openrouter_metadata.strategy': { from: 'route' },
  'openrouter_metadata.attempt': { from: 'attempt' },
  'openrouter_metadata.summary': { value: 'available=1' },
  'openrouter_metadata.endpoints': { value: { total: 1, available: [{ selected: true }] } },
  'openrouter_metadata.endpoints.available.*.model': { from: 'model' },
  'openrouter_metadata.endpoints.available.*.provider': { from: 'provider' },
}

const engines = ['body.plugins.*.engine', 'body.tools.*.parameters.engine']
const sources = { request: ['query.source'], reply: ['data.*.source', 'meta.source'] }
const tool = ['body.tools.*.type', 'body.tool_choice.type']

export const openrouter: Dialect = {
  name: 'openrouter',
  source: 'the OpenAPI document in OpenRouterTeam/typescript-sdk, @openrouter/sdk 0.13 and 1.3',
  extensions: ['chat', 'messages', 'models', 'embeddings', 'account'],
  words: [
    { ours: 'gateway:web_search', theirs: 'openrouter:web_search', request: tool },
    // The tool that the Responses protocol knows is the same one, and the only one that schemas of replies know.
    {
      ours: 'gateway:web_search',
      theirs: 'web_search',
      request: tool,
      reply: ['tools.*.type', 'response.tools.*.type'],
    },
    { ours: 'gateway:web_search', theirs: 'web_search_2025_08_26', request: tool },
    { ours: 'gateway:web_search', theirs: 'web_search_preview', request: tool },
    { ours: 'gateway:web_search', theirs: 'web_search_preview_2025_03_11', request: tool },
    { ours: 'engine_a', theirs: 'exa', request: engines },
    { ours: 'engine_b', theirs: 'firecrawl', request: engines },
    { ours: 'engine_c', theirs: 'parallel', request: engines },
    { ours: 'index-source', theirs: 'artificial-analysis', ...sources },
    { ours: 'design-source', theirs: 'design-arena', ...sources },
  ],
  requests: {
    createChatCompletion: { 'stream_options.include_usage': { value: true } },
  },
  replies: {
    createResponse: responseCosts,
    createChatCompletion: { ...chatCosts, service_tier: { value: null } },
    createMessage: { ...chatCosts, ...messagesUsage },
    createEmbeddings: { 'usage.cost': { from: 'cost' } },
    updateWorkspace: {
      'data.default_guardrail_id': { from: 'uuid' },
      'data.disabled_server_tools': { value: [] },
      'data.include_byok_in_budgets': { value: false },
    },
    getKey: {
      'data.allowed_data_regions': { value: [] },
      'data.free_model_daily_requests': { value: { limit: 50, remaining: 50, used: 0 } },
      'data.organization_id': { value: null },
      'data.workspace_id': { value: null },
    },
    listEmbeddingsModels: { links: { value: { next: null } }, total_count: { from: 'count' } },
    listModelEndpoints: {
      'data.endpoints.*.supports_tool_choice': {
        value: { auto: true, function: true, none: true, required: true },
      },
      'data.endpoints.*.supports_voice_cloning': { value: false },
    },
  },
  events: {
    createResponse: below('response', responseCosts),
    createChatCompletion: chatCosts,
    createMessage: {
      ...chatCosts,
      'usage.output_tokens_details': { value: null },
      'usage.server_tool_use': { value: null },
      'delta.container': { value: null },
      'delta.stop_details': { value: null },
      ...below('message', messagesUsage),
    },
  },
  onRequest: [
    {
      headers: ['x-openrouter-metadata', 'x-openrouter-experimental-metadata'],
      value: 'enabled',
      replies: { createResponse: routing, createChatCompletion: routing, createMessage: routing },
      events: {
        'createResponse response.completed': below('response', routing),
        createChatCompletion: routing,
        'createMessage message_stop': routing,
      },
    },
  ],
  headers: ['HTTP-Referer', 'X-OpenRouter-Title', 'X-Title', 'X-OpenRouter-Categories'],
  errors: {
    402: 'Insufficient credits. Add more using https://openrouter.ai/credits',
    408: 'Operation timed out. Please try again later.',
    409: 'Resource conflict. Please try again later.',
    422: 'Invalid argument',
    524: 'Request timed out. Please try again later.',
    529: 'Provider returned error',
  },
  errorMetadata: 'openrouter_metadata',
  comment: 'OPENROUTER PROCESSING',
}
