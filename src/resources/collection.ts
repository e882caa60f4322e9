// Declares collections: schema, unique keys, fixtures, factory and references. Declarations are next to their
// resource; `collections.ts` lists them.

import type * as z from 'zod'
import type { FactoryContext } from './factory.ts'

export interface CollectionDeclaration<
  Name extends string = string,
  Row extends object = object,
  Part extends PartOf | undefined = PartOf | undefined,
> {
  /** Name in camel case. The fixture file has the same name in kebab case. */
  readonly name: Name
  readonly schema: z.ZodType<Row>
  /** A record's unique keys, in lookup order. */
  readonly keys: Readonly<Record<string, ReadKey<Row>>>
  /** Loads the canonical records, unvalidated. Called on first use. */
  readonly fixtures: () => Promise<{ readonly default: readonly unknown[] }>
  /**
   * Fields that contain the primary key of a record in another collection. If that collection is part of this
   * one (see `partOf`), the field must name one of the record's own parts. Otherwise, the reference is used
   * only to generate records.
   */
  readonly refersTo?: Readonly<Record<string, string>>
  /**
   * Collection whose records have these records as parts. Custom fixtures must replace both collections or neither, and
   * each generated record gets generated parts.
   */
  readonly partOf?: Part
  /**
   * Generates a record.
   *
   * @param rows Returns the initial records of a collection listed in `refersTo` or `partOf`. For the collection of this
   * record's own parts, returns an empty list.
   */
  readonly fake: (context: FactoryContext, rows: RowsOf) => Row
}

/** Bivariant like a method, so that a list can contain collections with different row types. */
type ReadKey<Row> = { read(row: Row): string }['read']

export interface PartOf {
  readonly collection: string
  /** Field that contains the primary key of the record that the part belongs to. */
  readonly field: string
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

/** Returns a record's primary key (its first key), which other records use to refer to it. */
export function firstKey<Row extends object>(
  { keys, name }: CollectionDeclaration<string, Row>,
  row: Row,
): string {
  const [read] = Object.values(keys)
  if (!read) throw new Error(`The collection ${name} declares no key`)
  return read(row)
}
