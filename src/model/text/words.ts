/**
 * The words of a text, as far as a search or an answer needs them.
 */

/** Made when it is first used: the classes of letters take 1 ms. */
const word = () => /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’-][\p{L}\p{N}\p{M}]+)*/gu

/** English words that say nothing about a subject. */
const stopWords = new Set(
  (
    'a about after all also am an and any are as at be because been before but by can could did do does for from ' +
    'get give had has have he her here him his how i if in into is it its just let like make me more most much my ' +
    'no not of on one only or other our out over please say she should so some tell than that the their them then ' +
    'there these they this those to too up us use very was we were what when where which while who why will with ' +
    'would you your'
  ).split(' '),
)

/** @param lowerCaseWord A word in lower case. */
export function isStopWord(lowerCaseWord: string): boolean {
  return stopWords.has(lowerCaseWord)
}

/** Words of a text that say something about its subject, in order, as they are written; each one once. */
export function* subjectWords(text: string): Generator<string> {
  const seen = new Set<string>()
  for (const found of text.match(word()) ?? []) {
    const key = found.toLowerCase()
    if (stopWords.has(key) || seen.has(key)) continue
    seen.add(key)
    yield found
  }
}

/**
 * The same words as a search compares them: without case, accents and English endings, so that `Baking` is found
 * by `bake`; the parts of a compound such as `night-train` count as well.
 */
export function searchKeys(text: string): Set<string> {
  const keys = new Set<string>()
  for (const found of subjectWords(text)) {
    keys.add(searchKey(found))
    if (/['’-]/.test(found))
      for (const part of found.split(/['’-]/)) if (part.length > 1) keys.add(searchKey(part))
  }
  return keys
}

function searchKey(found: string): string {
  const plain = found
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return /^[a-z]{4,}$/.test(plain) ? stem(plain) : plain
}

/** Close enough to compare English words by; not a word itself. */
function stem(plain: string): string {
  const bare = plain
    .replace(/ies$/, 'y')
    .replace(/(?<![su])s$/, '')
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, '')
    .replace(/e$/, '')
  return bare.replace(/([a-z])\1$/, '$1')
}
