/**
 * From a prompt to its answer: the preset, the search, what is said, the limit of tokens, and what it all uses. The same
 * question gets the same words, tokens and citations in all protocols.
 */
import type { AssumptionName } from '../assumptions.ts'
import { invalidRequest } from '../http/errors.ts'
import { hash } from '../lib/seed.ts'
import type { RequestContext } from '../operation.ts'
import type { Answer, AnswerEnd, AnswerUsage, Choice } from '../resources/answer.ts'
import type { Prompt } from '../resources/prompt.ts'
import { latencyOf } from '../sandbox/latency.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { ScriptedReplyInput, ScriptedUsage } from '../scenarios/scripted-reply.ts'
import { type CountedItems, cutItems } from './token-limit.ts'
import { callUsage, checkModel, pricingOf } from './catalogue.ts'
import { type Talk, toTalk, writeItems } from './items.ts'
import { applyPreset } from './preset.ts'
import { scriptedItems, scriptedSources } from './script.ts'
import { searchWeb } from './search/search.ts'
import { countTokens, tokenize } from './tokens.ts'

type AnswerContext = Pick<RequestContext, 'sandbox' | 'script' | 'assume' | 'warn' | 'used'>

/** Throws 400 and 404 for a prompt that cannot be answered. */
export async function answerPrompt(asked: Prompt, context: AnswerContext): Promise<Answer> {
  const { sandbox, script, assume, warn } = context
  const { prompt, model, preset } = await applyPreset(asked, context)
  const talk = toTalk(prompt.conversation)
  checkToolChoice(prompt, sandbox.options, warn)
  await checkModel(model, sandbox, warn)
  const found = await searchWeb(prompt, model, talk.question, context)
  const pricing = await pricingOf(model, sandbox.tables)

  const searched = found !== undefined
  const scriptedEnd = script && endOf(script)
  const scripted =
    script && (scriptedItems(script, talk, searched) ?? (isWritten(scriptedEnd) ? undefined : []))
  const search = { searched, sources: (script && scriptedSources(script, searched)) ?? found }
  const lengths = latencyOf(sandbox.options, prompt.model)?.tokens
  const input = countInput(prompt, model, talk, sandbox)
  const choose = (place: number): Choice => {
    const seed = place === 0 ? sandbox.seed : hash(sandbox.seed, 'choice', place)
    const written = scripted
      ? { items: scripted, reasoningTokens: 0 }
      : writeItems(prompt, talk, search, { seed, lengths, assume, warn })
    const { items, isCut, ...output } = cutItems(written, prompt.maxOutputTokens)
    const end = scriptedEnd ?? (isCut ? incomplete : completed)
    return { items, end, usage: usageOf(input, output, script?.usage) }
  }
  const first = choose(0)
  const others = Array.from({ length: (prompt.choices ?? 1) - 1 }, (_, place) => choose(place + 1))
  const usage = others.reduce((sum, choice) => withOutput(sum, choice.usage), first.usage)
  for (const name of assumptionsOf(asked, first)) assume(name)
  context.used(callUsage(model, usage, pricing))
  const { question } = talk
  const isInterleaved = script?.interleave
  return {
    id: script?.id,
    model: prompt.model,
    question,
    preset,
    choices: [first, ...others],
    usage,
    isInterleaved,
  }
}

/** Warns of a required tool without tools: the answer is a text. Throws 400 for it with `strict`. */
function checkToolChoice(
  { toolChoice, tools = [] }: Prompt,
  { strict }: SandboxState['options'],
  warn: AnswerContext['warn'],
): void {
  if (toolChoice !== 'required' || tools.length > 0) return
  const message = 'Requires a tool, and the request offers none'
  if (strict) throw invalidRequest([{ path: 'body.tool_choice', message, rule: 'toolChoice' }])
  warn('body.tool_choice requires a tool, and the request offers none: it was ignored')
}

/** Tokens of the instructions and every text of the conversation; with `promptCache`, also those read from the cache. */
function countInput(
  { instructions = '' }: Prompt,
  model: string,
  { turns }: Talk,
  { options, promptCache }: SandboxState,
): Pick<AnswerUsage, 'inputTokens' | 'cachedTokens'> {
  const texts = [{ speaker: 'instructions', text: instructions }, ...turns]
  if (!options.promptCache)
    return { inputTokens: texts.reduce((sum, { text }) => sum + countTokens(text), 0), cachedTokens: 0 }
  const pieces = texts.map(({ speaker, text }) => ({ role: speaker, tokens: tokenize(text) }))
  const inputTokens = pieces.reduce((sum, piece) => sum + piece.tokens.length, 0)
  return { inputTokens, cachedTokens: promptCache.read(model, pieces) }
}

/** The script says what an answer used; what it leaves out is counted. */
function usageOf(
  { inputTokens, cachedTokens }: Pick<AnswerUsage, 'inputTokens' | 'cachedTokens'>,
  { outputTokens, reasoningTokens }: Pick<CountedItems, 'outputTokens' | 'reasoningTokens'>,
  scripted: ScriptedUsage = {},
): AnswerUsage {
  const input = scripted.input_tokens ?? inputTokens
  return {
    inputTokens: input,
    cachedTokens: scripted.input_tokens_details?.cached_tokens ?? Math.min(cachedTokens, input),
    outputTokens: scripted.output_tokens ?? outputTokens,
    reasoningTokens: scripted.output_tokens_details?.reasoning_tokens ?? reasoningTokens,
  }
}

/** The input is read once, however many answers there are. */
function withOutput(usage: AnswerUsage, { outputTokens, reasoningTokens }: AnswerUsage): AnswerUsage {
  return {
    ...usage,
    outputTokens: usage.outputTokens + outputTokens,
    reasoningTokens: usage.reasoningTokens + reasoningTokens,
  }
}

const completed: AnswerEnd = { status: 'completed' }
const incomplete: AnswerEnd = { status: 'incomplete', reason: 'max_output_tokens' }

/** The end that a script gives an answer; undefined if it leaves it to the answer. Spec: States. */
function endOf({ responseStatus, incompleteReason, error }: ScriptedReplyInput): AnswerEnd | undefined {
  const status = responseStatus ?? (incompleteReason ? 'incomplete' : error && 'failed')
  if (status === 'incomplete') return { ...incomplete, ...(incompleteReason && { reason: incompleteReason }) }
  if (status === 'failed') return { status, error: { ...failure, ...error } }
  return status && { status }
}

/** If true, the model wrote something. A script may give an answer of another status an output all the same. */
function isWritten({ status } = completed): boolean {
  return status === 'completed' || status === 'incomplete'
}

const failure = { code: 'server_error', message: 'The model failed to generate a response' }

/** The assumptions that an answer rests on, as far as the request and the answer show them. */
function assumptionsOf(
  { hasUnspecifiedItems, showsSearches, tools = [], maxOutputTokens, xSearchFilter: filter }: Prompt,
  { items, end, usage }: Choice,
): AssumptionName[] {
  const names: AssumptionName[] = []
  if (hasUnspecifiedItems) names.push('inputItems')
  if (tools.length > 0) names.push('toolShape')
  if (maxOutputTokens !== undefined) names.push('tokens')
  if (filter?.from_date != null || filter?.to_date != null) names.push('dates')
  if (usage.reasoningTokens > 0) names.push('reasoning')
  if (showsSearches && items.some(({ item }) => item.type === 'web_search_call')) names.push('webSearchItem')
  if (end.status !== 'completed') names.push('responseStatus')
  return names
}
