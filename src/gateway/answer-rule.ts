/**
 * What a rule answers to this one request: its templates written, or its function called.
 */
import * as z from 'zod'
import { GatewayError } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { uuid } from '../lib/seed.ts'
import { type Conversation, lastUserText } from '../rules/conversation.ts'
import type { Match } from '../rules/outcome.ts'
import type { ReplyContext } from '../rules/reply-function.ts'
import { modelOf } from '../rules/rule-request.ts'
import { ScriptedReply } from '../rules/scripted-reply.ts'
import { isTemplate, TemplateWriter } from '../rules/template.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'

/** The match with the reply that this request gets; a promise only where a function is asked. */
export function answerRule(
  match: Match,
  record: CallRecord<SandboxState>,
  readConversation: () => Conversation | undefined,
): Match | Promise<Match> {
  const { reply } = match.effect
  if (!reply) return match
  const withReply = (own: ScriptedReply): Match => ({ ...match, effect: { ...match.effect, reply: own } })
  if (match.answer) return askFunction(match.answer, reply, record, readConversation).then(withReply)
  return hasTemplate(reply) ? withReply(written(reply, match, record, readConversation)) : match
}

async function askFunction(
  answer: NonNullable<Match['answer']>,
  usual: ScriptedReply,
  { params, query, headers, body, method, path }: CallRecord<SandboxState>,
  readConversation: () => Conversation | undefined,
): Promise<ScriptedReply> {
  const conversation = readConversation() ?? { items: [], tools: [] }
  const request: ReplyContext['request'] = { method, path, params, query, headers, body }
  let given: unknown
  try {
    given = await answer({ request, conversation })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
    throw new GatewayError(500, `The function given to reply() threw ${name}: ${message}`)
  }
  if (typeof given === 'string') return { ...usual, text: given }
  const result = ScriptedReply.safeParse(given)
  if (result.success) return result.data
  throw new GatewayError(
    500,
    `The function given to reply() returned no reply: ${z.prettifyError(result.error).replaceAll('\n', ' ')}`,
  )
}

const templates = new WeakMap<ScriptedReply, boolean>()

function hasTemplate(reply: ScriptedReply): boolean {
  const known = templates.get(reply) ?? isTemplate(JSON.stringify(reply))
  templates.set(reply, known)
  return known
}

function written(
  reply: ScriptedReply,
  match: Match,
  record: CallRecord<SandboxState>,
  readConversation: () => Conversation | undefined,
): ScriptedReply {
  const { params, query, headers, body, method, path, contentKey, occurrence, state } = record
  let drawn = 0
  const values = {
    body,
    params,
    query,
    headers,
    method,
    path,
    model: modelOf(body),
    call: match.call,
    get now() {
      return new Date(record.at).toISOString()
    },
    get input() {
      return lastUserText(readConversation() ?? { items: [], tools: [] })
    },
    random: {
      get uuid() {
        return uuid(state.seed, 'template', contentKey, occurrence, drawn++)
      },
    },
  }
  const writer = new TemplateWriter(values, (message) => record.warn(message))
  const { text, body: own, headers: named, frames } = reply
  return {
    ...reply,
    ...(text !== undefined && { text: writer.write(text) }),
    ...(own !== undefined && { body: writer.writeInside(own) }),
    ...(named && { headers: oneLine(writer.writeInside(named)) }),
    ...(frames && { frames: frames.map((frame) => ('base64' in frame ? frame : writer.writeInside(frame))) }),
  }
}

/** What a request brings may have any character; a header is one line of Latin-1. */
function oneLine(headers: Record<string, string>): Record<string, string> {
  const replaced = (value: string) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, replaced(value)]))
}
