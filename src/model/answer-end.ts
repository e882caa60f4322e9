/**
 * How an answer ends: whole, cut, refused by a filter, failed, or not there yet. Spec: States.
 */
import type { IncompleteReason, ResponseStatus } from '../resources/response.ts'
import type { ScriptedReply } from '../scenarios/scripted-reply.ts'

export interface AnswerEnd {
  readonly status: ResponseStatus
  /** Only of an incomplete answer. */
  readonly reason?: IncompleteReason
  /** Only of a failed one. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** As the script has it; without one, an answer is complete unless its tokens did not suffice. */
export function endOf(script: ScriptedReply = {}, isCut = false): AnswerEnd {
  const status = statusOf(script) ?? (isCut ? 'incomplete' : 'completed')
  if (status === 'incomplete') return { status, reason: script.incompleteReason ?? 'max_output_tokens' }
  if (status === 'failed') return { status, error: { ...failure, ...script.error } }
  return { status }
}

/** Whether the model got to write anything; a script may give such an answer an output all the same. */
export function isWritten(script: ScriptedReply | undefined): boolean {
  const status = (script && statusOf(script)) ?? 'completed'
  return status === 'completed' || status === 'incomplete'
}

function statusOf({ responseStatus, incompleteReason, error }: ScriptedReply): ResponseStatus | undefined {
  return responseStatus ?? (incompleteReason ? 'incomplete' : error && 'failed')
}

const failure = { code: 'server_error', message: 'The model failed to generate a response' }
