/**
 * What was said so far, in no protocol's shape.
 */
export interface Conversation {
  /** Everything that was said, in order, each turn with who said it. */
  turns: readonly Turn[]
  /** The last user message. */
  question: string
  /** What the answer is about: the question, or the output of a function where that came last. */
  subject: string
  /** Whether the output of a function came last. */
  answersFunction: boolean
}

export interface Turn {
  /** `user`, `assistant`, `system`, `developer`, or `function` for what a function gave back. */
  speaker: string
  text: string
}

export function toConversation(turns: readonly Turn[]): Conversation {
  const last = turns.at(-1)
  const question = (turns.findLast(({ speaker }) => speaker === 'user') ?? last)?.text ?? ''
  const answersFunction = last?.speaker === 'function'
  return { turns, question, subject: answersFunction ? last.text : question, answersFunction }
}
