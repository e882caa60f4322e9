/** Fault combinations that are rejected. A rule can have any other combination. */
import type { FaultDefinition, Layer } from './fault.ts'
import type { FaultName } from './index.ts'

export type Selection = readonly (Layer | FaultName)[]

/** Faults that determine the same property, or that remove something that other faults need. */
type Rule =
  | { readonly oneOf: Selection; readonly decides: string }
  | { readonly faults: Selection; readonly leaves: string; readonly forNone: Selection }

/** Faults that keep the rest of a body from the client. */
const cuts = [
  'stream-cut',
  'stream-reset',
  'stream-stall',
  'truncated-body',
  'body-stall',
  'short-content-length',
] as const

/** Rules that affect whole layers come first, then rules for individual faults. */
export const rules: readonly Rule[] = [
  {
    faults: ['timeout', 'connection-reset', 'empty-response', 'truncated-head', 'lost-reply'],
    leaves: 'no reply',
    forNone: ['replacement', 'form', 'fields', 'answer', 'events', 'text', 'bytes', 'chunks', 'connection'],
  },
  { oneOf: ['replacement'], decides: 'the reply' },
  {
    faults: ['replacement'],
    leaves: 'no answer from the operation',
    forNone: ['form', 'answer', 'events', 'text', 'chunks'],
  },
  { oneOf: ['form'], decides: 'the form of the answer' },
  { oneOf: ['chunks', 'stream-split-crlf', 'slow-body'], decides: "the body's chunks" },

  {
    faults: ['malformed-body', 'html-error-page', 'random-bytes', 'empty-body'],
    leaves: 'no JSON',
    forNone: ['fields'],
  },
  { faults: ['empty-body'], leaves: 'no body', forNone: ['bytes'] },
  { faults: ['json-instead-of-stream'], leaves: 'no event stream', forNone: ['events', 'text', 'chunks'] },
  { oneOf: ['stream-crlf', 'stream-lone-cr', 'stream-split-crlf'], decides: 'the line endings' },
  { oneOf: ['gzip-body', 'broken-gzip'], decides: 'the content encoding' },
  { oneOf: ['stream-error-event', 'stream-without-completed'], decides: 'the final event' },
  { oneOf: ['stream-without-done', 'stream-data-after-done'], decides: "the stream's last line" },
  { oneOf: [...cuts, 'broken-gzip'], decides: "the body's end" },
  {
    faults: cuts,
    leaves: 'no complete stream',
    forNone: [
      'stream-error-event',
      'stream-without-completed',
      'stream-without-done',
      'stream-data-after-done',
    ],
  },
  {
    faults: ['stream-cut', 'stream-reset', 'stream-stall', 'stream-error-event', 'stream-without-completed'],
    leaves: 'no final event',
    forNone: ['usage', 'content-filter'],
  },
  {
    faults: ['truncated-body', 'body-stall', 'short-content-length', 'broken-gzip'],
    leaves: 'no readable JSON',
    forNone: ['fields', 'answer'],
  },
  {
    faults: ['stream-reset', 'stream-stall', 'truncated-body', 'body-stall'],
    leaves: 'no idle connection',
    forNone: ['idle-connection-closed'],
  },
]

/** Layers whose faults can be repeated in a rule, for example to remove two fields. */
export const repeatable: readonly Layer[] = ['delay', 'fields', 'events']

/** Explains why two faults cannot be combined in a rule, or returns undefined if they can. */
export function conflict(first: FaultDefinition, second: FaultDefinition): string | undefined {
  if (first === second && !repeatable.includes(first.layer)) return 'the same fault is listed twice'
  for (const rule of rules) {
    if ('oneOf' in rule) {
      if (includes(rule.oneOf, first) && includes(rule.oneOf, second)) return `both determine ${rule.decides}`
      continue
    }
    const removes = (one: FaultDefinition, other: FaultDefinition) =>
      includes(rule.faults, one) && includes(rule.forNone, other)
    if (removes(first, second)) return `with '${first.name}', there is ${rule.leaves} for '${second.name}'`
    if (removes(second, first)) return `with '${second.name}', there is ${rule.leaves} for '${first.name}'`
  }
  return undefined
}

function includes(selection: Selection, { layer, name }: FaultDefinition): boolean {
  return selection.some((each) => each === layer || each === name)
}
