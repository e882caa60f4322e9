/**
 * The end of a server whose sandboxes are in use: it takes no new ones, and waits until those that live are quiet.
 */
import type { Sandboxes } from '../sandbox/sandboxes.ts'

const { setTimeout } = globalThis

/** A sandbox that answered so short a time ago is in the middle of a test. Milliseconds of elapsed time. */
const settleMs = 2000
/** Real milliseconds between two looks. */
const lookMs = 100

/**
 * Takes no new sandboxes, and returns when no sandbox is in use: none answers a request, and none has within the last
 * two seconds.
 *
 * @param limitMs Real milliseconds after which it returns in any case.
 */
export async function drain(sandboxes: Sandboxes, limitMs: number): Promise<void> {
  sandboxes.drain()
  for (let left = limitMs; left > 0 && sandboxes.isBusy(settleMs); left -= lookMs)
    await new Promise((resolve) => setTimeout(resolve, Math.min(lookMs, left)))
}
