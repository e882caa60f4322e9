/**
 * What is to be answered, before it is counted, cut and given its ids: in the double's own words, or as a value
 * that fits a schema of the request.
 */
import type { AssumptionName } from '../assumptions.ts'
import { hash, random } from '../lib/seed.ts'
import type { UrlCitation } from '../resources/response.ts'
import { weave } from './citations.ts'
import type { Conversation } from './conversation.ts'
import type { Source } from './corpus.ts'
import type { CreateResponseBody } from './request.ts'
import { fakeValue } from './structured.ts'
import { searchQuery, writeProse } from './text.ts'
import { type FunctionTool, isFunction } from './tools.ts'

export type Draft = MessageDraft | FunctionCallDraft | WebSearchCallDraft

export interface MessageDraft {
  type: 'message'
  text: string
  annotations: readonly UrlCitation[]
}

export interface FunctionCallDraft {
  type: 'function_call'
  name: string
  /** JSON. */
  arguments: string
  /** What the caller's output will refer to. Default: made from the request. */
  call_id?: string | undefined
}

export interface WebSearchCallDraft {
  type: 'web_search_call'
  query: string
}

export interface Assignment {
  /** The request, with what its preset brings. */
  body: CreateResponseBody
  conversation: Conversation
  /** Whether a search ran. */
  searched: boolean
  /** What the reply cites. */
  sources: readonly Source[]
  seed: string | number
  assume(name: AssumptionName): void
}

/** The default reply: the call of a forced function, or else a message, behind the search that was made for it. */
export async function draftReply(assignment: Assignment): Promise<Draft[]> {
  const { body, conversation, searched } = assignment
  const tool = forcedFunction(body)
  if (tool) return [await draftCall(tool, assignment)]
  const message = await draftMessage(assignment)
  return searched ? [draftSearchCall(conversation), message] : [message]
}

export function draftSearchCall({ question }: Conversation): WebSearchCallDraft {
  return { type: 'web_search_call', query: searchQuery(question) }
}

/** Decides on everything that varies: seed, model and input, and nothing else. */
function voiceOf({ body, conversation, seed }: Assignment): string {
  return hash(
    seed,
    'voice',
    body.model,
    ...conversation.turns.flatMap(({ speaker, text }) => [speaker, text]),
  )
}

/** The function that `tool_choice` names; the first one offered where it merely requires a call. */
function forcedFunction({ tools, tool_choice }: CreateResponseBody): FunctionTool | undefined {
  const functions = (tools ?? []).filter(isFunction)
  if (tool_choice === 'required') return functions[0]
  if (typeof tool_choice !== 'object' || tool_choice?.type !== 'function') return undefined
  return functions.find(({ name }) => name === tool_choice.name)
}

async function draftCall(tool: FunctionTool, assignment: Assignment): Promise<FunctionCallDraft> {
  const { body, conversation, assume } = assignment
  if (body.tool_choice === 'required') assume('forcedTool')
  const path = `body.tools[${body.tools?.indexOf(tool)}].parameters`
  const schema = { type: 'object', ...tool.parameters }
  const value = await fakeValue(schema, { path, subject: conversation.subject, seed: voiceOf(assignment) })
  return { type: 'function_call', name: tool.name, arguments: JSON.stringify(value) }
}

async function draftMessage(assignment: Assignment): Promise<MessageDraft> {
  const { body, conversation, sources, assume } = assignment
  const { subject, answersFunction } = conversation
  const format = body.text?.format
  const seed = voiceOf(assignment)
  if (sources.length > 0 && format && format.type !== 'text') assume('citedStructure')
  if (format?.type === 'json_schema' && format.schema) {
    return plainMessage(await fakeValue(format.schema, { path: 'body.text.format.schema', subject, seed }))
  }
  const draw = random(seed)
  const { opening, body: sentences, closing } = writeProse(subject, draw, answersFunction)
  const answer = [opening, ...sentences].join(' ')
  if (format && format.type !== 'text') return plainMessage({ answer: `${answer} ${closing}` })
  const mentions = sources.flatMap((source) => [' ', ...mention(source, draw)])
  return { type: 'message', ...weave([answer, ...mentions, ` ${closing}`]) }
}

function plainMessage(value: unknown): MessageDraft {
  return { type: 'message', text: JSON.stringify(value), annotations: [] }
}

/** A sentence that cites a source. */
function mention(source: Source, draw: () => number): Array<string | Source> {
  const { title } = source
  const ways = [
    [`This is covered in "${title}" (`, source, ').'],
    [`See "${title}" at `, source, ' for more.'],
    ['According to ', source, `, under "${title}", that holds.`],
    ['The figures are in ', source, `: "${title}".`],
  ]
  return ways[Math.floor(draw() * ways.length)] ?? []
}
