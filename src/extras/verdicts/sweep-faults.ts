/** Selects the faults that a sweep tries on a call. */
import * as z from 'zod'
import { type FaultDefinition, needsGeneratedAnswer, requestedForm } from '../../faults/fault.ts'
import { type Fault, faultNames, faultOf, requiredParameters } from '../../faults/index.ts'
import { announcesEvents } from '../../http/reply.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { parseJson } from '../../lib/json.ts'
import { walk } from '../../lib/value-path.ts'
import type { StreamPlaces } from '../../resources/protocol.ts'
import { eventsIn, readReply } from './reading.ts'

/** A fault's name, such as `stream-cut` or `status-503`, or a fault with parameters. */
export type SweepFault = Fault | `status-${number}`

type Setting = { readonly name: string } & Readonly<Record<string, unknown>>

interface LearnedCall {
  readonly entry: JournalEntry
  readonly places: StreamPlaces | undefined
}

const quick =
  'status-400 status-503 rate-limit timeout connection-reset lost-reply malformed-body html-error-page error-body-in-200 truncated-body content-filter stream-cut stream-reset stream-stall stream-error-event stream-split'.split(
    ' ',
  )
const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 502, 503, 504, 524, 529]
/** Faults that no client can detect if events have no sequence numbers. */
const needsNumbers = ['stream-reordered-events', 'stream-duplicate-event']

/** @param chosen Faults to try if they can act. A name stands for its variants, if `depth` is `all`. */
export function faultsFor(
  call: LearnedCall,
  depth: 'quick' | 'all',
  chosen: readonly SweepFault[] | undefined,
): readonly Setting[] {
  const form = announcesEvents(call.entry.responseHeaders) ? 'stream' : 'json'
  const all = chosen
    ? chosen.flatMap((fault) => (typeof fault === 'string' ? named(fault, call, depth) : [fault as Setting]))
    : (depth === 'quick' ? quick : faultNames).flatMap((name) => named(name, call, depth))
  return all.filter(({ name }) => {
    const fault = faultOf(name)
    return (requestedForm(fault) ?? form) === form && (call.places || !needsGeneratedAnswer(fault))
  })
}

function named(name: string, call: LearnedCall, depth: 'quick' | 'all'): Setting[] {
  const [, status] = /^status-(\d+)$/.exec(name) ?? []
  if (status) return [{ name: 'status', status: Number(status) }]
  if (!faultNames.includes(name))
    throw new TypeError(`sweep(): faults has the unknown fault '${name}'${didYouMean(name, faultNames)}`)
  const all = variants(faultOf(name), call)
  return depth === 'all' ? all : all.slice(0, 1)
}

export function labelOf({ name, ...parameters }: Setting): string {
  if (name === 'status') return `status-${parameters['status'] ?? 500}`
  const texts = Object.entries(parameters).map(([parameter, value]) => `${parameter}: ${value}`)
  return texts.length > 0 ? `${name} (${texts.join(', ')})` : name
}

export function isDetectable({ name, form }: Setting, entry: JournalEntry): boolean {
  if (needsNumbers.includes(name)) return entry.responseBody.text.includes('"sequence_number":')
  // Text may have code fences.
  return form !== 'fenced-json' || parseJson(readReply(entry).text) !== undefined
}

/** Returns a fault with its defaults, then with each other choice of a parameter, then as early and late as possible. */
function variants(fault: FaultDefinition, call: LearnedCall): Setting[] {
  const { name } = fault
  if (name === 'status') return [{ name }, ...statuses.map((status) => ({ name, status }))]
  if (requiredParameters(name).includes('path')) return pathsIn(call.entry).map((path) => ({ name, path }))
  const { shape } = fault.params()
  const choices = Object.entries(shape).flatMap(([parameter, schema]) => {
    const usual = schema.parse(undefined)
    return choicesOf(schema).flatMap((value) => (value === usual ? [] : [{ name, [parameter]: value }]))
  })
  return [{ name }, ...choices, ...edges(shape, call).map((position) => ({ name, ...position }))]
}

function choicesOf(schema: z.ZodType): readonly unknown[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return choicesOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodEnum) return schema.options
  if (schema instanceof z.ZodLiteral) return [...schema.values]
  return schema instanceof z.ZodUnion ? schema.options.flatMap((each) => choicesOf(each as z.ZodType)) : []
}

/** Returns the first and the last position between events. */
function edges(parameters: object, { entry, places }: LearnedCall): object[] {
  const last = eventsIn(entry.responseBody.text).findIndex((event) => places?.isFinal(event))
  return 'afterEvents' in parameters && last > 0 ? [{ afterEvents: 0 }, { afterEvents: last }] : []
}

/** Fields with the answer, in any protocol, and those that clients rely on. */
const answerFields = /^(?:choices|content|content_block|data|delta|item|output|results)\b|^(?:id|type|usage)$/
const maxPaths = 20
const maxDepth = 6

/** Returns paths of fields in a reply, or in any event of a stream, for example `choices.0.delta.content`. */
function pathsIn({ responseBody: { text }, responseHeaders }: JournalEntry): string[] {
  const values = announcesEvents(responseHeaders) ? eventsIn(text) : [parseJson(text)]
  const steps = values.flatMap((value) => Array.from(walk(value), ([path]) => path))
  // Outer fields first, and of a list, only the first item.
  const outer = steps.filter(
    (path) => path.length > 0 && path.length <= maxDepth && path.every((step) => !(Number(step) > 0)),
  )
  const paths = [
    ...new Set(outer.sort((one, other) => one.length - other.length).map((path) => path.join('.'))),
  ]
  const ofAnswer = paths.filter((path) => answerFields.test(path))
  return (ofAnswer.length > 0 ? ofAnswer : paths).slice(0, maxPaths)
}
