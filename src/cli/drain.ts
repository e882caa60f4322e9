/**
 * Drains a server before it shuts down: rejects new sandboxes and waits until the existing ones are idle.
 */
import type { Sandboxes } from '../sandbox/sandboxes.ts'

const { setTimeout } = globalThis

/** Time in milliseconds during which a sandbox is assumed to be in use after its last reply. */
const idleAfterMs = 2000
/** Polling interval in real milliseconds. */
const pollMs = 100

/**
 * Rejects new sandboxes, and resolves when no sandbox has a request in flight or has replied within the last two
 * seconds.
 *
 * @param limitMs Maximum wait in real milliseconds.
 */
export async function drain(sandboxes: Sandboxes, limitMs: number): Promise<void> {
  sandboxes.drain()
  for (let left = limitMs; left > 0 && sandboxes.isBusy(idleAfterMs); left -= pollMs)
    await new Promise((resolve) => setTimeout(resolve, Math.min(pollMs, left)))
}
