/**
 * Warms up a server while no request is open: compiles schemas and, after a longer idle period, loads the database
 * library.
 */
import * as z from 'zod'
import { loadLibrary } from '../database/table.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { CallListener } from '../journal/call-record.ts'
import { checkBy } from '../lib/check.ts'
import type { AnyOperation } from '../operation.ts'
import { Workspace } from '../resources/workspace.ts'

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

/**
 * Compiles the body and reply schemas of operations with a body, and the schema of workspace rows. This takes 35 ms and
 * saves a sixth of the CPU time of a POST /responses. Requests are handled between schemas.
 */
export async function compileSchemas(operations: readonly AnyOperation[]): Promise<void> {
  const schemas = operations.flatMap(({ input, output }) => (input?.body ? [input.body, output] : []))
  // If the runtime forbids code generation, zod returns the schema unchanged.
  for (const schema of [...schemas, Workspace].filter((each) => each instanceof z.ZodType)) {
    checkBy(z.compile(unwrapped(schema)), schema)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Returns the schema inside a lazy one, because zod cannot compile lazy schemas. */
function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodLazy ? (schema._zod.innerType as z.ZodType) : schema
}
