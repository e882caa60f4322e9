/** Declares collections. Declarations are next to their resource; `collections.ts` lists them. */
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
  /** A record's unique keys, in lookup order. Bivariant like methods, so that lists can mix types of rows. */
  readonly keys: Readonly<Record<string, { read(row: Row): string }['read']>>
  readonly fixtures: () => Promise<{ readonly default: readonly unknown[] }>
  /** Collections that `fake` reads. */
  readonly refersTo?: readonly string[]
  /** Collection whose records have these records as parts. */
  readonly partOf?: Part
  /** @param rows Returns the initial records of a collection in `refersTo`. */
  readonly fake: (context: FactoryContext, rows: (collection: string) => readonly object[]) => Row
}

interface PartOf {
  readonly collection: string
  /** Field that contains the primary key of the record that the part belongs to. */
  readonly field: string
  readonly each: number
}

export function defineCollection<
  const Name extends string,
  Row extends object,
  const Part extends PartOf | undefined = undefined,
>(declaration: CollectionDeclaration<Name, Row, Part>): CollectionDeclaration<Name, Row, Part> {
  return declaration
}

/** Other records refer to a record by its first key. */
export function firstKey<Row extends object>(
  { keys, name }: CollectionDeclaration<string, Row>,
  row: Row,
): string {
  const [read] = Object.values(keys)
  if (!read) throw new Error(`The collection ${name} declares no key`)
  return read(row)
}
