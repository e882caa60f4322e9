/** Faults in tool calls, and in the content and the end of an answer as a whole. */
import * as z from 'zod'
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { fieldsOf, isObject, parseJson } from '../lib/json.ts'
import { editAt, readAt, readPath } from '../lib/value-path.ts'
import type { AnswerPart, StreamPlaces } from '../resources/protocol.ts'
import { changeBody, otherType } from './answer.ts'
import { defineFault, type FaultContext } from './fault.ts'
import { isEvent } from './position.ts'

/** An event, or an answer in JSON, with its parts. */
interface Shown {
  readonly event: StreamEvent
  readonly parts: readonly AnswerPart[]
}

/** For each event, the event or the events that replace it. An answer in JSON is replaced by the first one. */
type Changes = (object | object[])[]

interface Form {
  /** Reason to report if nothing changes. */
  readonly nothing: string
  change(shown: readonly Shown[], protocol: StreamPlaces): Changes
}

const argumentForms = {
  'not-json': withArguments((text, isParsed) => (isParsed ? text : text.slice(0, -1))),
  'wrong-type': withProperties(([first, ...rest]) =>
    first ? [[first[0], otherType(first[1])], ...rest] : rest,
  ),
  'missing-property': withProperties(([_first, ...rest]) => rest),
  'extra-property': withProperties((properties) => [...properties, ['unexpected_property', true]]),
  empty: withArguments((_text, isParsed) => (isParsed ? '{}' : '')),
  object: withArguments((text) => parseJson(text) ?? text),
  truncated: {
    nothing: 'the answer has no arguments',
    change(shown, { ended }) {
      const last = shown.flatMap(({ parts }) => parts.filter(isCall)).at(-1)
      const changed = changeTexts(
        shown,
        ({ of }) => of === last?.of,
        (text, isParsed) => (isParsed ? '{}' : text.slice(0, Math.ceil(text.length / 2))),
      )
      const isCut = changed.some((event, index) => !isSame(event, shown[index]?.event))
      return isCut ? changed.map((event) => ended(event, 'length')) : changed
    },
  },
} as const satisfies Record<string, Form>

const callForms = {
  'unknown-tool': {
    nothing: 'the answer has no tool call',
    change: (shown) => shown.map((each) => editCalls(each, 'name', () => 'unknown_tool')),
  },
  'same-id': {
    nothing: 'the answer has no tool call',
    change: (shown) => shown.map((each) => editCalls(each, 'id', () => 'call_duplicate')),
  },
  'repeated-head': {
    nothing: 'no tool call is streamed',
    change(shown) {
      const seen = new Set<unknown>([undefined])
      return shown.map(({ event, parts }) => {
        const before = seen.size
        for (const { id } of parts.filter(isCall)) seen.add(valueAt(event, id))
        return seen.size > before ? [event, event] : event
      })
    },
  },
  'same-index': {
    nothing: 'no two tool calls are streamed',
    change(shown) {
      let first: unknown
      return shown.map((each) => editCalls(each, 'index', (index) => (first ??= index)))
    },
  },
  'split-name': {
    nothing: "no tool call's name can be streamed in pieces",
    change: (shown) =>
      shown.map(({ event, parts }) => {
        const named = parts.filter((part) => isCall(part) && part.isDelta && valueAt(event, part.name))
        if (named.length === 0) return event
        const [start = event, rest = event] = [0, 1].map((piece) =>
          editCalls({ event, parts: named }, 'name', (name) => spread(name, 2)[piece]),
        )
        const texts = named.flatMap((part) => part.texts)
        return [edit(start, texts, () => ''), editCalls({ event: rest, parts: named }, 'id', () => undefined)]
      }),
  },
} as const satisfies Record<string, Form>

const answerForms = {
  empty: {
    nothing: 'the answer has no content',
    change: (shown, protocol) => keepParts(shown, protocol, () => false),
  },
  refusal: {
    nothing: 'the answer has no text, or the protocol has no refusals',
    change: (shown, { refused = (event) => event }) => shown.map(({ event }) => refused(event) ?? []),
  },
  'only-reasoning': {
    nothing: 'the answer has no reasoning, or nothing else',
    change(shown, protocol) {
      const isReasoning = ({ kind }: AnswerPart) => kind === 'reasoning'
      const hasReasoning = shown.some(({ parts }) => parts.some(isReasoning))
      return keepParts(shown, protocol, hasReasoning ? isReasoning : () => true)
    },
  },
  'fenced-json': {
    nothing: 'the answer has no text',
    change: (shown) => changeTexts(shown, isText, (text) => `\`\`\`json\n${text}\n\`\`\``),
  },
  'no-choices': {
    nothing: 'the protocol has no choices',
    change: (shown, { choices = '' }) => shown.map(({ event }) => edit(event, [choices], () => [])),
  },
  'finished-twice': {
    nothing: 'no final event is streamed',
    change: (shown, { isFinal }) => shown.map(({ event }) => (isFinal(event) ? [event, event] : event)),
  },
  'text-after-end': {
    nothing: 'no text and final event are streamed',
    change(shown, { isDelta, isFinal }) {
      const text = shown.findLast(({ event, parts }) => isDelta(event) && parts.some(isText))
      const end = shown.findLast(({ event }) => isFinal(event))
      return shown.map((each) => (text && each === end ? [each.event, text.event] : each.event))
    },
  },
} as const satisfies Record<string, Form>

const formOf = <Name extends string>(forms: Readonly<Record<Name, Form>>, usual: NoInfer<Name>) =>
  z.enum(Object.keys(forms) as Name[]).default(usual as never)

export const callFaults = [
  defineFault('tool-arguments', 'answer', {
    summary: 'The arguments of tool calls are wrong.',
    params: () => ({
      form: formOf(argumentForms, 'not-json').describe(
        'The last character is missing, the first property has a wrong type or is missing, there is an additional property, there are no arguments, they are an object instead of text, or the length limit is reached halfway through the last call.',
      ),
    }),
    apply: ({ form }, context, reply) => changeWhole(reply, context, argumentForms[form]),
  }),
  defineFault('tool-call', 'answer', {
    summary: 'Tool calls are wrong, except for their arguments.',
    params: () => ({
      form: formOf(callForms, 'unknown-tool').describe(
        'All calls are to `unknown_tool`, all have the id `call_duplicate`, the first event of each is sent twice, all have the index of the first, or names are sent in two pieces.',
      ),
    }),
    apply: ({ form }, context, reply) => changeWhole(reply, context, callForms[form]),
  }),
  defineFault('answer', 'answer', {
    summary: 'The answer has unexpected content, or its stream continues after its end.',
    params: () => ({
      form: formOf(answerForms, 'empty').describe(
        'There is no content, the text is a refusal, there is only reasoning, the text is in a Markdown code block, `choices` is empty, the final event is sent twice, or a text delta follows it.',
      ),
    }),
    apply: ({ form }, context, reply) => changeWhole(reply, context, answerForms[form]),
  }),
] as const

/** Changes the text of arguments; `isParsed` is true if the protocol shows them as an object. */
type ChangeText = (text: string, isParsed: boolean) => unknown

function withArguments(change: ChangeText): Form {
  return {
    nothing: 'the answer has no arguments that can be wrong in this way',
    change: (shown) => changeTexts(shown, isCall, change),
  }
}

type Properties = [name: string, value: unknown][]

function withProperties(change: (properties: Properties) => Properties): Form {
  return withArguments((text) => {
    const value = parseJson(text)
    return isObject(value) ? JSON.stringify(Object.fromEntries(change(Object.entries(value)))) : text
  })
}

function isCall({ kind }: AnswerPart): boolean {
  return kind === 'call'
}

function isText({ kind }: AnswerPart): boolean {
  return kind === 'text'
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}

function valueAt(event: StreamEvent, path = ''): unknown {
  return path === '' ? undefined : readAt(event, readPath(path))
}

function edit(event: StreamEvent, paths: readonly string[], change: (value: unknown) => unknown) {
  return paths.reduce((edited, path) => {
    return path === '' ? edited : fieldsOf(editAt(edited, readPath(path), change))
  }, event)
}

function editCalls(
  { event, parts }: Shown,
  field: 'id' | 'name' | 'index',
  change: (value: unknown) => unknown,
) {
  const paths = parts.filter(isCall).map((part) => part[field] ?? '')
  return edit(event, paths, change)
}

/** Changes the texts or arguments of parts, and spreads a streamed one over as many deltas as before. */
function changeTexts(shown: readonly Shown[], isMeant: (part: AnswerPart) => boolean, change: ChangeText) {
  const deltas = new Map<string, unknown[]>()
  const editTexts = (toText: (text: unknown, part: AnswerPart) => unknown) =>
    shown.map(({ event, parts }) =>
      parts.filter(isMeant).reduce((edited, part) => {
        return edit(edited, part.texts, (text) => (text === '' ? text : toText(text, part)))
      }, event),
    )
  editTexts((text, { of, isDelta }) => {
    const texts = deltas.get(of) ?? []
    if (isDelta) texts.push(text)
    deltas.set(of, texts)
    return text
  })
  for (const [of, texts] of deltas) deltas.set(of, spread(change(texts.join(''), false), texts.length))
  return editTexts((text, { of, isDelta }) => {
    if (isDelta) return deltas.get(of)?.shift()
    if (typeof text === 'string') return change(text, false)
    const changed = change(JSON.stringify(text), true)
    return typeof changed === 'string' ? parseJson(changed) : text
  })
}

function spread(value: unknown, count: number): unknown[] {
  const text = typeof value === 'string' ? value : ''
  const size = Math.ceil(text.length / count)
  const pieces = Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size))
  return typeof value === 'string' ? pieces : [value, ...pieces.slice(1)]
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
    const rest = edit(event, removed.reverse(), without)
    return ended(rest, 'stop')
  })
}

function locate(events: readonly StreamEvent[], { partsOf }: StreamPlaces): Shown[] {
  const kinds = new Map<string, AnswerPart['kind']>()
  return events.map((event) => {
    const parts = partsOf(event).map((part) => {
      kinds.set(part.of, part.kind ?? kinds.get(part.of))
      return { ...part, kind: kinds.get(part.of) }
    })
    return { event, parts }
  })
}

function changeWhole(reply: Reply, context: FaultContext, { nothing, change }: Form): Reply {
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

/** Maximum number of frames to hold. */
const maxHeld = 100_000

/**
 * Replaces events. Additional ones are sent at the end. Holds the stream to its end, because a
 * change can depend on all of it. Pauses keep their places.
 */
export function* changeStream(
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
