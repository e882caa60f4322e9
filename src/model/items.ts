/** Writes an answer's items: reasoning, a search, and text with citations, a structured value or a function call. */
import type { AssumptionName } from '../assumptions.ts'
import { hash } from '../lib/seed.ts'
import type { AnswerItem, CitedText, MessageItem, WebSearchItem } from '../resources/answer.ts'
import type { Conversation } from '../resources/conversation.ts'
import type { JsonSchema } from '../resources/json-schema.ts'
import { forcedTool, type Prompt } from '../resources/prompt.ts'
import { writeReasoning } from './reasoning.ts'
import { cite, linkTo, type Source } from './search/citations.ts'
import type { FakeValue } from './structured.ts'
import { Verbosity, writeText } from './text/sample-text.ts'
import { searchQuery } from './text/words.ts'

export interface Transcript {
  readonly turns: readonly Turn[]
  /** The last user message or, if there is none, the last turn that affects the answer. */
  readonly question: string
  readonly subject: string
  readonly answersFunction: boolean
  readonly answersTool: boolean
}

interface Turn {
  /** Role: `user`, `assistant`, `system`, `developer`, `function` for a function result, or `other`. */
  readonly speaker: string
  readonly text: string
  readonly imageTokens?: number | undefined
}

export function toTranscript({ items }: Conversation): Transcript {
  const turns = items.flatMap((item): Turn[] => {
    if (item.kind === 'message')
      return [{ speaker: item.role, text: item.text, imageTokens: item.imageTokens }]
    if (item.kind === 'call') return [{ speaker: 'assistant', text: item.arguments }]
    if (item.kind === 'other') return [{ speaker: other, text: item.text }]
    return item.kind === 'result' ? [{ speaker: 'function', text: item.text }] : []
  })
  const last = turns.findLast(({ speaker }) => speaker !== other)
  const question = (turns.findLast(({ speaker }) => speaker === 'user') ?? last)?.text ?? ''
  const answersFunction = last?.speaker === 'function'
  const end = items.at(-1)
  const answersTool = answersFunction || (end?.kind === 'other' && end.type.endsWith('_output'))
  return { turns, question, subject: answersFunction ? last.text : question, answersFunction, answersTool }
}

/** Type of the input item that Codex sends to request a compacted conversation. */
export const compactionTrigger = 'compaction_trigger'

const other = 'other'

interface WriteContext {
  readonly seed: string | number
  readonly fakeValue?: FakeValue | undefined
  assume(name: AssumptionName): void
  warn(message: string): void
}

export interface WrittenItems {
  readonly items: readonly AnswerItem[]
  /** Number of reasoning tokens that no item shows. */
  readonly reasoningTokens: number
}

export function writeItems(
  prompt: Prompt,
  transcript: Transcript,
  search: { searched: boolean; sources: readonly Source[] | undefined },
  context: WriteContext,
): WrittenItems {
  // Seeds everything that varies in the answer. Derived only from the seed, the model and the input.
  const key = transcript.turns.reduce(
    (before, { speaker, text }) => (speaker === other ? before : hash(before, speaker, text)),
    hash(context.seed, 'answer', prompt.model),
  )
  const { assume, warn } = context
  const last = prompt.conversation.items.at(-1)
  if (last?.kind === 'other' && last.type === compactionTrigger) {
    assume('compaction')
    const fields = { encrypted_content: `gAAAA${hash(key, 'compaction')}` }
    return { items: [{ type: 'other', itemType: 'compaction', fields }], reasoningTokens: 0 }
  }
  const { subject, answersFunction } = transcript
  const { searched, sources } = search
  const forced = forcedTool(prompt)
  if (forced && (prompt.toolChoice === 'required' || transcript.answersTool)) assume('forcedTool')
  const verbosity = readVerbosity(prompt, warn)
  const { items, reasoningTokens } = writeReasoning(prompt.reasoning, transcript.question, key, warn)
  const fake = (schema: JsonSchema, path: string, links: readonly string[] = []) =>
    context.fakeValue?.(schema, { path, subject, seed: key, links, warn })
  if (forced && 'isCustom' in forced) {
    const { name, namespace, hasGrammar } = forced
    if (hasGrammar) warn(`The input of '${name}' might not follow the tool's grammar, which is not simulated`)
    const input = writeText({ subject, answersFunction, verbosity, sources: undefined, key })
    const fields = { name, input, ...(namespace !== undefined && { namespace }) }
    return { items: [...items, { type: 'other', itemType: 'custom_tool_call', fields }], reasoningTokens }
  }
  if (forced) {
    const value = fake({ type: 'object', ...forced.parameters }, forced.path)
    const call = { type: 'function_call', name: forced.name, arguments: JSON.stringify(value) } as const
    return { items: [...items, call], reasoningTokens }
  }
  const text = writeText({ subject, answersFunction, verbosity, sources, key })
  let part: CitedText = cite(text, sources ?? [])
  const format = prompt.text?.format
  if (format) {
    const links = sources?.map(({ url }) => linkTo(url))
    const value = format === 'json' ? { answer: text } : fake(format.schema, format.path, links)
    part = citeJson(JSON.stringify(value), sources, context)
  }
  const message: MessageItem = { type: 'message', parts: [part] }
  return { items: [...items, ...(searched ? [webSearchItem(transcript)] : []), message], reasoningTokens }
}

export function webSearchItem({ question }: Transcript): WebSearchItem {
  return { type: 'web_search_call', action: { type: 'search', query: searchQuery(question) } }
}

function readVerbosity({ text }: Prompt, warn: WriteContext['warn']): Verbosity {
  const { value = 'medium', path } = text?.verbosity ?? {}
  const verbosity = Verbosity.find((each) => each === value)
  if (!verbosity) warn(`${path} '${value}' is not one of ${Verbosity.join(', ')}, so medium was used`)
  return verbosity ?? 'medium'
}

function citeJson(json: string, sources: readonly Source[] = [], { assume, warn }: WriteContext): CitedText {
  if (sources.length > 0) assume('citedStructure')
  const cited = sources.filter(({ url }) => json.includes(linkTo(url)))
  const omitted = `${sources.length - cited.length} of ${sources.length} citations were omitted`
  if (cited.length < sources.length)
    warn(`${omitted}: no string in the structured output can contain their links`)
  return cite(json, cited)
}
