/** Stream viewer: events on a timeline, with the text and tool arguments received up to a chosen event. */
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../../journal/entry.ts'
import { type FaultMark, faultMarks } from './fault-marks.ts'
import { milliseconds } from './parts.tsx'
import { eventsOf, type TimedEvent, toolCalls } from './stream-events.ts'

/** Maximum number of events to list. The newest are listed. */
const maxListed = 300

export function Stream({ entry }: { entry: JournalEntry }) {
  const events = useMemo(() => eventsOf(entry), [entry])
  const end = Math.max(1, events.at(-1)?.ms ?? 0, entry.durationMs ?? 0)
  const marks = faultMarks(
    entry.rules.flatMap(({ faults }) => faults),
    events,
    end,
  )
  /** Number of events up to the slider's position. */
  const count = useSignal(events.length)
  if (events.length === 0) return <p class="muted">No events received.</p>
  const shown = events.slice(0, count.value)
  const first = Math.max(0, shown.length - maxListed)
  return (
    <section class="stream">
      <Timeline entry={entry} events={events} end={end} count={count.value} marks={marks} />
      <label class="slider">
        <span>Time</span>
        <input
          type="range"
          min={0}
          max={events.length}
          value={count.value}
          onInput={(event) => (count.value = Number(event.currentTarget.value))}
        />
        <output>{milliseconds(shown.at(-1)?.ms ?? 0)}</output>
      </label>
      <div class="halves">
        <section>
          <h3>Text</h3>
          <p class="grown">
            {shown.map(({ delta }) => delta).join('') || (
              <span class="muted">{shown.length < events.length ? 'No text yet' : 'No text'}</span>
            )}
          </p>
          {toolCalls(shown).map(({ key, name, args }) => (
            <section key={key}>
              <h3>
                Arguments for <code>{name}</code>
              </h3>
              <pre class="grown">{args}</pre>
            </section>
          ))}
        </section>
        <section>
          <h3>
            Events: {count} of {events.length}
          </h3>
          {first > 0 && <p class="muted">The first {first} events are not listed.</p>}
          <ol class="events">
            {shown.slice(first).map(({ ms, name, data }, index) => (
              <li key={first + index}>
                <details>
                  <summary>
                    <span class="offset muted">+{milliseconds(ms)}</span> {name}{' '}
                    {marks
                      .filter((mark) => mark.index === first + index)
                      .map(({ fault }) => (
                        <span key={fault} class="tag warn">
                          {fault}
                        </span>
                      ))}
                  </summary>
                  <pre>{data}</pre>
                </details>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </section>
  )
}

/** Factor by which a gap must exceed the median to count as a stall. */
const stallFactor = 8
const minStallMs = 20

/** Chart of events over time, with the initial wait, stalls, faults and the end of the stream. */
function Timeline({
  entry: { delivery, durationMs },
  events,
  end,
  count,
  marks,
}: {
  entry: JournalEntry
  events: readonly TimedEvent[]
  end: number
  count: number
  marks: readonly FaultMark[]
}) {
  const x = (ms: number) => 4 + (ms / end) * 592
  const first = events[0]?.ms ?? 0
  const gaps = events.slice(1).map(({ ms }, index) => ({ from: events[index]?.ms ?? 0, to: ms }))
  const last = events.at(-1)?.ms ?? 0
  const lengths = gaps.map(({ from, to }) => to - from).sort((left, right) => left - right)
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0
  const isStall = ({ from, to }: { from: number; to: number }) =>
    to - from > Math.max(minStallMs, stallFactor * median)
  const stalls = [...gaps, { from: last, to: durationMs ?? last }].filter(isStall)
  const endings: Record<string, string> = {
    pending: 'The stream is still being sent.',
    complete: `Complete after ${milliseconds(durationMs)}.`,
    'aborted-by-fault': `Cut off by a fault after ${milliseconds(durationMs)}.`,
    'aborted-by-client': `The client disconnected after ${milliseconds(durationMs)}.`,
  }
  const words = [
    `${events.length} events.`,
    `First event after ${milliseconds(first)}.`,
    ...stalls.map(({ from, to }) => `No events for ${milliseconds(to - from)} from +${milliseconds(from)}.`),
    endings[delivery],
    ...marks.map(({ fault, ms }) => {
      if (ms === undefined) return `Fault ${fault}.`
      return ms === 0 ? `Fault ${fault} from the start.` : `Fault ${fault} at +${milliseconds(ms)}.`
    }),
  ].join(' ')
  return (
    <figure>
      <svg viewBox="0 0 600 36" preserveAspectRatio="none" class="strip" role="img" aria-label={words}>
        <rect class="wait" x={x(0)} y="20" width={x(first) - x(0)} height="8" />
        {stalls.map(({ from, to }) => (
          <rect key={from} class="stall" x={x(from)} y="4" width={x(to) - x(from)} height="24" />
        ))}
        <line x1={x(0)} x2={x(end)} y1="28" y2="28" class="axis" />
        {events.map(({ ms, name }, index) => (
          <line
            key={index}
            x1={x(ms)}
            x2={x(ms)}
            y1={name.endsWith('.delta') ? 14 : 4}
            y2="28"
            class={index < count ? 'mark' : 'mark later'}
          />
        ))}
        {delivery.startsWith('aborted') && (
          <line class="mark cut" x1={x(durationMs ?? end)} x2={x(durationMs ?? end)} y1="0" y2="36" />
        )}
        {marks.map(({ fault, ms }) => (
          // A triangle at the fault's position, or a line above the whole stream.
          <path
            key={fault}
            class="fault"
            d={ms === undefined ? 'M4 0h592v2h-592z' : `M${x(ms) - 4} 0h8l-4 11z`}
          >
            <title>{fault}</title>
          </path>
        ))}
      </svg>
      <figcaption class="muted">{words}</figcaption>
    </figure>
  )
}
