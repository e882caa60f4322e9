/**
 * References between a record and its parts, such as a preset and its versions. Fixtures have both or neither, and a
 * field that names a part of its record always leads to one.
 */
import { GatewayError } from '../http/errors.ts'
import { type CollectionDeclaration, firstKey } from '../resources/collection.ts'

/** A field that names a part of its record. */
interface PartReference {
  /** Collection of the record. */
  readonly owner: CollectionDeclaration
  /** Field of the owner: the first key of the part. */
  readonly field: string
  readonly part: CollectionDeclaration
  /** Field of the part: the first key of its owner. */
  readonly back: string
}

/** Throws one line for fixtures with owners but no parts, parts but no owners, or a reference that leads nowhere. */
export function assertFixtures(
  collections: readonly CollectionDeclaration[],
  own: ReadonlyMap<string, readonly object[]>,
): void {
  for (const { owner, field, part, back } of partReferences(collections)) {
    const [owners, parts] = [own.get(owner.name), own.get(part.name)]
    if (!owners && !parts) continue
    if (!owners || !parts) {
      const [given, missing] = owners ? [owner, part] : [part, owner]
      throw new Error(`Bad fixture: ${given.name} without ${missing.name}: give both, or neither`)
    }
    const ownerIds = new Set(owners.map((row) => firstKey(owner, row)))
    const ownerOf = new Map(parts.map((row) => [firstKey(part, row), read(row, back)]))
    owners.forEach((row, place) => {
      if (ownerOf.get(read(row, field)) === firstKey(owner, row)) return
      throw new Error(
        `Bad fixture: ${owner.name}[${place}].${field}: ${part.name} has no '${read(row, field)}' whose ${back} is '${firstKey(owner, row)}'`,
      )
    })
    parts.forEach((row, place) => {
      if (ownerIds.has(read(row, back))) return
      throw new Error(
        `Bad fixture: ${part.name}[${place}].${back}: ${owner.name} has no record '${read(row, back)}'`,
      )
    })
  }
}

/** Finds a row by its first key. */
export type FindRow = (collection: string, key: string) => object | undefined | Promise<object | undefined>

/** Throws 400 for a record that names a part it does not have. */
export async function assertOwnParts(
  collections: readonly CollectionDeclaration[],
  name: string,
  row: object,
  find: FindRow,
): Promise<void> {
  for (const { owner, field, part, back } of partReferences(collections)) {
    if (owner.name !== name) continue
    const found = await find(part.name, read(row, field))
    if (found && read(found, back) === firstKey(owner, row)) continue
    throw new GatewayError(
      400,
      `${name}.${field}: ${part.name} has no '${read(row, field)}' whose ${back} is '${firstKey(owner, row)}'; create it first`,
    )
  }
}

/**
 * Throws 409 for a part that its owner names, if it is deleted or moved to another owner.
 *
 * @param after The part after the write; undefined if it is deleted.
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
    const whole = await find(owner.name, read(before, back))
    if (!whole || read(whole, field) !== id) continue
    throw new GatewayError(
      409,
      `${name} '${id}' is the ${field} of ${owner.name} '${firstKey(owner, whole)}'; name another one there first`,
    )
  }
}

function* partReferences(collections: readonly CollectionDeclaration[]): Generator<PartReference> {
  for (const part of collections) {
    if (!part.partOf) continue
    const { collection, field: back } = part.partOf
    for (const owner of collections.filter(({ name }) => name === collection)) {
      // mutation: equivalent: for the types; an owner refers to its parts
      for (const [field, target] of Object.entries(owner.refersTo ?? {})) {
        if (target === part.name) yield { owner, field, part, back }
      }
    }
  }
}

function read(row: object, field: string): string {
  return String(Reflect.get(row, field))
}
