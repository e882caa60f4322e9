/**
 * Links in a structured value: each goes to the end of a string that consists of the question's own words and that
 * the schema leaves free to hold it. A link that no string can hold is left out.
 */
import { subjectWords } from '../text/words.ts'

/** One string of a value, and where it can be changed. */
interface Leaf {
  owner: Record<string, unknown>
  key: string
}

/** Strings that are tried, and characters of the subject that are read for its words. */
const maxLeaves = 20
const readLength = 2000

/**
 * @param value A JSON value of ours alone: it is changed.
 * @param links Markdown links.
 * @param accepts Whether the schema accepts the value as it is now.
 */
export function placeLinks(
  value: unknown,
  { links, subject }: { links: readonly string[]; subject: string },
  accepts: (value: unknown) => boolean,
): unknown {
  const root = { value }
  const own = new Set([...subjectWords(subject.slice(0, readLength)), 'something', 'plausible'])
  const leaves = leavesOf(root, (text) => text.split(' ').every((word) => own.has(word)))
  links.forEach((link, place) => {
    for (let tried = 0; tried < leaves.length; tried++) {
      const { owner, key } = leaves[(place + tried) % leaves.length] as Leaf
      const before = owner[key]
      owner[key] = `${before} ${link}`
      if (accepts(root.value)) return
      owner[key] = before
    }
  })
  return root.value
}

function leavesOf(root: object, isFree: (text: string) => boolean): Leaf[] {
  const leaves: Leaf[] = []
  const open = [root as Record<string, unknown>]
  for (let owner = open.shift(); owner && leaves.length < maxLeaves; owner = open.shift()) {
    for (const [key, inner] of Object.entries(owner)) {
      if (typeof inner === 'string' && isFree(inner)) leaves.push({ owner, key })
      else if (typeof inner === 'object' && inner !== null) open.push(inner as Record<string, unknown>)
    }
  }
  return leaves
}
