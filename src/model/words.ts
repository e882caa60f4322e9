/**
 * The words of a text, as far as a search or a reply cares for them.
 */

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’-][\p{L}\p{N}\p{M}]+)*/gu

/** Words that say nothing about a subject. */
const small = new Set(
  (
    'a about after all also am an and any are as at be because been before but by can could did do does for from ' +
    'get give had has have he her here him his how i if in into is it its just let like make me more most much my ' +
    'no not of on one only or other our out over please say she should so some tell than that the their them then ' +
    'there these they this those to too up us use very was we were what when where which while who why will with ' +
    'would you your'
  ).split(' '),
)

/** Words of a text that say something about its subject, in order, as they are written; each one once. */
export function* subjectWords(text: string): Generator<string> {
  const seen = new Set<string>()
  for (const found of text.match(word) ?? []) {
    const key = found.toLowerCase()
    if (small.has(key) || seen.has(key)) continue
    seen.add(key)
    yield found
  }
}

/** The same in lower case, for comparing. */
export function subjectKeys(text: string): string[] {
  return Array.from(subjectWords(text), (found) => found.toLowerCase())
}
