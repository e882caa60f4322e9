/** Extracts words and short lines from text for searches and answers. */
import fixtures from '../../../fixtures/stop-words.json' with { type: 'json' }

export function quoted(text: string, limit = 72): string {
  let line = ''
  for (const word of text.slice(0, 4 * limit).split(/\s+/)) {
    if (line.length + word.length > limit) return `${line || word.slice(0, limit)} ...`.toWellFormed()
    line = line ? `${line} ${word}` : word
  }
  // Lone surrogates in the request must not be copied to the reply.
  return line.trim().toWellFormed()
}

export function firstSentence(text: string): string {
  const start = text.slice(0, 400)
  return quoted(/^.+?[.!?](?=\s)/s.exec(start)?.[0] ?? start, 240)
}

export function searchQuery(question: string): string {
  const words: string[] = []
  for (const word of subjectWords(question.slice(0, 2000))) {
    if (word.length > 1 && word.length <= 40) words.push(word)
    if (words.length === 8) break
  }
  return words.length > 0 ? words.join(' ') : quoted(question)
}

/** Created only when needed: compiling the character classes takes 1 ms. */
const word = () => /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’-][\p{L}\p{N}\p{M}]+)*/gu

const stopWords = new Set(Object.values(fixtures).flat())

export function* subjectWords(text: string): Generator<string> {
  const seen = new Set<string>()
  for (const match of text.match(word()) ?? []) {
    const key = match.toLowerCase()
    if (stopWords.has(key) || seen.has(key)) continue
    seen.add(key)
    yield match
  }
}

/** Normalised for comparison: without case, accents and English endings, so that `bake` finds `Baking`. */
export function searchKeys(text: string): Set<string> {
  const keys = new Set<string>()
  for (const word of subjectWords(text)) {
    keys.add(searchKey(word))
    // Chinese and Japanese do not separate words with spaces, so index character pairs.
    for (const run of word.match(/[\p{sc=Han}\p{sc=Katakana}ー]{2,}/gu) ?? [])
      for (let at = 0; at + 1 < run.length; at++) keys.add(run.slice(at, at + 2))
    if (/['’-]/.test(word))
      for (const part of word.split(/['’-]/)) if (part.length > 1) keys.add(searchKey(part))
  }
  return keys
}

export function searchKey(word: string): string {
  const plain = word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return /^[a-z]{4,}$/.test(plain) ? stem(plain) : plain
}

/** The result need not be a word. */
function stem(plain: string): string {
  const bare = plain
    .replace(/ies$/, 'y')
    .replace(/(?<![su])s$/, '')
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, '')
    .replace(/e$/, '')
  return bare.replace(/([a-z])\1$/, '$1')
}
