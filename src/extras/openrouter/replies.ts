/**
 * Fields that OpenRouter's replies have in addition to Understudy's, by operation and path: their names and types, as
 * data. Sources: 78 exchanges that the tests of pydantic-ai and llm-openrouter have recorded (2025 and 2026; where they
 * vary, the newest), and, for operations that they do not call, OpenRouter's OpenAPI document.
 */

/** Values of absent fields and of those that are null, by the path of their object. `''` is the reply itself. */
export type Fields = Readonly<Record<string, object>>

const chatUsage: Fields = {
  'usage.prompt_tokens_details': { cache_write_tokens: 0, audio_tokens: 0, video_tokens: 0 },
  'usage.completion_tokens_details': { image_tokens: 0, audio_tokens: 0 },
}

const messagesUsage = {
  cache_creation: null,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
}

const text = { format: { type: 'text' } }
const reasoning = { context: null, effort: null, summary: null }
/** A Response, alone and in events. */
const response = {
  background: false,
  frequency_penalty: 0,
  max_output_tokens: null,
  max_tool_calls: null,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_options: null,
  reasoning: null,
  safety_identifier: null,
  service_tier: 'auto',
  store: false,
  temperature: 1,
  text,
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
}
const finishedResponse = {
  ...response,
  reasoning,
  service_tier: 'default',
}
const part = { output_text: { logprobs: [] } }
const tool = { function: { strict: null } }

export const replyFields: Readonly<Record<string, Fields>> = {
  createResponse: { '': finishedResponse, text, reasoning },
  createChatCompletion: {
    '': { service_tier: 'default' },
    'choices.*.message': { reasoning: null },
    ...chatUsage,
  },
  createMessage: { usage: messagesUsage },
  listEmbeddingsModels: { '': { links: { next: null } } },
  listModels: {
    'data.*': { hugging_face_id: null, default_parameters: {} },
    'data.*.pricing': { web_search: '0', input_cache_write: '0', input_cache_write_1h: '0' },
  },
  listModelEndpoints: {
    'data.endpoints.*': {
      supports_tool_choice: { auto: true, function: true, none: true, required: true },
      supports_voice_cloning: false,
    },
  },
  updateWorkspace: { data: { disabled_server_tools: [], include_byok_in_budgets: false } },
  getKey: {
    data: {
      allowed_data_regions: [],
      free_model_daily_requests: { limit: 50, remaining: 50, used: 0 },
      organization_id: null,
      workspace_id: null,
    },
  },
}

/** The fields of events. The values of `startedResponse` apply until a Response is finished. */
export const startedResponse: Fields = { response, 'response.text': text }
export const eventFields: Readonly<Record<string, Fields>> = {
  createResponse: { response: finishedResponse, 'response.text': text, 'response.reasoning': reasoning },
  createChatCompletion: { '': { service_tier: 'default' }, ...chatUsage },
  createMessage: {
    usage: { output_tokens_details: null, server_tool_use: null },
    delta: { container: null, stop_details: null },
    'message.usage': messagesUsage,
  },
}

/** The same for objects whose `type` decides their fields, in replies and in events. */
export const fieldsByType: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'output.*.content.*': part,
  'response.output.*.content.*': part,
  'item.content.*': part,
  part,
  'tools.*': tool,
  'response.tools.*': tool,
}

/** Native finish reasons that differ from `finish_reason`, by the model's vendor. */
export const nativeReasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anthropic: { stop: 'end_turn' },
  google: { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' },
  openai: { stop: 'completed', tool_calls: 'completed', length: 'max_output_tokens' },
  'x-ai': { stop: 'completed', tool_calls: 'completed', length: 'max_output_tokens' },
}
