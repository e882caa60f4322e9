/**
 * What can be set about the records that sandboxes begin with.
 */
import * as z from 'zod'

const records = z.array(z.unknown())
const count = z.int().min(0).max(1_000_000)

/** A person's own records in place of the canonical ones of a collection. */
export const Fixtures = z.strictObject({
  providers: records.optional(),
  workspaces: records.optional(),
  embeddingsModels: records.optional(),
  benchmarks: records.optional(),
  presets: records.optional(),
  presetVersions: records.optional(),
  pages: records.optional(),
  posts: records.optional(),
})

/** How many records a collection has: the first so many of the fixtures, filled up with generated ones. */
export const Size = z.strictObject({
  providers: count.optional(),
  workspaces: count.optional(),
  embeddingsModels: count.optional(),
  benchmarks: count.optional(),
  presets: count.optional().describe('Generated presets bring two versions each.'),
  pages: count.optional(),
  posts: count.optional(),
})

/** The options that decide which records a sandbox begins with. */
export interface SeedOptions {
  readonly seed: string | number
  readonly size: z.output<typeof Size>
  readonly fixtures: z.output<typeof Fixtures>
}
