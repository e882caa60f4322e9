/** Faults in the tool calls, content and ending of an answer. */
import * as z from 'zod'
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { fieldsOf, isObject, parseJson } from '../lib/json.ts'
import { editAt, readAt, readPath } from '../lib/value-path.ts'
import type { AnswerPart, StreamPlaces } from '../resources/protocol.ts'
import { changeBody, otherType } from './answer.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { isEvent } from './position.ts'

interface Shown {
  readonly event: StreamEvent
  readonly parts: readonly AnswerPart[]
}

const isCall = ({ kind }: AnswerPart) => kind === 'call'
const isText = ({ kind }: AnswerPart) => kind === 'text'

/** The replacement for each event: one event or a list of events. A JSON answer is replaced by the first event. */
type Changes = (object | object[])[]

type Form = (shown: readonly Shown[], protocol: StreamPlaces) => Changes

const argumentForms = {
  'not-json': changeArguments((text, isParsed) => (isParsed ? text : text.slice(0, -1))),
  'wrong-type': changeProperties(([first, ...rest]) =>
    first ? [[first[0], otherType(first[1])], ...rest] : rest,
  ),
  'missing-property': changeProperties(([_first, ...rest]) => rest),
  'extra-property': changeProperties((properties) => [...properties, ['unexpected_property', true]]),
  empty: changeArguments((_text, isParsed) => (isParsed ? '{}' : '')),
  object: changeArguments((text) => parseJson(text) ?? text),
  truncated(shown, { ended }) {
    const last = shown.flatMap(({ parts }) => parts.filter(isCall)).at(-1)
    if (!last) return shown.map(({ event }) => event)
    const half: ChangeText = (text, isParsed) => (isParsed ? '{}' : text.slice(0, Math.ceil(text.length / 2)))
    const changed = changeTexts(shown, ({ of }) => of === last.of, half)
    return changed.map((event) => ended(event, 'length'))
  },
} as const satisfies Record<string, Form>

const callForms = {
  'unknown-tool': (shown) => shown.map((each) => editCalls(each, 'name', () => 'unknown_tool')),
  'same-id': (shown) => shown.map((each) => editCalls(each, 'id', () => 'call_duplicate')),
  'repeated-head'(shown) {
    const seen = new Set<unknown>([undefined])
    return shown.map(({ event, parts }) => {
      const before = seen.size
      for (const { id } of parts.filter(isCall)) seen.add(valueAt(event, id))
      return seen.size > before ? [event, event] : event
    })
  },
  'same-index'(shown) {
    let first: unknown
    return shown.map((each) => editCalls(each, 'index', (index) => (first ??= index)))
  },
  'split-name': (shown) =>
    shown.map(({ event, parts }) => {
      const named = parts.filter((part) => isCall(part) && part.isDelta && valueAt(event, part.name))
      if (named.length === 0) return event
      const [start = event, rest = event] = [0, 1].map((piece) =>
        editCalls({ event, parts: named }, 'name', (name) => spread(name, 2)[piece]),
      )
      const texts = named.flatMap((part) => part.texts)
      return [edit(start, texts, () => ''), editCalls({ event: rest, parts: named }, 'id', () => undefined)]
    }),
} as const satisfies Record<string, Form>

const answerForms = {
  empty: (shown, protocol) => keepParts(shown, protocol, () => false),
  refusal: (shown, { refused = (event) => event }) => shown.map(({ event }) => refused(event) ?? []),
  'only-reasoning'(shown, protocol) {
    const isReasoning = ({ kind }: AnswerPart) => kind === 'reasoning'
    const hasReasoning = shown.some(({ parts }) => parts.some(isReasoning))
    return keepParts(shown, protocol, hasReasoning ? isReasoning : () => true)
  },
  'fenced-json': (shown) => changeTexts(shown, isText, (text) => `\`\`\`json\n${text}\n\`\`\``),
  'no-choices': (shown, { choices }) =>
    shown.map(({ event }) => edit(event, choices ? [choices] : [], () => [])),
  'finished-twice': (shown, { isFinal }) =>
    shown.map(({ event }) => (isFinal(event) ? [event, event] : event)),
  'text-after-end'(shown, { isDelta, isFinal }) {
    const text = shown.findLast(({ event, parts }) => isDelta(event) && parts.some(isText))
    const end = shown.findLast(({ event }) => isFinal(event))
    return shown.map((each) => (text && each === end ? [each.event, text.event] : each.event))
  },
} as const satisfies Record<string, Form>

export const callFaults = [
  formFault(
    'tool-arguments',
    'arguments',
    'The arguments of tool calls are wrong.',
    argumentForms,
    '`not-json` cuts off the last character; `wrong-type` and `missing-property` change the first property; `extra-property` adds one; `empty` sends no text; `object` sends an object instead of text; with `truncated`, the length limit is reached halfway through the last call.',
  ),
  formFault(
    'tool-call',
    'tool calls',
    'The names, ids, indexes or events of tool calls are wrong.',
    callForms,
    'All calls are to `unknown_tool`, all ids are `call_duplicate`, the first event of each call is sent twice, all indexes are equal, or names are sent in two pieces.',
  ),
  formFault(
    'answer',
    'content',
    'The answer has unexpected content, or the stream continues after its final event.',
    answerForms,
    'The content is missing, a refusal, only reasoning or in a Markdown code block, `choices` is empty, the final event is sent twice, or a text delta follows it.',
  ),
] as const

/** @param what Parts of an answer that the fault changes. @param forms Forms by name, with the default first. */
function formFault<const Name extends string, FormName extends string>(
  name: Name,
  what: string,
  summary: string,
  forms: Readonly<Record<FormName, Form>>,
  description: string,
) {
  const names = Object.keys(forms) as [FormName, ...FormName[]]
  return defineFault(name, 'answer', {
    summary,
    params() {
      const form = z.enum(names)
      return { form: form.default(names[0] as never).describe(description) }
    },
    apply({ form }, context, reply) {
      const nothing = `the answer has no ${what} for the form '${form}'`
      return changeWhole(reply, context, nothing, forms[form as FormName])
    },
  })
}

/** Changes argument text; `isParsed` is true if the protocol shows them as an object. */
type ChangeText = (text: string, isParsed: boolean) => unknown

function changeArguments(change: ChangeText): Form {
  return (shown) => changeTexts(shown, isCall, change)
}

function changeProperties(change: (all: [string, unknown][]) => [string, unknown][]): Form {
  return changeArguments((text) => {
    const value = parseJson(text)
    return isObject(value) ? JSON.stringify(Object.fromEntries(change(Object.entries(value)))) : text
  })
}

export function valueAt(event: StreamEvent, path: string | undefined): unknown {
  return path === undefined ? undefined : readAt(event, readPath(path))
}

function edit(event: StreamEvent, paths: readonly string[], change: (value: unknown) => unknown) {
  return paths.reduce((edited, path) => fieldsOf(editAt(edited, readPath(path), change)), event)
}

function editCalls(
  { event, parts }: Shown,
  field: 'id' | 'name' | 'index',
  change: (value: unknown) => unknown,
) {
  const paths = parts.filter(isCall).flatMap((part) => part[field] ?? [])
  return edit(event, paths, change)
}

/** Changes the text or arguments of parts. In a stream, the number of deltas stays the same. */
function changeTexts(shown: readonly Shown[], isMeant: (part: AnswerPart) => boolean, change: ChangeText) {
  const deltas = shown.flatMap(({ event, parts }) => {
    const streamed = parts.filter((part) => part.isDelta && isMeant(part))
    return streamed.flatMap(({ of, texts }) => texts.map((path) => ({ of, text: valueAt(event, path) })))
  })
  const filled = deltas.filter(({ text }) => text)
  const spreads = new Map<string, Iterator<unknown>>()
  for (const [of, all] of Map.groupBy(filled, ({ of }) => of)) {
    const changed = change(all.map(({ text }) => text).join(''), false)
    spreads.set(of, spread(changed, all.length).values())
  }
  return shown.map(({ event, parts }) =>
    parts.filter(isMeant).reduce((edited, { of, isDelta, texts }) => {
      return edit(edited, texts, (text) => {
        if (text === '') return text
        if (isDelta) return spreads.get(of)?.next().value
        if (typeof text === 'string') return change(text, false)
        const changed = change(JSON.stringify(text), true)
        return typeof changed === 'string' ? parseJson(changed) : text
      })
    }, event),
  )
}

function spread(value: unknown, count: number): unknown[] {
  if (typeof value !== 'string') return [value, ...Array.from({ length: count - 1 }, () => '')]
  const size = Math.ceil(value.length / count)
  return Array.from({ length: count }, (_, index) => value.slice(index * size, (index + 1) * size))
}

/** Removes parts of an answer, which then ends as if it were complete. */
function keepParts(
  shown: readonly Shown[],
  { isDelta, isFinal, ended }: StreamPlaces,
  isKept: (part: AnswerPart) => boolean,
): Changes {
  if (shown.every(({ parts }) => parts.every(isKept))) return shown.map(({ event }) => event)
  return shown.map(({ event, parts }) => {
    const removed = parts.filter((part) => !isKept(part)).map(({ at }) => at)
    const isEmpty = removed.length > 0 && removed.length === parts.length
    if (isEmpty && (removed.includes('') || (isDelta(event) && !isFinal(event)))) return []
    const without = (value: unknown) => (typeof value === 'string' ? '' : value === null ? null : undefined)
    return ended(edit(event, removed.reverse(), without), 'stop')
  })
}

export function locate(events: readonly StreamEvent[], { partsOf }: StreamPlaces): Shown[] {
  const kinds = new Map<string, AnswerPart['kind']>()
  return events.map((event) => {
    const parts = partsOf(event).map((part) => {
      kinds.set(part.of, part.kind ?? kinds.get(part.of))
      return { ...part, kind: kinds.get(part.of) }
    })
    return { event, parts }
  })
}

/** @param nothing Reason to report if nothing changes. */
export function changeWhole(reply: Reply, context: FaultContext, nothing: string, change: Form): Reply {
  const changeAll = (events: readonly StreamEvent[]) =>
    change(locate(events, context.protocol), context.protocol)
  return changeBody(reply, context, nothing, {
    frames: (frames) => changeStream(frames, context, changeAll),
    value(value) {
      const [changed] = isObject(value) ? changeAll([value]).flat() : []
      return changed === undefined || isSame(changed, value) ? value : changed
    },
  })
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}

/** Maximum number of frames to buffer. Longer streams are unchanged. */
const maxHeld = 100_000

/**
 * Replaces events. Additional events are sent at the end. Buffers the whole stream, because a
 * change can depend on all of it. Pauses stay where they are.
 */
function* changeStream(
  frames: Iterable<Frame>,
  context: FaultContext,
  change: (events: readonly StreamEvent[]) => Changes,
): Generator<Frame> {
  const held: Frame[] = []
  let isLong = false
  for (const frame of frames) {
    if (isLong || (frame.kind === 'wait' && frame.until)) yield frame
    else if (held.push(frame) > maxHeld) {
      isLong = true
      context.missed(`the stream has more than ${maxHeld} events`)
      yield* held.splice(0)
    }
    if (frame.kind === 'hang-up') break
  }
  if (isLong) return
  const changes = change(held.filter(isEvent).map(({ event }) => event)).values()
  for (const frame of held) {
    const events = isEvent(frame) ? [changes.next().value ?? []].flat() : []
    if (!isEvent(frame) || (events.length === 1 && isSame(events[0], frame.event))) yield frame
    else {
      for (const event of events) yield { kind: 'event', event: { ...event } }
      context.acted()
    }
  }
  for (const event of [...changes].flat()) yield { kind: 'event', event: { ...event } }
}
