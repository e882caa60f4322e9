/**
 * Faults to the text of a stream: the same events, written in another way that the format of event streams allows.
 */
import * as z from 'zod'
import { encodeFrame } from '../http/encode.ts'
import type { Frame } from '../http/reply.ts'
import { defineFault, type FaultContext } from './fault.ts'

const nothing = () => z.strictObject({})

export const streamMultilineData = defineFault({
  name: 'stream-multiline-data',
  layer: 'text',
  summary: 'The JSON of each event is spread over several `data:` lines.',
  params: nothing,
  apply: (_params, context, frames) => rewritten(frames, context, overLines),
})

export const streamNoSpace = defineFault({
  name: 'stream-no-space',
  layer: 'text',
  summary: 'No space stands after `data:`.',
  params: nothing,
  apply: (_params, context, frames) =>
    rewritten(frames, context, (text) => text.replace(/^data: /gm, 'data:')),
})

export const streamComments = defineFault({
  name: 'stream-comments',
  layer: 'text',
  summary: 'A comment line stands before each event, as gateways send to keep a connection alive.',
  params: () =>
    z.strictObject({
      comment: z
        .string()
        .regex(/^[^\r\n]*$/, 'a comment is one line')
        .default('keep-alive')
        .describe('What the comment lines say.'),
    }),
  apply: ({ comment }, context, frames) =>
    rewritten(frames, context, (text, frame) => (frame.kind === 'event' ? `: ${comment}\n\n${text}` : text)),
})

export const streamBom = defineFault({
  name: 'stream-bom',
  layer: 'text',
  summary: 'The stream begins with a byte order mark.',
  params: nothing,
  apply(_params, context, frames) {
    let begun = false
    return rewritten(frames, context, (text) => {
      if (begun) return text
      begun = true
      return `\uFEFF${text}`
    })
  },
})

export const streamCrlf = defineFault({
  name: 'stream-crlf',
  layer: 'text',
  summary: 'Lines end in CR LF.',
  decides: ['lines'],
  params: nothing,
  apply: (_params, context, frames) => rewritten(frames, context, (text) => text.replaceAll('\n', '\r\n')),
})

export const streamLoneCr = defineFault({
  name: 'stream-lone-cr',
  layer: 'text',
  summary: 'Lines end in CR alone.',
  decides: ['lines'],
  params: nothing,
  apply: (_params, context, frames) => rewritten(frames, context, (text) => text.replaceAll('\n', '\r')),
})

export const streamSplitCrlf = defineFault({
  name: 'stream-split-crlf',
  layer: 'text',
  summary: 'Lines end in CR LF, and a chunk ends between the two.',
  decides: ['lines', 'chunks'],
  params: nothing,
  *apply(_params, context, frames) {
    for (const frame of frames) {
      const text = textOf(frame)
      if (text === undefined) yield frame
      else {
        for (const piece of text.replaceAll('\n', '\r\n').split(/(?<=\r)/)) {
          yield { kind: 'bytes', bytes: piece }
          yield { kind: 'wait', ms: 0 }
        }
        context.acted()
      }
    }
  },
})

/** What a frame of text is on the wire; undefined for bytes, waits and ends. */
function textOf(frame: Frame): string | undefined {
  if (frame.kind === 'wait' || frame.kind === 'hang-up') return undefined
  const text = encodeFrame(frame)
  return typeof text === 'string' ? text : undefined
}

/** The frames with their text written anew; they stay the events that they are. */
function* rewritten(
  frames: Iterable<Frame>,
  context: FaultContext,
  rewrite: (text: string, frame: Frame) => string,
): Generator<Frame> {
  for (const frame of frames) {
    const text = textOf(frame)
    const changed = text === undefined ? undefined : rewrite(text, frame)
    if (changed === undefined || changed === text) {
      yield frame
      continue
    }
    yield frame.kind === 'event' || frame.kind === 'done'
      ? { ...frame, wire: changed }
      : { kind: 'bytes', bytes: changed }
    context.acted()
  }
}

/** JSON may be broken between any two of its parts, and a reader joins the lines again. Broken JSON stays as it is. */
function overLines(text: string): string {
  return text.replace(/^data: ([[{].*)$/gm, (line, json: string) => {
    try {
      return JSON.stringify(JSON.parse(json), null, 1).replace(/^/gm, 'data: ')
    } catch {
      return line
    }
  })
}
