// A collection is declared once, beside its resource: what its records are, by which keys they are found, where the
// canonical ones stand, how one more is made, and which other collections they refer to. `collections.ts` is the list.

import type * as z from 'zod'
import type { FactoryContext } from './factory.ts'

export interface CollectionDeclaration<
  Name extends string = string,
  Row extends object = object,
  Part extends PartOf | undefined = PartOf | undefined,
> {
  /** In camel case; its fixture file bears the same name in kebab case. */
  readonly name: Name
  readonly schema: z.ZodType<Row>
  /** The keys by which a record is found, the first one first; no two records share a value of any of them. */
  readonly keys: Readonly<Record<string, ReadKey<Row>>>
  /** Loads the canonical records, unchecked; only when somebody asks for them. */
  readonly fixtures: () => Promise<{ readonly default: readonly unknown[] }>
  /**
   * Fields that hold the first key of a record of another collection. Where those are parts of this one's records
   * (see `partOf`), the field must name one of the record's own parts; else it is for the factory, and not followed.
   */
  readonly refersTo?: Readonly<Record<string, string>>
  /** Its records are parts of those of another collection: they are given, and generated, together. */
  readonly partOf?: Part
  /**
   * Makes one plausible record.
   *
   * @param rows The records of a collection that is named in `refersTo` or `partOf`; not for parts of its own.
   */
  readonly fake: (context: FactoryContext, rows: RowsOf) => Row
}

/** Typed as a method is, so that a list can hold the collections of all kinds of rows. */
type ReadKey<Row> = { read(row: Row): string }['read']

export interface PartOf {
  readonly collection: string
  /** The field that holds the first key of the record that it is a part of. */
  readonly field: string
  /** How many parts a generated record has. */
  readonly each: number
}

/** The records that sandboxes begin with, of another collection. */
export type RowsOf = (collection: string) => readonly object[]

/** Declares a collection. */
export function defineCollection<
  const Name extends string,
  Row extends object,
  const Part extends PartOf | undefined = undefined,
>(declaration: CollectionDeclaration<Name, Row, Part>): CollectionDeclaration<Name, Row, Part> {
  return declaration
}

/** The first key of a record: what other records know it by. */
export function firstKey<Row extends object>(
  { keys, name }: CollectionDeclaration<string, Row>,
  row: Row,
): string {
  const [read] = Object.values(keys)
  if (!read) throw new Error(`The collection ${name} declares no key`)
  return read(row)
}
