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

const engines = ['body.plugins.*.engine', 'body.tools.*.parameters.engine']
const sources = { request: ['query.source'], reply: ['data.*.source', 'meta.source'] }

export const openrouter: Dialect = {
  name: 'openrouter',
  source: 'the OpenAPI document in OpenRouterTeam/typescript-sdk, @openrouter/sdk 0.13 and 1.3',
  extensions: ['chat', 'messages', 'models', 'embeddings', 'account'],
  words: [
    {
      ours: 'gateway:web_search',
      theirs: 'openrouter:web_search',
      request: ['body.tools.*.type', 'body.tool_choice.type'],
    },
    // The tool that the Responses protocol knows is the same one, and the only one that schemas of replies know.
    {
      ours: 'gateway:web_search',
      theirs: 'web_search',
      request: ['body.tools.*.type', 'body.tool_choice.type'],
      reply: ['tools.*.type', 'response.tools.*.type'],
    },
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
    createMessage: chatCosts,
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
    createMessage: chatCosts,
  },
  comment: 'OPENROUTER PROCESSING',
}
