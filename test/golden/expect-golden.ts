/**
 * Compares text with golden files: a mismatch prints a few lines, and `npx vitest run -u` rewrites the files.
 */
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Transcript } from './transcript.ts'

/** Compares text with a golden file. */
export async function expectFile(text: string, file: URL): Promise<void> {
  try {
    await expect(text).toMatchFileSnapshot(file.pathname)
  } catch {
    const golden = existsSync(file) ? readFileSync(file, 'utf8') : ''
    throw new Error(`${file.pathname} differs\n${changes(golden.split('\n'), text.split('\n'), 12)}`)
  }
}

/** Compares calls with their lines in the golden files. */
export function expectCalls(received: Transcript, golden: Transcript): void {
  const different = [...received].flatMap(([key, lines]) => {
    const expected = golden.get(key) ?? []
    return lines.join('\n') === expected.join('\n') ? [] : [`${key}\n${changes(expected, lines, 4)}`]
  })
  if (different.length === 0) return
  const shown = different.slice(0, 5).join('\n')
  const rest = different.length > 5 ? `\nand ${different.length - 5} more` : ''
  throw new Error(
    `${different.length} of ${received.size} calls differ (- expected, + received)\n${shown}${rest}`,
  )
}

function changes(expected: readonly string[], received: readonly string[], most: number): string {
  const lines = [...linesBeyond(expected, received, '-', most), ...linesBeyond(received, expected, '+', most)]
  if (lines.length > 0) return lines.join('\n')
  const at = expected.findIndex((line, index) => line !== received[index])
  return `  the same lines in another order, from line ${at + 1}: ${expected[at]}`
}

/** Returns the lines in one list that are missing from the other, counting duplicates. */
function linesBeyond(
  lines: readonly string[],
  others: readonly string[],
  mark: string,
  most: number,
): string[] {
  const counts = new Map<string, number>()
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1)
  const beyond = lines.filter((line) => {
    const count = counts.get(line) ?? 0
    counts.set(line, count - 1)
    return count <= 0
  })
  const shown = beyond.slice(0, most).map((line) => `  ${mark} ${line.slice(0, 300)}`)
  return beyond.length > most ? [...shown, `  ${mark} … ${beyond.length - most} more lines`] : shown
}
