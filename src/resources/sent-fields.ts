/** Body fields that clients send although they have no effect here. They are accepted, even with `strict`. */

/** Paths of fields in the body, separated by spaces, by operation. `[]` stands for any index. */
export type SentFields = Readonly<Record<string, string>>

/**
 * Sources: the request types of `openai` 7 and `@anthropic-ai/sdk` 1, and the requests to OpenAI, Anthropic, Groq,
 * Cerebras and Hugging Face that the tests of pydantic-ai have recorded.
 */
const published: SentFields = {
  createResponse:
    'access_programs background context_management conversation image max_tool_calls moderation prompt ' +
    'prompt_cache_key prompt_cache_options prompt_cache_retention reasoning.context reasoning.mode ' +
    'safety_identifier stream_options tools[].defer_loading top_logprobs user',
  createChatCompletion:
    'audio logit_bias modalities moderation prediction prompt_cache_key prompt_cache_options ' +
    'prompt_cache_retention reasoning_format response_format.json_schema.description safety_identifier ' +
    'search_settings service_tier store stream_options.include_obfuscation tools[].defer_loading ' +
    'web_search_options',
  createMessage:
    'billing_policy cache_control compaction container context_management diagnostics fallback_credit_token ' +
    'fallbacks inference_geo mcp_servers output_config.task_budget speed thinking.block_binding ' +
    'thinking.display thread tool_choice.disable_parallel_tool_use tools[].allowed_callers tools[].cache_control ' +
    'tools[].citations tools[].defer_loading tools[].eager_input_streaming tools[].input_examples ' +
    'tools[].max_content_tokens tools[].max_tokens tools[].model tools[].strict tools[].url_sources ' +
    'tools[].user_location user_profile_id workspace_id',
}

/** Returns true if clients send a field. Its path includes `body.`. */
export function isSentField(operation: string, path: string, lists: readonly SentFields[]): boolean {
  const field = path.replace(/^body\./, '').replace(/\[\d+\]/g, '[]')
  const name = operation === 'countMessageTokens' ? 'createMessage' : operation
  return [published, ...lists].some((fields) => fields[name]?.split(' ').includes(field))
}
