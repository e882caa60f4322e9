/** Buffers log lines. A write takes 3 µs, so all lines from one turn of the event loop are written together. */
import { setImmediate } from '../lib/real-timers.ts'

/**
 * Returns a function that queues a line. Queued lines are printed in order, at the end of the turn or when
 * the process exits.
 *
 * @param print Called with one or more lines, without the final line break.
 */
export function toLinePrinter(print: (text: string) => void): (line: string) => void {
  let lines: string[] = []
  const printAll = () => {
    if (lines.length > 0) print(lines.join('\n'))
    lines = []
  }
  process.on('exit', printAll)
  return (line) => {
    if (lines.push(line) === 1) setImmediate(printAll)
  }
}
