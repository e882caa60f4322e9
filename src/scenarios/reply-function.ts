/**
 * Replies that a function gives: in one process only, as a function does not travel.
 */
import type { Conversation } from '../resources/conversation.ts'
import type { ScriptedReplyInput } from './scripted-reply.ts'

/** What a function that replies may look at. */
export interface ReplyContext {
  /** The request as it came; what its operation would refuse is not refused yet. */
  readonly request: {
    /** Upper case: `POST`. */
    readonly method: string
    /** As requested. */
    readonly path: string
    readonly params: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** Parsed JSON; undefined where there is none. */
    // biome-ignore lint/suspicious/noExplicitAny: a test knows what its own requests hold
    readonly body: any
  }
  /** The messages, calls and results that it carries, and the functions that it offers. */
  readonly conversation: Conversation
}

/** A text, or a whole reply as a rule has it. */
export type FunctionReply = string | ScriptedReplyInput
export type ReplyFunction<Context = ReplyContext> = (
  context: Context,
) => FunctionReply | Promise<FunctionReply>
