/** Follows the server's calls while the page is visible. */
import { signal } from '@preact/signals'
import type { ChangedCalls } from '../operations.ts'
import { askConsole } from './api.ts'

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')
/** If true, the server has restarted since the page was opened. */
export const wasRestarted = signal(false)

/** Delay before reconnecting, in milliseconds. */
const retryMs = 1000

let position = ''

/** Calls `take` with changed calls, for as long as the page is open. */
export async function follow(take: (changed: ChangedCalls) => void): Promise<void> {
  for (;;) {
    await untilVisible()
    try {
      take(await loadChanges(position))
      connection.value = 'live'
    } catch {
      connection.value = 'lost'
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}

/** @param after Position to continue from. Default: all calls are loaded. */
export async function loadChanges(after = ''): Promise<ChangedCalls> {
  const changed = await askConsole<ChangedCalls>(`GET /changes${after && `?after=${after}`}`)
  // A position starts with the server's run id.
  if (position && position.split('.')[0] !== changed.position.split('.')[0]) wasRestarted.value = true
  position = changed.position
  return changed
}

async function untilVisible(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}
