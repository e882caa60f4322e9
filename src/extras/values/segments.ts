/** Reads each object of a list from its own line, sentence or clause. */
import type { ValuePlace, ValueSource } from '../../resources/json-schema.ts'
import { statedNearby } from './answers.ts'
import { type Facts, readFacts } from './facts.ts'
import type { Leaf } from './fields.ts'
import { assign } from './matching.ts'
import { Writer } from './writer.ts'

/** Ways to split a text, the most reliable first. */
const splits: readonly RegExp[] = [
  /\n+\s*(?:[-*•]|\d+[.)])?\s*/,
  /(?<=\p{L}[.!?])\s+(?=\p{Lu})/u,
  /;\s+|,?\s+(?:and(?: also)?|also|while)\s+/,
]

const maxSegments = 12

/**
 * Returns a source of values for a list of objects. It proposes nothing if the schema has no such list, or several,
 * or if the text does not state two objects.
 */
export function segmentsOf(
  leaves: ReadonlyMap<string, Leaf>,
  facts: Facts,
  seed: string,
  now: number,
): ValueSource {
  const lists = [
    ...new Set([...leaves.keys()].flatMap((key) => /^[^*]+(?=\/\*\/[^*]+$)/.exec(key)?.[0] ?? [])),
  ]
  const [list] = lists
  const none: ValueSource = () => undefined
  if (list === undefined) return none
  const start = `${list}/*/`
  const own = [...leaves.values()].filter(({ key }) => key.startsWith(start))
  if (own.some(({ facts: [first] }) => first?.items?.every((item) => /\d/.test(item)))) return none
  for (const pattern of splits) {
    const parts = facts.text
      .split(pattern)
      .filter((part) => part.trim())
      .slice(0, maxSegments)
    if (parts.length < 2) continue
    const read = parts.map((part) => readPart(part, own, start, now, facts.text))
    const most = Math.max(...read.map(({ count }) => count))
    const nameOf = ({ leaves }: (typeof read)[number]) => [...leaves.values()][0]?.facts[0]?.value
    const full = read.filter(
      (part) =>
        part.count >= 2 &&
        part.count * 2 > most &&
        !read.some(
          (other) =>
            nameOf(other) !== undefined && nameOf(other) === nameOf(part) && other.count > part.count,
        ),
    )
    if (full.length < 2) continue
    const writers = full.map(({ leaves, facts }, place) => new Writer(leaves, facts, `${seed}/${place}`, now))
    return (place) =>
      keyOf(place.path) === list ? writers.length : writers[indexAt(place, list)]?.propose(inner(place, list))
  }
  return none
}

function readPart(text: string, own: readonly Leaf[], start: string, now: number, whole: string) {
  const facts = readFacts(text, now)
  const leaves = new Map(
    own.map((leaf) => {
      const key = leaf.key.slice(start.length)
      const parent = leaf.parent.slice(start.length)
      const part: Leaf = {
        ...leaf,
        key,
        parent,
        isMany: key.includes('*'),
        optional: [],
        facts: [],
      }
      return [key, part] as const
    }),
  )
  assign(leaves, facts)
  for (const leaf of leaves.values())
    if (leaf.facts.length === 0) {
      const found = statedNearby(leaf, text)
      const isAnimal = /^(?:animal|species)$/.test(leaf.key)
      leaf.facts = isAnimal && !found[0] ? statedNearby(leaf, whole) : found
    }
  return { leaves, facts, count: [...leaves.values()].filter((leaf) => leaf.facts.length > 0).length }
}

function keyOf(path: ValuePlace['path']): string {
  return path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
}

function indexAt({ path }: ValuePlace, list: string): number {
  const place = list.split('/').length
  return keyOf(path.slice(0, place)) === list ? Number(path[place]) : -1
}

function inner(place: ValuePlace, list: string): ValuePlace {
  return { ...place, path: place.path.slice(list.split('/').length + 1) }
}
