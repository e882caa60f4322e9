/** Two calls side by side: facts, request, reply and events. */
import { useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../../journal/entry.ts'
import { useLoaded } from './api.ts'
import { titleOfCall } from './calls-store.ts'
import { diffLines } from './diff.ts'
import { loadCall } from './failed-test.ts'
import { closed, hashWith, param } from './location.ts'
import { milliseconds, Notice, pretty, Scroller } from './parts.tsx'
import { eventsOf, isEventStream } from './stream-events.ts'

export function Compare() {
  const [id, sandbox] = [param('call'), param('in') || 'default']
  const [otherId, otherSandbox] = [param('with'), param('within') || 'default']
  const { value, problem } = useLoaded(
    () => Promise.all([loadCall(sandbox, id), loadCall(otherSandbox, otherId)]),
    [sandbox, id, otherSandbox, otherId],
  )
  const [left, right] = value ?? []
  return (
    <article class="detail" tabIndex={-1} aria-label="Comparison">
      <header>
        <h2 class="grow">Compare two calls</h2>
        <a class="close" href={hashWith(closed)} aria-label="Close comparison">
          ×
        </a>
      </header>
      {problem && <Notice>{problem}</Notice>}
      {left &&
        right &&
        Object.entries(parts).map(([title, read]) => (
          <Difference key={title} title={title} left={read(left)} right={read(right)} />
        ))}
    </article>
  )
}

/** Compared texts of a call, by title. */
const parts: Record<string, (entry: JournalEntry) => string> = {
  Call: factsOf,
  'Request body': ({ requestText }) => pretty(requestText.text),
  'Request headers': ({ headers }) => headersOf(headers),
  Reply: replyText,
  'Reply headers': ({ responseHeaders }) => headersOf(responseHeaders),
}

function factsOf(entry: JournalEntry): string {
  const rules = entry.rules.map(({ scenario, index }) => `rule ${index} of '${scenario}'`)
  return [
    entry.id,
    `${entry.method} ${entry.path}`,
    `status ${entry.status}, ${entry.delivery}`,
    rules.join(', ') || 'no rule',
    `first byte ${milliseconds(entry.firstByteMs)}`,
    `duration ${milliseconds(entry.durationMs)}`,
  ].join('\n')
}

/** Returns the body or, for a stream, the list of events. */
function replyText(entry: JournalEntry): string {
  if (!isEventStream(entry)) return pretty(entry.responseBody.text)
  return eventsOf(entry)
    .map(({ name, data }) => `${name}\n  ${data}`)
    .join('\n')
}

/** Lists headers, without those that always differ, or only if the bodies do. */
function headersOf(headers: JournalEntry['responseHeaders'] | JournalEntry['headers']): string {
  return Object.entries(headers)
    .filter(([name]) => !/^(date|content-length|traceparent|x-request-id)$/.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n')
}

/** Shows only the lines that differ. */
function Difference({ title, left, right }: { title: string; left: string; right: string }) {
  const lines = useMemo(() => diffLines(left, right), [left, right])
  return (
    <section>
      <h3>
        {title} {lines.length === 0 && <span class="muted">equal</span>}
      </h3>
      {lines.length > 0 && (
        <Scroller class="table" label={`Differences: ${title}`}>
          <table class="diff">
            <thead>
              <tr>
                <th title={param('call')}>{titleOfCall(param('in'), param('call'))}</th>
                <th title={param('with')}>{titleOfCall(param('within'), param('with'))}</th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line, index) => (
                <tr key={index}>
                  <td>{line.left !== undefined && <del>− {line.left}</del>}</td>
                  <td>{line.right !== undefined && <ins>+ {line.right}</ins>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}
