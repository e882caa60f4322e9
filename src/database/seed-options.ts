/**
 * What can be set about the records that sandboxes begin with; derived from the list of collections.
 */
import * as z from 'zod'
import { collectionNames, collections } from '../resources/collections.ts'
import type { SizedCollectionName } from '../resources/rows.ts'

const Records = z.lazy(() => z.array(z.unknown()))
const Count = z.lazy(() => z.int().min(0).max(1_000_000))

/** A person's own records in place of the canonical ones of a collection. */
export const Fixtures = z.lazy(() => z.strictObject(optionals(collectionNames, Records)))

/** How many records a collection has: the first so many of the fixtures, filled up with generated ones. */
export const Size = z.lazy(() =>
  z.strictObject(
    // Parts have no number of their own: they come with the records that they are parts of.
    optionals(
      collections.filter(({ partOf }) => !partOf).map(({ name }) => name as SizedCollectionName),
      Count,
    ),
  ),
)

/** The options that decide which records a sandbox begins with. */
export interface SeedOptions {
  readonly seed: string | number
  /** By collection. */
  readonly size: Readonly<Record<string, number | undefined>>
  /** By collection. */
  readonly fixtures: Readonly<Record<string, readonly unknown[] | undefined>>
}

function optionals<Name extends string, Schema extends z.ZodType>(names: readonly Name[], schema: Schema) {
  return Object.fromEntries(names.map((name) => [name, schema.optional()])) as Record<
    Name,
    z.ZodOptional<Schema>
  >
}
