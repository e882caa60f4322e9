/** Paginates lists, and provides helpers that several resources share. */
import * as z from 'zod'
import { GatewayError } from '../../http/errors.ts'
import { hash, uuid } from '../../lib/seed.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'

const digits = () =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'Must be a whole number')
    .transform(Number)

/** Maximum number of records in one reply, and the default. */
const maxLimit = 100
const usualLimit = 50

export const offset = () => digits().optional().describe('Number of records to skip.')

export const Page = z.lazy(() =>
  z.looseObject({
    offset: offset(),
    limit: digits()
      .pipe(z.int().min(1).max(maxLimit))
      .optional()
      .describe(`Maximum number of records. Default: ${usualLimit}.`),
  }),
)

export function page<Row>(rows: readonly Row[], { offset = 0, limit = usualLimit }: z.output<typeof Page>) {
  return { data: rows.slice(offset, offset + limit), total_count: rows.length }
}

export const Deleted = z.lazy(() => z.strictObject({ deleted: z.literal(true) }))

/** @param detail Reason for the journal, such as `no API key has the hash 'a'`. */
export function notFound(detail: string): GatewayError {
  return new GatewayError(404, undefined, undefined, { detail })
}

export function userId(seed: string | number): string {
  return `user_${hash(seed, 'user').slice(0, 12)}`
}

/** Returns the id of the oldest workspace. By default, keys and presets belong to this workspace. */
export async function defaultWorkspaceId({ tables, seed }: SandboxState): Promise<string> {
  const [first] = await tables.workspaces.rows()
  return first?.id ?? uuid(seed, 'default workspace')
}
