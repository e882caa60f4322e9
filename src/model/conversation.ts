/**
 * What a request says, whichever of the many shapes of `input` it comes in.
 */
import type { ContentPart, CreateResponseBody, InputItem } from './request.ts'

export interface Conversation {
  /** Everything that was said, in order, each turn with who said it. */
  turns: readonly Turn[]
  /** The last user message. */
  question: string
  /** What the reply takes up: the question, or the output of a function where that came last. */
  subject: string
  /** Whether the output of a function came last. */
  answersFunction: boolean
}

export interface Turn {
  speaker: string
  text: string
}

export function readConversation(input: CreateResponseBody['input']): Conversation {
  if (typeof input === 'string') {
    return {
      turns: [{ speaker: 'user', text: input }],
      question: input,
      subject: input,
      answersFunction: false,
    }
  }
  const turns = input.flatMap(turnsOf)
  const last = turns.at(-1)
  const question = (turns.findLast(({ speaker }) => speaker === 'user') ?? last)?.text ?? ''
  const answersFunction = last?.speaker === 'function'
  return { turns, question, subject: answersFunction ? last.text : question, answersFunction }
}

function turnsOf(item: InputItem): Turn[] {
  switch (item.type) {
    case 'message':
    case undefined:
      return [{ speaker: item.role, text: textOf(item.content) }]
    case 'function_call':
      return [{ speaker: 'assistant', text: item.arguments }]
    case 'function_call_output':
      return [{ speaker: 'function', text: textOf(item.output) }]
    default:
      return []
  }
}

/** Text is read; images and files are only looked past. */
function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => ('text' in part ? part.text : 'refusal' in part ? part.refusal : ''))
    .join('\n')
}
