/** A sandbox's account: its key, credits and generations, derived from its usage and journal. */
import * as z from 'zod'
import { GatewayError } from '../../http/errors.ts'
import { announcesEvents, ok } from '../../http/reply.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import type { CallUsage } from '../../journal/ledger.ts'
import { defineOperation } from '../../operation.ts'

/** Each sandbox's initial credits, in US dollars. */
const totalCredits = 100

export const getCredits = defineOperation({
  id: 'getCredits',
  method: 'get',
  path: '/credits',
  doc: { summary: 'Get the credits', tag: 'Credits' },
  output: z.lazy(() =>
    z.object({ data: z.strictObject({ total_credits: z.number(), total_usage: z.number() }) }),
  ),
  resolve: ({ sandbox }) =>
    ok({ data: { total_credits: totalCredits, total_usage: sandbox.ledger.read().cost } }),
})

/** Reads a generation by reply id. Throws 404 if it does not exist or was evicted from the journal. */
export const getGeneration = defineOperation({
  id: 'getGeneration',
  method: 'get',
  path: '/generation',
  doc: { summary: 'Get a generation', tag: 'Generations' },
  input: {
    query: z.lazy(() =>
      z.looseObject({ id: z.string().min(1).describe('Id of a completion, response or message.') }),
    ),
  },
  output: z.lazy(() =>
    z.object({ data: z.looseObject({ id: z.string(), model: z.string(), total_cost: z.number() }) }),
  ),
  resolve({ query: { id }, sandbox }) {
    const field = `"id":${JSON.stringify(id)}`
    const record = sandbox.journal
      .records()
      .findLast(({ usage, responseBody }) => usage !== undefined && responseBody.text.includes(field))
    if (record?.usage) return ok({ data: generationOf(id, record, record.usage) })
    throw new GatewayError(
      404,
      `No generation '${id}' in this sandbox: it never existed, was evicted, or came from a recording or from a rule with body or frames`,
    )
  },
})

function generationOf(id: string, record: CallRecord, usage: CallUsage) {
  const { model, inputTokens, cachedTokens, outputTokens, reasoningTokens, cost } = usage
  return {
    id,
    request_id: record.id,
    model,
    created_at: new Date(record.at).toISOString(),
    total_cost: cost ?? 0,
    usage: cost ?? 0,
    tokens_prompt: inputTokens,
    tokens_completion: outputTokens,
    native_tokens_prompt: inputTokens,
    native_tokens_completion: outputTokens,
    native_tokens_cached: cachedTokens,
    native_tokens_reasoning: reasoningTokens,
    native_tokens_completion_images: 0,
    streamed: announcesEvents(record.responseHeaders),
    cancelled: record.delivery === 'aborted-by-client',
    finish_reason: record.delivery === 'complete' ? 'stop' : null,
    native_finish_reason: null,
    origin: '',
    is_byok: false,
    api_type: 'completions',
    data_region: 'global',
    ...unknownFields,
  }
}

/** Fields that are always null, because Understudy has no values for them. */
const unknownFields = Object.fromEntries(
  (
    'app_id cache_discount external_user generation_time http_referer latency moderation_latency ' +
    'num_fetches num_input_audio_prompt num_media_completion num_media_prompt num_search_results ' +
    'preset_id provider_name provider_responses router service_tier session_id upstream_id ' +
    'upstream_inference_cost user_agent web_search_engine workspace_id'
  )
    .split(' ')
    .map((name) => [name, null]),
)
