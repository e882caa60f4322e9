/**
 * Gets a server that stays ready for many calls and for writes, when those who wait for its start have been served.
 */
import { loadLibrary } from '../database/own-rows.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { CallListener } from '../journal/call-listener.ts'

/** Real milliseconds after the start, and after the last call. */
const idleMs = 250

export function prepareLater({ operations, sandboxes: { listeners } }: GatewayCore): void {
  setTimeout(async () => {
    const { compileSchemas } = await import('./compile-schemas.ts')
    await compileSchemas(operations)
  }, idleMs).unref()
  // The library of the database brings undici along and stops everything for 60 ms: not while somebody is served.
  let open = 0
  const load = () => {
    if (open > 0) return void quiet.refresh()
    listeners.delete(watch)
    loadLibrary()
  }
  const quiet = setTimeout(load, idleMs).unref()
  const watch: CallListener = {
    replied() {
      open++
      quiet.refresh()
    },
    settled: () => void open--,
  }
  listeners.add(watch)
}
