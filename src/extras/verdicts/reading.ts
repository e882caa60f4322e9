/** Reads what a client received: how a reply ended, its text, and its function calls. */
import { locate, valueAt } from '../../faults/calls.ts'
import { dataIn } from '../../faults/raw-events.ts'
import { announcesEvents, type StreamEvent } from '../../http/reply.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { fieldsOf, isObject, listOf, parseJson, textOf } from '../../lib/json.ts'
import { readAll, readPath } from '../../lib/value-path.ts'
import type { StreamPlaces } from '../../resources/protocol.ts'

export interface Reading {
  /**
   * `rejected` is a 4xx or 5xx, `error` a failure within a 2xx, `incomplete` a complete reply whose answer is marked
   * as incomplete, and `cut` a reply without its end. `unknown` replies are not stored, or still in progress.
   */
  readonly ending: 'whole' | 'incomplete' | 'error' | 'cut' | 'rejected' | 'none' | 'unknown'
  /** Text received, without white space or function calls. For truncated JSON, the raw body. */
  readonly text: string
  /** Arguments of function calls as received, by call id. */
  readonly calls: ReadonlyMap<string, string>
  readonly isStream: boolean
}

/** @param places The operation's protocol, which locates text and calls. Without it, neither is read. */
export function readReply({ status, durationMs, ...entry }: JournalEntry, places?: StreamPlaces): Reading {
  const { text, truncatedBytes } = entry.responseBody
  const reading = { text: '', calls: new Map<string, string>(), isStream: false }
  const early = durationMs === null ? 'unknown' : 'cut'
  if (status === 0) return { ...reading, ending: durationMs === null ? 'unknown' : 'none' }
  if (status >= 400) return { ...reading, ending: 'rejected' }
  if (truncatedBytes > 0 || entry.responseHeaders['content-encoding'])
    return { ...reading, ending: 'unknown' }
  if (announcesEvents(entry.responseHeaders) || /^\uFEFF?(?:data|event|id|retry)?:/.test(text)) {
    const events = eventsIn(text)
    const ending = events.map(endingOf).findLast((each) => each !== undefined) ?? early
    return { ...answerIn(events, true, places), ending, isStream: true }
  }
  const value = parseJson(text)
  if (isObject(value))
    return { ...reading, ...answerIn([value], false, places), ending: endingOf(value) ?? 'whole' }
  const isJson = entry.operation !== null || /json/i.test(entry.responseHeaders['content-type'] ?? '')
  const isWhole = value !== undefined || status === 204 || !isJson
  return isWhole ? { ...reading, ending: 'whole' } : { ...reading, text: squeezed(text), ending: early }
}

export function eventsIn(text: string): StreamEvent[] {
  const blocks = text.split(/(?:\r\n|\n|\r(?!\n)){2}/)
  return blocks.map((block) => parseJson(dataIn(block))).filter(isObject)
}

function answerIn(values: readonly StreamEvent[], isStream: boolean, places: StreamPlaces | undefined) {
  const texts: unknown[] = []
  const calls = new Map<string, string>()
  /** Call ids by part of the stream, because only a call's first event contains its id. */
  const ids = new Map<string, string>()
  for (const { event, parts } of places ? locate(values, places) : []) {
    for (const { kind, of, id, isDelta = false, texts: paths } of parts) {
      const received = isDelta === isStream ? paths.flatMap((path) => readAll(event, readPath(path))) : []
      if (kind === 'text') texts.push(...received)
      if (kind !== 'call') continue
      const begun = textOf(valueAt(event, id))
      // An id that is used for another call begins again.
      if (begun && ids.get(of) !== begun) calls.set(begun, '')
      const call = begun || ids.get(of)
      if (!call) continue
      ids.set(of, call)
      const args = received.map((each) => (isObject(each) ? JSON.stringify(each) : textOf(each)))
      calls.set(call, (calls.get(call) ?? '') + args.join(''))
    }
  }
  return { text: squeezed(texts.map(textOf).join('')), calls }
}

/** Returns how the answer ended, according to an event or a whole reply; undefined if it contains no ending. */
function endingOf(value: Record<string, unknown>): 'whole' | 'incomplete' | 'error' | undefined {
  const { type, error, status, response, stop_reason, delta, choices } = value
  if (type === 'error' || isObject(error)) return 'error'
  const finished = listOf(choices).map((choice) => fieldsOf(choice)['finish_reason'])
  const inside = [fieldsOf(response)['status'], fieldsOf(delta)['stop_reason']]
  const reason = [status, stop_reason, ...inside, ...finished].find((each) => typeof each === 'string')
  if (reason === undefined || /^(?:in_progress|queued)$/.test(reason)) return undefined
  if (/^(?:failed|error|cancelled)$/.test(reason)) return 'error'
  return /^(?:incomplete|length|content_filter|max_tokens|refusal)$/.test(reason) ? 'incomplete' : 'whole'
}

export function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}
