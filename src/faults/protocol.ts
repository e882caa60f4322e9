/**
 * What the events of a stream are, so that a fault finds its place in the streams of every operation.
 */
import type { StreamEvent } from '../http/reply.ts'

export interface StreamProtocol {
  /** A piece of what the model writes: of a text, of the arguments of a function call, of a refusal, of reasoning. */
  isDelta(event: StreamEvent): boolean
  /** Adds one citation to a text. */
  isAnnotation(event: StreamEvent): boolean
  /** Ends a text: late citations come after it. */
  isTextDone(event: StreamEvent): boolean
  /** Ends the answer: nothing but `[DONE]` comes after it. */
  isFinal(event: StreamEvent): boolean
  /** Whether its streams end without `[DONE]`. Default: false. */
  readonly endsWithoutDone?: boolean
  /** A whole answer, or an event, with the end that a content filter gives it; the same where it has no end. */
  filtered?(value: object): object
  /** An event as it is sent, where that is not a data line alone. */
  encode?(event: StreamEvent): string
  /**
   * The event by which a stream reports a failure in its middle.
   *
   * @param seen The newest event, the newest whole answer in an event, and the sequence number that comes next.
   */
  failure(failure: StreamFailure, seen: StreamSoFar): StreamEvent
}

/** What a stream has told until a failure. */
export interface StreamSoFar {
  readonly last?: StreamEvent
  readonly response: object | undefined
  readonly sequence: number
}

export interface StreamFailure {
  form: 'failed' | 'error'
  code: string
  message: string
}

/** Responses. Spec: Events. */
export const responsesProtocol: StreamProtocol = {
  isDelta: ({ type = '' }) =>
    /^response\.(output_text|function_call_arguments|refusal|reasoning\w*)\.delta$/.test(type),
  isAnnotation: ({ type }) => type === 'response.output_text.annotation.added',
  isTextDone: ({ type }) => type === 'response.output_text.done',
  isFinal: ({ type = '' }) => /^response\.(completed|incomplete|failed)$/.test(type),
  failure({ form, code, message }, { response, sequence }) {
    if (form === 'error' || !response)
      return { type: 'error', code, message, param: null, sequence_number: sequence }
    return {
      type: 'response.failed',
      sequence_number: sequence,
      response: {
        ...response,
        status: 'failed',
        completed_at: null,
        output: [],
        error: { code, message },
        incomplete_details: null,
      },
    }
  },
}
