/** Converts a chat completion to chunks, one per token, and locates its parts for faults. */
import type { StreamEvent } from '../../http/reply.ts'
import { fieldsOf, listOf } from '../../lib/json.ts'
import { editAt } from '../../lib/value-path.ts'
import { tokenize } from '../../model/tokens.ts'
import type { Answer } from '../../resources/answer.ts'
import type { AnswerPart, StreamFailure, StreamPlaces } from '../../resources/protocol.ts'
import { type ChatChoice, type ChatCompletion, toChatError } from './completion.ts'
import { reasoningDeltas } from './reasoning-details.ts'
import type { ChatRequest } from './request.ts'

/** Yields a completion's chunks. A failed answer ends with an error chunk instead of a finish reason. */
export function* chunks(
  completion: ChatCompletion,
  { choices: [first] }: Answer,
  { stream_options, usage: asked }: ChatRequest,
): Generator<StreamEvent> {
  const { id, created, model, choices, usage } = completion
  const failure = first.end.error
  const head = { id, object: 'chat.completion.chunk', created, model }
  const chunk = (
    index: number,
    delta: object,
    finish_reason: ChatChoice['finish_reason'] = null,
    logprobs: ChatChoice['logprobs'] = null,
  ) => ({ ...head, choices: [{ index, delta, finish_reason, logprobs }] })
  for (const { index, message, finish_reason, logprobs } of choices) {
    yield chunk(index, { role: 'assistant', content: '' })
    for (const delta of reasoningDeltas(message.reasoning_details ?? [])) yield chunk(index, delta)
    for (const [place, token] of tokenize(message.content ?? '').entries()) {
      const logprob = logprobs?.content[place]
      yield chunk(index, { content: token }, null, logprob ? { content: [logprob], refusal: null } : null)
    }
    for (const token of tokenize(message.refusal ?? '')) yield chunk(index, { refusal: token })
    for (const annotation of message.annotations ?? []) yield chunk(index, { annotations: [annotation] })
    if (message.images) yield chunk(index, { images: message.images })
    for (const [place, call] of (message.tool_calls ?? []).entries()) {
      const isCustom = call.type === 'custom'
      const started = isCustom
        ? { custom: { ...call.custom, input: '' } }
        : { function: { ...call.function, arguments: '' } }
      yield chunk(index, { tool_calls: [{ index: place, id: call.id, type: call.type, ...started }] })
      for (const token of tokenize(isCustom ? call.custom.input : call.function.arguments)) {
        const more = isCustom ? { custom: { input: token } } : { function: { arguments: token } }
        yield chunk(index, { tool_calls: [{ index: place, ...more }] })
      }
    }
    if (message.function_call) {
      const { name, arguments: args } = message.function_call
      yield chunk(index, { function_call: { name, arguments: '' } })
      for (const token of tokenize(args)) yield chunk(index, { function_call: { arguments: token } })
    }
    if (!failure) yield chunk(index, {}, finish_reason)
  }
  if (failure) yield failureOf(failure, completion)
  else if (stream_options?.include_usage || asked?.include) yield { ...head, choices: [], usage }
}

function choiceOf(event: object): Record<string, unknown> {
  return fieldsOf(listOf(fieldsOf(event)['choices'])[0])
}

export const chatPlaces: StreamPlaces = {
  owns: (event) => 'delta' in choiceOf(event),
  isDelta(event) {
    const { content, refusal, reasoning, tool_calls, function_call } = fieldsOf(choiceOf(event)['delta'])
    const called = fieldsOf(listOf(tool_calls)[0])
    const args =
      fieldsOf(function_call ?? called['function'])['arguments'] || fieldsOf(called['custom'])['input']
    return Boolean(content || refusal || reasoning || args)
  },
  isReasoningDelta(event) {
    const { content, reasoning } = fieldsOf(choiceOf(event)['delta'])
    return Boolean(reasoning && !content)
  },
  isFinal: (event) => choiceOf(event)['finish_reason'] != null,
  ended(value, reason) {
    const choices = listOf(fieldsOf(value)['choices']).map(fieldsOf)
    if (!choices.some(({ finish_reason }) => finish_reason != null)) return value
    const changed = choices.map((choice) => {
      const native = 'native_finish_reason' in choice && { native_finish_reason: reason }
      return { ...choice, finish_reason: reason, ...native }
    })
    return { ...value, choices: changed }
  },
  partsOf: (value) => listOf(fieldsOf(value)['choices']).flatMap(choiceParts),
  refused(value) {
    const refused = (message: unknown) => {
      const { content, ...rest } = fieldsOf(message)
      return content ? { ...rest, ...('role' in rest && { content: null }), refusal: content } : message
    }
    const changed = editAt(value, ['choices', '*', 'message'], refused)
    return fieldsOf(editAt(changed, ['choices', '*', 'delta'], refused))
  },
  choices: 'choices',
  failure: (failure, { last }) => failureOf(failure, last as Partial<ChatCompletion> | undefined),
  heartbeat: (kind, { last = {} }) => (kind === 'empty-delta' ? emptyChunk(last, 'delta') : undefined),
}

export function emptyChunk(last: StreamEvent, field: 'delta' | 'text'): StreamEvent {
  const nothing = field === 'delta' ? { content: '' } : ''
  const choice = { ...choiceOf(last), [field]: nothing, logprobs: null, finish_reason: null }
  return { ...last, choices: [choice] }
}

function choiceParts(choice: unknown, place: number): AnswerPart[] {
  const { index = place, delta, message } = fieldsOf(choice)
  const at = `choices.${place}.${delta ? 'delta' : 'message'}`
  const { role: _, tool_calls, ...fields } = fieldsOf(delta ?? message)
  const isDelta = delta !== undefined
  const calls = listOf(tool_calls).map((call, number): AnswerPart => {
    const { type = 'function', index: of = number } = fieldsOf(call)
    const callAt = `${at}.tool_calls.${number}`
    const shared = { kind: 'call', of: `${index} call ${of}`, at: `${at}.tool_calls`, isDelta } as const
    const paths = { id: `${callAt}.id`, index: `${callAt}.index`, name: `${callAt}.${type}.name` }
    return { ...shared, ...paths, texts: [`${callAt}.function.arguments`] }
  })
  const others = Object.keys(fields).map((name): AnswerPart => {
    const kind = name === 'content' ? 'text' : name.startsWith('reasoning') ? 'reasoning' : 'other'
    const path = `${at}.${name}`
    return { kind, of: `${index} ${name}`, at: path, texts: kind === 'text' ? [path] : [], isDelta }
  })
  return [...others, ...calls]
}

/** Creates the error chunk by which published clients recognise a failed answer. */
function failureOf(
  failure: Omit<StreamFailure, 'form'>,
  { id, created, model, provider }: Partial<ChatCompletion> & { provider?: string } = {},
): StreamEvent {
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    ...(provider !== undefined && { provider }),
    error: toChatError(failure),
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  }
}
