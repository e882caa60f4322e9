// Declarations of collections: schema, unique keys, fixtures, factory and references. Each is next to its resource;
// `collections.ts` lists them.

import type * as z from 'zod'
import type { FactoryContext } from './factory.ts'

export interface CollectionDeclaration<
  Name extends string = string,
  Row extends object = object,
  Part extends PartOf | undefined = PartOf | undefined,
> {
  /** Name in camel case; its fixture file has the same name in kebab case. */
  readonly name: Name
  readonly schema: z.ZodType<Row>
  /** Unique keys of a record, in lookup order. */
  readonly keys: Readonly<Record<string, ReadKey<Row>>>
  /** Loads the canonical records, unvalidated. Called on first use. */
  readonly fixtures: () => Promise<{ readonly default: readonly unknown[] }>
  /**
   * Fields that contain the first key of a record in another collection. If that collection is part of this one (see
   * `partOf`), the field must name one of the record's own parts. Otherwise it is only used to generate records.
   */
  readonly refersTo?: Readonly<Record<string, string>>
  /** Collection whose records contain these as parts. Fixtures must include both, and both are generated together. */
  readonly partOf?: Part
  /**
   * Generates a record.
   *
   * @param rows Returns the records of a collection named in `refersTo` or `partOf`, except the record's own parts.
   */
  readonly fake: (context: FactoryContext, rows: RowsOf) => Row
}

/** Bivariant like a method, so that a list can contain collections of different rows. */
type ReadKey<Row> = { read(row: Row): string }['read']

export interface PartOf {
  readonly collection: string
  /** Field that contains the first key of the whole record. */
  readonly field: string
  /** Number of parts of a generated record. */
  readonly each: number
}

/** Returns the initial records of another collection. */
export type RowsOf = (collection: string) => readonly object[]

export function defineCollection<
  const Name extends string,
  Row extends object,
  const Part extends PartOf | undefined = undefined,
>(declaration: CollectionDeclaration<Name, Row, Part>): CollectionDeclaration<Name, Row, Part> {
  return declaration
}

/** Returns the first key of a record, by which other records refer to it. */
export function firstKey<Row extends object>(
  { keys, name }: CollectionDeclaration<string, Row>,
  row: Row,
): string {
  const [read] = Object.values(keys)
  if (!read) throw new Error(`The collection ${name} declares no key`)
  return read(row)
}
