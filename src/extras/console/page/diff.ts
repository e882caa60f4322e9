/** Compares two texts line by line. */

/** A row that pairs a changed line from each text. A side is undefined if its text has no line at this position. */
export interface DiffLine {
  left: string | undefined
  right: string | undefined
}

/** Maximum number of lines to align, because the work grows quadratically. Longer texts are paired line by line. */
const maxLines = 2000

/** Returns the lines that differ. */
export function diffLines(left: string, right: string): DiffLine[] {
  const [before, after] = [left.split('\n'), right.split('\n')]
  while (before.length > 0 && before.at(-1) === after.at(-1)) {
    before.pop()
    after.pop()
  }
  const start = before.findIndex((line, index) => line !== after[index])
  const same = start < 0 ? before.length : start
  return align(before.slice(same), after.slice(same))
}

function align(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length === 0 || after.length === 0 || before.length + after.length > maxLines)
    return pair(before, after)
  // lengths[i][j]: length of the longest common subsequence of before[i…] and after[j…].
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      (lengths[i] as Uint16Array)[j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: DiffLine[] = []
  let [removed, added]: [string[], string[]] = [[], []]
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      lines.push(...pair(removed, added))
      ;[removed, added] = [[], []]
      i++
      j++
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1)))
      removed.push(before[i++] as string)
    else added.push(after[j++] as string)
  }
  return [...lines, ...pair(removed, added)]
}

/** Puts removed and added lines next to each other. Omits equal pairs in texts too long to align. */
function pair(removed: readonly string[], added: readonly string[]): DiffLine[] {
  const length = Math.max(removed.length, added.length)
  return Array.from({ length }, (_, index) => ({ left: removed[index], right: added[index] })).filter(
    ({ left, right }) => left !== right,
  )
}
