/**
 * Checks references between records and their parts, such as presets and preset versions. Custom fixtures must replace
 * both or neither, and a field that names a part must refer to an existing part of the same record.
 */
import { GatewayError } from '../http/errors.ts'
import { type CollectionDeclaration, firstKey } from '../resources/collection.ts'
import type { DatabaseState } from './database.ts'

/** A field that refers to a part of its record. */
interface PartReference {
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

/**
 * Checks a write's references. Throws 400 if the row refers to a part that does not exist or belongs to another record.
 * Throws 409 if its owner refers to the row, and the write deletes it or changes its primary key or owner.
 *
 * @param before The row before the write, or undefined if it is created.
 * @param after The row after the write, or undefined if it is deleted.
 */
export async function assertReferences(
  state: DatabaseState,
  name: string,
  before: object | undefined,
  after: object | undefined,
): Promise<void> {
  for (const { owner, field, part, back } of partReferences(state.seedData.collections)) {
    if (after && owner.name === name) {
      const named = await state.table(part.name).find(read(after, field))
      if (!named || read(named, back) !== firstKey(owner, after))
        throw new GatewayError(
          400,
          `${name}.${field}: ${part.name} has no '${read(after, field)}' whose ${back} is '${firstKey(owner, after)}'; create it first`,
        )
    }
    if (before && part.name === name) {
      const id = firstKey(part, before)
      if (after && firstKey(part, after) === id && read(after, back) === read(before, back)) continue
      const ownerRow = await state.table(owner.name).find(read(before, back))
      if (ownerRow && read(ownerRow, field) === id)
        throw new GatewayError(
          409,
          `${name} '${id}' is the ${field} of ${owner.name} '${firstKey(owner, ownerRow)}'; change that reference first`,
        )
    }
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
