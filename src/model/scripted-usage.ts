/**
 * The usage that a rule scripts, over the one that is counted.
 */
import type { ResponseObject } from '../resources/response.ts'
import type { ScriptedUsage } from '../rules/scripted-reply.ts'

/** What the script leaves out stays as counted; the total follows. */
export function withUsage(response: ResponseObject, scripted: ScriptedUsage | undefined): ResponseObject {
  if (!scripted) return response
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details } = response.usage
  const usage = {
    input_tokens: scripted.input_tokens ?? input_tokens,
    input_tokens_details: { ...input_tokens_details, ...scripted.input_tokens_details },
    output_tokens: scripted.output_tokens ?? output_tokens,
    output_tokens_details: { ...output_tokens_details, ...scripted.output_tokens_details },
  }
  return { ...response, usage: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens } }
}
