/** Selects the faults that a sweep tries on a call. */
import { type FaultDefinition, needsGeneratedAnswer, requestedForm } from '../../faults/fault.ts'
import { type Fault, faultNames, faultOf } from '../../faults/index.ts'
import { announcesEvents } from '../../http/reply.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { parseJson } from '../../lib/json.ts'
import { walk } from '../../lib/value-path.ts'
import type { StreamPlaces } from '../../resources/protocol.ts'
import { asksForStream } from '../../scenarios/condition.ts'
import { eventsIn, readReply } from './reading.ts'

/** A fault's name, such as `stream-cut` or `status-503`, or a fault with parameters. */
export type SweepFault = Fault | `status-${number}`

type Setting = { readonly name: string } & Readonly<Record<string, unknown>>

const quick =
  'status-400 status-503 rate-limit timeout connection-reset lost-reply malformed-body html-error-page error-body-in-200 truncated-body content-filter stream-cut stream-reset stream-stall stream-error-event stream-split tool-arguments'.split(
    ' ',
  )
const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 502, 503, 504, 524, 529]
/** Faults that no client can detect if events have no sequence numbers. */
const needsNumbers = ['stream-reordered-events', 'stream-duplicate-event']

/** @param chosen Faults to try if they can affect the call. A name includes its variants if `depth` is `all`. */
export function faultsFor(
  entry: JournalEntry,
  places: StreamPlaces | undefined,
  depth: 'quick' | 'all',
  chosen: readonly SweepFault[] | undefined,
): readonly Setting[] {
  const form = asksForStream(entry.body) ? 'stream' : 'json'
  const last = eventsIn(entry.responseBody.text).findIndex((event) => places?.isFinal(event))
  const all = [...(chosen ?? (depth === 'quick' ? quick : faultNames))].flatMap((fault): Setting[] => {
    if (typeof fault !== 'string') return [fault as Setting]
    const [, status] = /^status-(\d+)$/.exec(fault) ?? []
    if (status) return [{ name: 'status', status: Number(status) }]
    if (!faultNames.includes(fault))
      throw new TypeError(`sweep(): faults has the unknown fault '${fault}'${didYouMean(fault, faultNames)}`)
    return variants(faultOf(fault), entry, last).slice(0, depth === 'all' ? undefined : 1)
  })
  return all.filter(({ name }) => {
    const fault = faultOf(name)
    return (requestedForm(fault) ?? form) === form && (places || !needsGeneratedAnswer(fault))
  })
}

export function labelOf({ name, ...parameters }: Setting): string {
  if (name === 'status') return `status-${parameters['status'] ?? 500}`
  const texts = Object.entries(parameters).map(([parameter, value]) => `${parameter}: ${value}`)
  return texts.length > 0 ? `${name} (${texts.join(', ')})` : name
}

export function isDetectable({ name, form }: Setting, entry: JournalEntry, places?: StreamPlaces): boolean {
  if (needsNumbers.includes(name)) return entry.responseBody.text.includes('"sequence_number":')
  // Text may have code fences.
  return form !== 'fenced-json' || parseJson(readReply(entry, places).text) !== undefined
}

/** Returns a fault with its defaults, then with each other choice of a parameter, then as early and late as possible. */
function variants({ name, params }: FaultDefinition, entry: JournalEntry, last: number): Setting[] {
  if (name === 'status') return [{ name }, ...statuses.map((status) => ({ name, status }))]
  if (name === 'field') return pathsIn(entry).map((path) => ({ name, path }))
  const { shape } = params()
  const choices = Object.entries(shape).flatMap(([parameter, schema]) => {
    const usual = schema.parse(undefined)
    const values = [...(schema._zod.values ?? [])].filter((value) => value !== usual)
    return values.map((value) => ({ name, [parameter]: value }))
  })
  const ends = 'afterEvents' in shape && last > 0 ? [0, last] : []
  return [{ name }, ...choices, ...ends.map((afterEvents) => ({ name, afterEvents }))]
}

/** Fields that contain the answer, in any protocol, and other fields that clients rely on. */
const answerFields = /^(?:choices|content|content_block|data|delta|item|output|results)\b|^(?:id|type|usage)$/
const maxPaths = 20

/** Returns paths of fields in a reply, or in any event of a stream, for example `choices.0.delta.content`. */
function pathsIn({ responseBody: { text }, responseHeaders }: JournalEntry): string[] {
  const values = announcesEvents(responseHeaders) ? eventsIn(text) : [parseJson(text)]
  // Outer fields first, and of a list, only the first item.
  const steps = values
    .flatMap((value) => Array.from(walk(value), ([path]) => path).slice(1))
    .filter((path) => !path.some((step) => Number(step) > 0))
    .sort((one, other) => one.length - other.length)
  const paths = [...new Set(steps.map((path) => path.join('.')))]
  const ofAnswer = paths.filter((path) => answerFields.test(path))
  return (ofAnswer.length > 0 ? ofAnswer : paths).slice(0, maxPaths)
}
