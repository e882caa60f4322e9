/**
 * Stream viewer: events on a timeline, the accumulated text, and a replay in real time.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../../journal/entry.ts'
import { milliseconds, parsed } from './parts.tsx'

export function Stream({ entry }: { entry: JournalEntry }) {
  const events = useMemo(() => eventsOf(entry), [entry])
  const first = events[0]?.ms ?? 0
  const end = Math.max(first + 1, events.at(-1)?.ms ?? 0, entry.durationMs ?? 0)
  /** Position on the timeline in milliseconds. */
  const until = useSignal(end)
  const isPlaying = useSignal(false)
  useEffect(() => {
    if (!isPlaying.value) return
    const began = document.timeline.currentTime as number
    let frame = requestAnimationFrame(function step(now) {
      until.value = Math.min(end, first + now - began)
      if (until.value >= end) isPlaying.value = false
      else frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
  }, [isPlaying.value])
  if (events.length === 0) return <p class="muted">No events received.</p>
  const shown = events.filter(({ ms }) => ms <= until.value)
  const at = (ms: number) => 4 + ((ms - first) / (end - first)) * 592
  return (
    <section class="stream">
      <div class="bar">
        <button
          type="button"
          onClick={() => {
            isPlaying.value = !isPlaying.value
          }}
        >
          {isPlaying.value ? 'Stop' : 'Replay in real time'}
        </button>
        <span class="muted">
          {events.length} events in {milliseconds(end - first)}
        </span>
      </div>
      <svg
        viewBox="0 0 600 32"
        preserveAspectRatio="none"
        class="strip"
        role="img"
        aria-label={`${events.length} events over ${milliseconds(end - first)}`}
      >
        <line x1="4" x2="596" y1="24" y2="24" class="axis" />
        {events.map(({ ms, name }, index) => (
          <line
            key={index}
            x1={at(ms)}
            x2={at(ms)}
            y1={name.endsWith('.delta') ? 12 : 4}
            y2="24"
            class={ms <= until.value ? 'mark' : 'mark later'}
          />
        ))}
      </svg>
      <label class="slider">
        <span>Time</span>
        <input
          type="range"
          min={first}
          max={end}
          step="any"
          value={until.value}
          onInput={(event) => {
            isPlaying.value = false
            until.value = Number(event.currentTarget.value)
          }}
        />
        <output>{milliseconds(until.value - first)}</output>
      </label>
      <h3>Text</h3>
      <p class="grown">
        {shown.map(({ delta }) => delta).join('') || <span class="muted">No text yet.</span>}
      </p>
      <h3>Events</h3>
      <ol class="events">
        {shown.map(({ ms, name, data }, index) => (
          <li key={index}>
            <details>
              <summary>
                <span class="offset">+{milliseconds(ms - first)}</span> {name}
              </summary>
              <pre>{data}</pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface TimedEvent {
  /** Milliseconds from the arrival of the request. */
  ms: number
  name: string
  data: string
  /** Parsed data, if it is JSON. */
  value: unknown
  /** Text that the event adds. */
  delta: string
}

export function isEventStream({ replyHeaders }: JournalEntry): boolean {
  return replyHeaders['content-type']?.startsWith('text/event-stream') ?? false
}

const encoder = new TextEncoder()

/** Returns the events with the time at which their last byte was sent. */
export function eventsOf({ replyBody, timeline, firstByteMs }: JournalEntry): TimedEvent[] {
  const parts = timeline.length > 0 ? timeline : [{ ms: firstByteMs ?? 0, offset: 0 }]
  const events: TimedEvent[] = []
  let offset = 0
  let part = 0
  for (const block of replyBody.text.split(/(?<=\r?\n\r?\n)/)) {
    offset += encoder.encode(block).length
    while ((parts[part + 1]?.offset ?? Number.POSITIVE_INFINITY) < offset) part++
    const lines = block.split(/\r?\n/)
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n')
    const named = lines
      .find((line) => line.startsWith('event:'))
      ?.slice(6)
      .trim()
    if (block.trim() === '') continue
    const value = parsed(data)
    const name = named ?? textAt(value, 'type') ?? (data || block.trim())
    events.push({
      ms: parts[part]?.ms ?? 0,
      name: name.slice(0, 80),
      data: data || block,
      value,
      delta: deltaOf(value),
    })
  }
  return events
}

function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  let at = value
  for (const step of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined
  return typeof at === 'string' ? at : undefined
}

/** Returns the text delta of an event of the Responses, Messages or Chat Completions protocol. */
function deltaOf(value: unknown): string {
  return (
    textAt(value, 'delta') ??
    textAt(value, 'delta', 'text') ??
    textAt(value, 'choices', 0, 'delta', 'content') ??
    ''
  )
}
