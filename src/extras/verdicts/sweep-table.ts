/** Prints a sweep as a table, with a line for each run that needs attention. */
import { truncate } from '../../lib/one-line.ts'
import { marks, type SweepResult, type SweepRun, type SweepVerdict } from './sweep.ts'

/** Returns the title of a run, by which a test can accept it, such as `call 2 (createResponse), stream-cut: silent`. */
export function titleOf({ operation, call, fault, verdict }: SweepRun): string {
  return `call ${call} (${operation}), ${fault}: ${verdict}`
}

/** Returns a table of faults and calls, then a line for each run that failed, and for each reason of the others. */
export function sweepTable({ runs, calls }: SweepResult): string {
  const rows = Map.groupBy(runs, ({ fault }) => fault)
  const width = Math.max(...Array.from(rows.keys(), (fault) => fault.length), 5)
  const cells = (texts: readonly string[]) => texts.map((text) => text.padStart(3)).join('')
  const table = Array.from(rows, ([fault, ofFault]) => {
    const byCall = new Map(ofFault.map(({ call, verdict }) => [call, marks[verdict]]))
    return fault.padEnd(width) + cells(calls.map((_, place) => byCall.get(place + 1) ?? ''))
  })
  const counts = Map.groupBy(runs, ({ verdict }) => verdict)
  const legend = Object.entries(marks).flatMap(([verdict, mark]) => {
    const count = counts.get(verdict as SweepVerdict)?.length
    return count ? [`${mark} ${verdict} (${count})`] : []
  })
  const lines = runs.filter(({ verdict }) => !['recovered', 'rejected', 'not-reached'].includes(verdict))
  const reasons = (['rejected', 'not-reached'] as const).flatMap((verdict) => {
    const byMessage = Map.groupBy(counts.get(verdict) ?? [], ({ message }) => truncate(message, 100))
    return Array.from(byMessage, ([message, { length }]) => `${verdict} (${length}): ${message}`)
  })
  return [
    ...calls.map((call, place) => `call ${place + 1}: ${call}`),
    ''.padEnd(width) + cells(calls.map((_, place) => String(place + 1))),
    ...table,
    legend.join(', '),
    ...lines.map((run) => `${titleOf(run)}: ${run.message}\n  sandbox.use(${JSON.stringify(run.rule)})`),
    ...reasons,
  ].join('\n')
}
