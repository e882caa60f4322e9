/** Generates the answer to a prompt. The same question gets the same words, tokens and citations in all protocols. */
import { invalidRequest } from '../http/errors.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { fieldsOf, parseJson } from '../lib/json.ts'
import { hash } from '../lib/seed.ts'
import type { RequestContext } from '../operation.ts'
import {
  type Answer,
  type AnswerEnd,
  type AnswerItem,
  type AnswerUsage,
  type Choice,
  type FunctionCallItem,
  noTokens,
} from '../resources/answer.ts'
import { forcedTool, type Prompt } from '../resources/prompt.ts'
import type { ClientTool } from '../resources/tools.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { ScriptedReply, ScriptedUsage } from '../scenarios/scripted-reply.ts'
import { callUsage, checkModel, pricingOf } from './catalogue.ts'
import { compactionTrigger, type Transcript, toTranscript, writeItems } from './items.ts'
import { applyPreset } from './preset.ts'
import { scriptedItems, scriptedSources } from './script.ts'
import { searchWeb } from './search/search.ts'
import { type CountedItems, cutItems, stopItems } from './token-limit.ts'
import { countTokens } from './tokens.ts'

type AnswerContext = Pick<RequestContext, 'sandbox' | 'script' | 'now' | 'assume' | 'warn' | 'used'>

/** Throws 400 for an invalid prompt, or 404 for an unknown preset. */
export async function answerPrompt(requested: Prompt, context: AnswerContext): Promise<Answer> {
  const { sandbox, script, assume, warn } = context
  const { prompt, model, preset } = await applyPreset(requested, context)
  const transcript = toTranscript(prompt.conversation)
  if (!script) checkToolChoice(prompt, sandbox.options, warn)
  warnOfOthers(prompt, warn)
  await checkModel(model, sandbox, warn)
  const results = await searchWeb(prompt, model, transcript, context)
  const pricing = await pricingOf(model, sandbox.tables)

  const searched = results !== undefined
  const scriptedEnd = script && endOf(script)
  const written = script && scriptedItems(script, transcript, searched)
  const isWritten = !scriptedEnd || ['completed', 'incomplete'].includes(scriptedEnd.status)
  const scripted = written ? await callTools(written, prompt, warn) : isWritten ? undefined : []
  const search = { searched, sources: (script && scriptedSources(script, searched)) ?? results }
  const input = inputOf(prompt, transcript, context)
  const needsValue = prompt.text?.format !== undefined || prompt.toolChoice !== undefined
  const fakeValue = needsValue ? await (await import('./structured.ts')).loadFakeValue() : undefined
  const choose = (place: number): Choice => {
    const seed = place === 0 ? sandbox.seed : hash(sandbox.seed, 'choice', place)
    const writing = { seed, fakeValue, assume, warn }
    const counted = scripted
      ? { items: scripted, reasoningTokens: 0 }
      : writeItems(prompt, transcript, search, writing)
    const cut = cutItems(counted, prompt.maxOutputTokens)
    const stopped = stopItems(cut.items, prompt.stopSequences)
    const { items, isCut, ...output } = stopped ? cutItems({ ...counted, items: stopped.items }) : cut
    const generatedEnd = stopped ? { ...completed, stop: stopped.stop } : isCut ? incomplete : completed
    return { items, end: scriptedEnd ?? generatedEnd, usage: usageOf(input, output, script?.usage) }
  }
  const first = choose(0)
  if (scripted) await checkText(first, prompt, warn)
  const others = Array.from({ length: (prompt.choices ?? 1) - 1 }, (_, place) => choose(place + 1))
  const total = (field: 'outputTokens' | 'reasoningTokens') =>
    others.reduce((sum, choice) => sum + choice.usage[field], first.usage[field])
  // The input is counted once, regardless of the number of choices.
  const output = { outputTokens: total('outputTokens'), reasoningTokens: total('reasoningTokens') }
  const usage = { ...first.usage, ...output }
  noteAssumptions(requested, first, assume)
  const { cost } = script?.usage ?? {}
  const billed = (tokens: AnswerUsage) => callUsage(model, tokens, pricing, cost)
  context.used(billed(usage), (sent) => billed({ ...usage, ...sent }))
  return {
    id: script?.id,
    model: prompt.model,
    question: transcript.question,
    preset,
    choices: [first, ...others],
    usage,
    isInterleaved: script?.interleave,
  }
}

/**
 * Throws 400 for a tool that is not offered, and for a forced tool that is not simulated, unless a vendor's server
 * would run it. With `strict`, throws for all forced tools that are not simulated, and if a required tool is missing.
 */
function checkToolChoice(
  prompt: Prompt,
  { strict, onlySpecified }: SandboxState['options'],
  warn: AnswerContext['warn'],
): void {
  const { toolChoice, tools = [] } = prompt
  const rejected = (message: string) =>
    invalidRequest([{ path: 'body.tool_choice', message, rule: 'toolChoice' }], {
      assumption: 'notSimulated',
    })
  const only = tools.every(({ kind }) => kind === 'other') ? tools[0] : undefined
  const forced = toolChoice === 'required' ? only : toolChoice
  if (typeof forced === 'object' && !forcedTool(prompt)) {
    if ('type' in forced) {
      const problem = `a tool of type '${forced.type.slice(0, 100)}', which only a rule can simulate`
      const isHosted = tools.some(
        (tool) => tool.kind === 'other' && tool.type === forced.type && !tool.runsAtClient,
      )
      if (strict || onlySpecified || toolChoice === 'required' || !isHosted)
        throw rejected(`Forces ${problem}`)
      warn(`body.tool_choice was ignored, because it forces ${problem}`)
      return
    }
    const message = 'Must name one of the function tools'
    throw invalidRequest([{ path: forced.path, message, rule: 'unknown_tool' }])
  }
  if (toolChoice !== 'required' || tools.length > 0) return
  if (strict) throw rejected('Requires a tool, but the request has none')
  warn('body.tool_choice was ignored, because it requires a tool and the request has none')
}

/** Converts scripted calls to the tool types that the request offers. Warns about calls that a model could not make. */
async function callTools(
  scripted: readonly AnswerItem[],
  { tools = [] }: Prompt,
  warn: AnswerContext['warn'],
): Promise<readonly AnswerItem[]> {
  const functions = tools.filter((tool) => tool.kind === 'function')
  const others = tools.flatMap((tool) => (tool.kind === 'other' ? (tool.offers ?? []) : []))
  const names = [...functions, ...others].map(({ name }) => name)
  const { jsonProblem } = functions.some(({ strict }) => strict) ? await import('./structured.ts') : {}
  return scripted.map((item) => {
    if (item.type !== 'function_call') return item
    const called = functions.find(({ name }) => name === item.name)
    if (called) {
      const problem = called.strict ? jsonProblem?.(item.arguments, { ...called.parameters }) : undefined
      const text = textProblem(item, called.parameters)
      if (text !== undefined) warn(text)
      else if (problem !== undefined)
        warn(`the script calls '${item.name}' with arguments that its strict schema rejects: ${problem}`)
      return item
    }
    const tool = others.find(({ name }) => name === item.name)
    if (tool) return toClientCall(item, tool)
    const hint = names.length > 0 ? didYouMean(item.name, names) : ''
    warn(`the script calls '${item.name}', but the request's tools do not include it${hint}`)
    return item
  })
}

/** Text is sent as `input`, which only custom tools take, and functions that stand in for them. */
function textProblem({ name, arguments: json }: FunctionCallItem, parameters: unknown): string | undefined {
  const properties = fieldsOf(fieldsOf(parameters)['properties'])
  const [first] = Object.keys(properties)
  const { input, ...others } = fieldsOf(parseJson(json))
  const isText = typeof input === 'string' && Object.keys(others).length === 0
  if (!isText || first === undefined || Object.hasOwn(properties, 'input')) return undefined
  return `the script calls '${name}' with 'input', which it lacks; text is for custom tools: write call: { ${name}: { ${first}: … } }`
}

/** Warns about scripted text that the request's strict schema rejects, unless it is a refusal or was truncated. */
async function checkText(
  { items, end }: Choice,
  { text }: Prompt,
  warn: AnswerContext['warn'],
): Promise<void> {
  const format = text?.format
  const item = items.at(-1)?.item
  if (typeof format !== 'object' || !format.strict || item?.type !== 'message') return
  if (end.status !== 'completed' || end.stop !== undefined || item.parts.some((part) => 'refusal' in part))
    return
  const { jsonProblem } = await import('./structured.ts')
  const json = item.parts.map((part) => ('text' in part ? part.text : '')).join('')
  const problem = jsonProblem(json, format.schema)
  if (problem !== undefined)
    warn(`the scripted text violates the strict schema in ${format.path}: ${problem}`)
}

function toClientCall(item: FunctionCallItem, { isCustom, namespace }: ClientTool): AnswerItem {
  const { type: _, name, arguments: json, call_id, fields: given, ...head } = item
  const fields = { ...(namespace !== undefined && { namespace }), ...given }
  if (!isCustom) return { ...item, fields }
  const { input } = fieldsOf(parseJson(json))
  const call = {
    ...(call_id !== undefined && { call_id }),
    name,
    input: typeof input === 'string' ? input : json,
  }
  return { ...head, type: 'other', itemType: 'custom_tool_call', fields: { ...call, ...fields } }
}

/** Warns about input items whose type is not simulated. Their tokens are counted, but they do not affect the answer. */
function warnOfOthers({ conversation }: Prompt, warn: AnswerContext['warn']): void {
  const others = conversation.items.flatMap((item) =>
    item.kind === 'other' && item.type !== compactionTrigger ? [item.type.slice(0, 100)] : [],
  )
  const types = [...new Set(others)].slice(0, 20).map((type) => `'${type}'`)
  if (types.length > 0) warn(`Input of type ${types.join(', ')} was counted, but does not affect the reply`)
}

export function inputTokens({ instructions = '' }: Prompt, { turns }: Transcript): number {
  const count = (sum: number, { text, imageTokens = 0 }: (typeof turns)[number]) =>
    sum + countTokens(text) + imageTokens
  return turns.reduce(count, countTokens(instructions))
}

function inputOf(
  prompt: Prompt,
  transcript: Transcript,
  { sandbox, now, assume }: AnswerContext,
): AnswerUsage {
  const total = inputTokens(prompt, transcript)
  if (prompt.useCache) assume('promptCache')
  return { ...noTokens, inputTokens: total, ...prompt.useCache?.(sandbox.memory, now, total) }
}

function usageOf(
  input: AnswerUsage,
  output: Pick<CountedItems, 'outputTokens' | 'reasoningTokens'>,
  { input_tokens, input_tokens_details: details, output_tokens, output_tokens_details }: ScriptedUsage = {},
): AnswerUsage {
  const cacheWriteTokens1h = details?.cache_write_1h_tokens ?? 0
  // What was read from the cache may be more than the scripted input.
  const scripted = (details || input_tokens !== undefined) && {
    inputTokens: input_tokens ?? input.inputTokens,
    cachedTokens: details?.cached_tokens ?? 0,
    cacheWriteTokens: details?.cache_write_tokens ?? cacheWriteTokens1h,
    cacheWriteTokens1h,
  }
  return {
    ...input,
    ...scripted,
    outputTokens: output_tokens ?? output.outputTokens,
    reasoningTokens: output_tokens_details?.reasoning_tokens ?? output.reasoningTokens,
  }
}

const completed: AnswerEnd = { status: 'completed' }
const incomplete: AnswerEnd = { status: 'incomplete', reason: 'max_output_tokens' }

/** Returns undefined if the script sets no final state. Spec: States. */
function endOf({ responseStatus, incompleteReason, error }: ScriptedReply): AnswerEnd | undefined {
  const status = responseStatus ?? (incompleteReason ? 'incomplete' : error && 'failed')
  if (status === 'incomplete') return { ...incomplete, ...(incompleteReason && { reason: incompleteReason }) }
  if (status === 'failed') return { status, error: { ...failure, ...error } }
  return status && { status }
}

const failure = { code: 'server_error', message: 'The model failed to generate a response' }

function noteAssumptions(
  { hasUnspecifiedItems, showsSearches, tools = [], maxOutputTokens, xSearchFilter: filter }: Prompt,
  { items, end, usage }: Choice,
  assume: AnswerContext['assume'],
): void {
  if (hasUnspecifiedItems) assume('inputItems')
  if (tools.length > 0) assume('toolShape')
  if (maxOutputTokens !== undefined) assume('tokens')
  if (filter?.from_date != null || filter?.to_date != null) assume('dates')
  if (usage.reasoningTokens > 0) assume('reasoning')
  if (showsSearches && items.some(({ item }) => item.type === 'web_search_call')) assume('webSearchItem')
  if (end.status !== 'completed') assume('responseStatus')
}
