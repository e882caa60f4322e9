/**
 * Gets a server that stays ready for many calls and for writes, when those who wait for its start have been served.
 */
import { loadLibrary } from '../database/table.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { CallListener } from '../journal/call-record.ts'

/** Real milliseconds between the start and the first look whether nobody is served, and between the looks. */
// mutation: equivalent: nothing depends on the exact time
const lookMs = 250

export function prepareLater({ operations, sandboxes: { listeners } }: GatewayCore): void {
  let open = 0
  let isQuiet = true
  const watch: CallListener = {
    replied() {
      open++
      // mutation: equivalent: a library loads 250 ms sooner or later
      isQuiet = false
    },
    settled: () => void open--,
  }
  listeners.add(watch)
  let isCompiled = false
  const looks = setInterval(async () => {
    const wasQuiet = isQuiet
    isQuiet = true
    if (open > 0) return
    if (!isCompiled) {
      isCompiled = true
      const { compileSchemas } = await import('./compile-schemas.ts')
      await compileSchemas(operations)
    } else if (wasQuiet) {
      // The library of the database brings undici along and stops everything for 60 ms: not between two calls either.
      clearInterval(looks)
      listeners.delete(watch)
      loadLibrary()
    }
  }, lookMs).unref()
}
