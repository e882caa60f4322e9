/**
 * Checks references between records and their parts, such as presets and preset versions. Custom fixtures must replace
 * both or neither, and a field that names a part must refer to an existing part of the same record.
 */
import { GatewayError } from '../http/errors.ts'
import { type CollectionDeclaration, firstKey } from '../resources/collection.ts'

/** A field that refers to a part of its record. */
interface PartReference {
  /** Collection that contains the field. */
  readonly owner: CollectionDeclaration
  /** Field of the owner that contains the part's primary key. */
  readonly field: string
  readonly part: CollectionDeclaration
  /** Field of the part that contains the owner's primary key. */
  readonly back: string
}

/** Throws a one-line error if fixtures have only owners, only parts, or a broken reference. */
export function assertFixtures(
  collections: readonly CollectionDeclaration[],
  fixtures: ReadonlyMap<string, readonly object[]>,
): void {
  for (const { owner, field, part, back } of partReferences(collections)) {
    const [owners, parts] = [fixtures.get(owner.name), fixtures.get(part.name)]
    if (!owners && !parts) continue
    if (!owners || !parts) {
      const [present, missing] = owners ? [owner, part] : [part, owner]
      throw new Error(`options.fixtures.${present.name} without ${missing.name}: pass both or neither`)
    }
    const ownerIds = new Set(owners.map((row) => firstKey(owner, row)))
    const ownerOf = new Map(parts.map((row) => [firstKey(part, row), read(row, back)]))
    owners.forEach((row, index) => {
      if (ownerOf.get(read(row, field)) === firstKey(owner, row)) return
      throw new Error(
        `options.fixtures.${owner.name}[${index}].${field}: ${part.name} has no '${read(row, field)}' whose ${back} is '${firstKey(owner, row)}'`,
      )
    })
    parts.forEach((row, index) => {
      if (ownerIds.has(read(row, back))) return
      throw new Error(
        `options.fixtures.${part.name}[${index}].${back}: ${owner.name} has no record '${read(row, back)}'`,
      )
    })
  }
}

/** Finds a row by its primary key. */
export type FindRow = (collection: string, key: string) => object | undefined | Promise<object | undefined>

/** Throws 400 if a record refers to a part that does not exist or belongs to another record. */
export async function assertOwnParts(
  collections: readonly CollectionDeclaration[],
  name: string,
  row: object,
  find: FindRow,
): Promise<void> {
  for (const { owner, field, part, back } of partReferences(collections)) {
    if (owner.name !== name) continue
    const named = await find(part.name, read(row, field))
    if (named && read(named, back) === firstKey(owner, row)) continue
    throw new GatewayError(
      400,
      `${name}.${field}: ${part.name} has no '${read(row, field)}' whose ${back} is '${firstKey(owner, row)}'; create it first`,
    )
  }
}

/**
 * Throws 409 if a write deletes a part that its owner refers to, or changes the part's primary key or owner.
 *
 * @param after The part after the write, or undefined if it is deleted.
 */
export async function assertNotNamed(
  collections: readonly CollectionDeclaration[],
  name: string,
  before: object,
  after: object | undefined,
  find: FindRow,
): Promise<void> {
  for (const { owner, field, part, back } of partReferences(collections)) {
    if (part.name !== name) continue
    const id = firstKey(part, before)
    if (after && firstKey(part, after) === id && read(after, back) === read(before, back)) continue
    const ownerRow = await find(owner.name, read(before, back))
    if (!ownerRow || read(ownerRow, field) !== id) continue
    throw new GatewayError(
      409,
      `${name} '${id}' is the ${field} of ${owner.name} '${firstKey(owner, ownerRow)}'; change that reference first`,
    )
  }
}

function* partReferences(collections: readonly CollectionDeclaration[]): Generator<PartReference> {
  for (const part of collections) {
    if (!part.partOf) continue
    const { collection, field: back } = part.partOf
    for (const owner of collections.filter(({ name }) => name === collection)) {
      for (const [field, target] of Object.entries(owner.refersTo ?? {})) {
        if (target === part.name) yield { owner, field, part, back }
      }
    }
  }
}

function read(row: object, field: string): string {
  return String(Reflect.get(row, field))
}
