/**
 * Lines for whoever watches the server. A write for each of them takes 3 µs, so those of one
 * turn of the event loop are printed together.
 */

const { setImmediate } = globalThis

/**
 * Prints lines in their order, at the end of the turn or of the process.
 *
 * @param print Gets one line or more, without the last line break.
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
