/**
 * A model request answered, whatever its protocol: the others are read into the shape of POST /responses first, so
 * that the same question gets the same words, tokens and citations in all.
 */

import type { CallUsage } from '../journal/ledger.ts'
import { hash } from '../lib/seed.ts'
import type { ResolverContext } from '../operation.ts'
import type { CreateResponseBody } from '../resources/create-response-body.ts'
import { latencyOf } from '../sandbox/latency-profile.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { answerPrompt } from './answer.ts'
import { type AnswerEnd, endOf, isWritten } from './answer-end.ts'
import { type CountedAnswer, cutAnswer } from './budget.ts'
import type { Conversation } from './conversation.ts'
import { callUsage, type Pricing, pricingOf } from './cost.ts'
import { checkModel } from './known-model.ts'
import { applyPreset, type EffectiveRequest } from './preset.ts'
import { readConversation, readPrompt } from './responses-prompt.ts'
import { scriptedItems, scriptedSources } from './script.ts'
import { searchWeb } from './search/search.ts'
import type { Source } from './source.ts'
import { countTokens, tokenize } from './tokens.ts'
import { type AnswerUsage, type InputCount, usageOf } from './usage.ts'

export interface AnsweredRequest {
  /** Of the answer, where a rule gives it. */
  readonly id?: string | undefined
  /** The request, with what its preset brings. */
  readonly body: CreateResponseBody
  readonly conversation: Conversation
  readonly answer: CountedAnswer
  readonly usage: AnswerUsage
  readonly end: AnswerEnd
  /** What the call has used, by the model that answered. */
  readonly used: CallUsage
  /** Of that model; undefined for one that the catalogue does not have. */
  readonly pricing: Pricing | undefined
  /** Whether the events of its items alternate. */
  readonly isInterleaved?: boolean | undefined
}

type AnswerContext = Pick<ResolverContext, 'sandbox' | 'script' | 'assume' | 'warn'>

/** Throws 400 and 404 where the request cannot be answered. */
export async function answerRequest(
  asked: CreateResponseBody,
  context: AnswerContext,
): Promise<AnsweredRequest> {
  return answered(await readRequest(asked, context), context)
}

export type Answers = readonly [AnsweredRequest, ...AnsweredRequest[]]

/**
 * The same so many times, each answer another one.
 *
 * @param count One or more.
 */
export async function answerChoices(
  asked: CreateResponseBody,
  count: number,
  context: AnswerContext,
): Promise<Answers> {
  const request = await readRequest(asked, context)
  const first = answered(request, context)
  return [first, ...Array.from({ length: count - 1 }, (_, place) => answered(request, context, place + 1))]
}

/** A request with all that the database says about it. */
interface ReadRequest extends EffectiveRequest {
  readonly conversation: Conversation
  /** What a search has found; undefined where none was made. */
  readonly found: Source[] | undefined
  readonly pricing: Pricing | undefined
}

async function readRequest(asked: CreateResponseBody, context: AnswerContext): Promise<ReadRequest> {
  const { sandbox, warn } = context
  const { body, model } = await applyPreset(asked, context)
  const conversation = readConversation(body.input)
  await checkModel(model, sandbox, warn)
  const found = await searchWeb(body, model, conversation.question, context)
  const pricing = await pricingOf(model, sandbox.tables)
  return { body, model, conversation, found, pricing }
}

function answered(
  { body, model, conversation, found, pricing }: ReadRequest,
  { sandbox, script, assume, warn }: AnswerContext,
  choice = 0,
): AnsweredRequest {
  const searched = found !== undefined
  const items =
    (script && scriptedItems(script, conversation, searched)) ?? (isWritten(script) ? undefined : [])
  const search = { searched, sources: scriptedSources(script, searched) ?? found }
  const { latencyProfile } = sandbox.options
  const lengths = latencyProfile && latencyOf(latencyProfile, body.model)?.tokens
  const seed = choice === 0 ? sandbox.seed : hash(sandbox.seed, 'choice', choice)
  const answer = items
    ? { items, reasoningTokens: 0 }
    : answerPrompt(readPrompt(body, conversation, search, { assume, warn }), { seed, lengths, assume, warn })
  const counted = cutAnswer(answer, body.max_output_tokens ?? undefined)
  const usage = usageOf(countInput(body, model, conversation, sandbox), counted, script?.usage)
  return {
    id: script?.id,
    body,
    conversation,
    answer: counted,
    usage,
    end: endOf(script, counted.isCut),
    used: callUsage(model, usage, pricing),
    pricing,
    isInterleaved: script?.interleave,
  }
}

/** The instructions and every text of the conversation; what an earlier prompt began with, where that is cached. */
function countInput(
  { instructions }: CreateResponseBody,
  model: string,
  { turns }: Conversation,
  { options, promptCache }: SandboxState,
): InputCount {
  const texts = [{ speaker: 'instructions', text: instructions ?? '' }, ...turns]
  if (!options.promptCache)
    return { tokens: texts.reduce((sum, { text }) => sum + countTokens(text), 0), cachedTokens: 0 }
  const pieces = texts.map(({ speaker, text }) => ({ role: speaker, tokens: tokenize(text) }))
  const tokens = pieces.reduce((sum, piece) => sum + piece.tokens.length, 0)
  return { tokens, cachedTokens: promptCache.read(model, pieces) }
}
