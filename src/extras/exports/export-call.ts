/** Control operation that exports a call as code. */
import * as z from 'zod'
import { sandboxOperation } from '../../control/operation.ts'
import { infoOf } from '../../control/sandbox-operations.ts'
import { GatewayError } from '../../http/errors.ts'
import { toCurl } from './curl.ts'
import { toTest } from './test-code.ts'

export const exportCall = sandboxOperation('exportCall', 'GET /sandboxes/{sandbox}/calls/{entry}/export', {
  doc: { summary: 'Export a call as a curl command or a test', tag: 'Journal' },
  input: {
    params: { entry: z.string().min(1).describe("The reply's x-request-id.") },
    query: z.strictObject({ as: z.enum(['curl', 'vitest', 'playwright']) }),
  },
  output: z.object({ data: z.strictObject({ text: z.string() }) }),
  resolve(sandbox, { params, query: { as }, origin, gateway }) {
    const record = sandbox.journal.record(params.entry)
    try {
      const text =
        as === 'curl'
          ? toCurl(record, infoOf(sandbox, { origin }), origin)
          : toTest(record, as, sandbox, gateway)
      return { data: { text } }
    } catch (error) {
      throw new GatewayError(409, (error as Error).message)
    }
  },
})
