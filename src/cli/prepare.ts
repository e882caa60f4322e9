/**
 * Warms up a server while no request is open: compiles schemas and, after a longer idle period, loads the database
 * library.
 */
import { loadLibrary } from '../database/table.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { CallListener } from '../journal/call-record.ts'

/** Interval between checks for open requests, in real milliseconds. The first check is one interval after startup. */
const checkMs = 250

export function prepareLater({ operations, sandboxes: { listeners } }: GatewayCore): void {
  let open = 0
  let isQuiet: boolean | undefined
  const watch: CallListener = {
    replied() {
      open++
      isQuiet = false
    },
    settled: () => void open--,
  }
  listeners.add(watch)
  let isCompiled = false
  const checks = setInterval(async () => {
    const wasQuiet = isQuiet
    isQuiet = true
    if (open > 0) return
    if (!isCompiled) {
      isCompiled = true
      const { compileSchemas } = await import('./compile-schemas.ts')
      await compileSchemas(operations)
    } else if (wasQuiet) {
      // Loading the database library also loads undici and blocks for 60 ms, so it requires a longer idle
      // period.
      clearInterval(checks)
      listeners.delete(watch)
      loadLibrary()
    }
  }, checkMs).unref()
}
