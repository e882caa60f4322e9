/** Two calls side by side: facts, request, reply and events. */
import { useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../../journal/entry.ts'
import { useLoaded } from './api.ts'
import { type DiffLine, diffLines } from './diff.ts'
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
        <h2>Compare two calls</h2>
        <a class="close" href={hashWith(closed)} aria-label="Close comparison">
          ×
        </a>
      </header>
      {problem && <Notice>{problem}</Notice>}
      {left && right && (
        <>
          <Difference title="Call" left={factsOf(left)} right={factsOf(right)} />
          <Difference
            title="Request"
            left={pretty(left.requestText.text)}
            right={pretty(right.requestText.text)}
          />
          <Difference title="Reply" left={replyText(left)} right={replyText(right)} />
          <Difference title="Reply headers" left={headersOf(left)} right={headersOf(right)} />
        </>
      )}
    </article>
  )
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

function headersOf({ responseHeaders }: JournalEntry): string {
  return Object.entries(responseHeaders)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n')
}

const context = 3

function Difference({ title, left, right }: { title: string; left: string; right: string }) {
  const lines = useMemo(() => diffLines(left, right), [left, right])
  const differing = lines.flatMap((line, index) => (line.left === line.right ? [] : [index]))
  const near = new Set(
    differing.flatMap((index) => Array.from({ length: 2 * context + 1 }, (_, by) => index + by - context)),
  )
  /** Lines to show. A number is a number of equal lines. */
  const rows: (DiffLine | number)[] = []
  lines.forEach((line, index) => {
    const last = rows.at(-1)
    if (near.has(index)) rows.push(line)
    else if (typeof last === 'number') rows[rows.length - 1] = last + 1
    else rows.push(1)
  })
  return (
    <section>
      <h3>
        {title}{' '}
        <span class="muted">
          {differing.length === 0
            ? 'equal'
            : `${differing.length} ${differing.length === 1 ? 'line differs' : 'lines differ'}`}
        </span>
      </h3>
      {differing.length > 0 && (
        <Scroller class="table" label={`Differences: ${title}`}>
          <table class="diff">
            <tbody>
              {rows.map((row, index) =>
                typeof row === 'number' ? (
                  <tr key={index} class="muted">
                    <td colSpan={2}>
                      {row} equal {row === 1 ? 'line' : 'lines'}
                    </td>
                  </tr>
                ) : (
                  <tr key={index} class={row.left === row.right ? undefined : 'differs'}>
                    <td>
                      {row.left === row.right ? row.left : row.left !== undefined && <del>{row.left}</del>}
                    </td>
                    <td>
                      {row.left === row.right ? row.right : row.right !== undefined && <ins>{row.right}</ins>}
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}
