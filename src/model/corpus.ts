/**
 * What a search looks through: sources, ranked by the words they share with a question.
 */
import { type Place, placeOf } from './domains.ts'
import { subjectKeys } from './words.ts'

/** What a citation cites. */
export interface Source {
  url: string
  title: string
  /** An excerpt. */
  content?: string | undefined
}

/** What is looked for. */
export interface Query {
  question: string
  /** How many rows at most. */
  limit: number
  /** Whether a row at this place may be found. */
  passes(place: Place): boolean
}

export class Corpus<Row> {
  readonly #rows: readonly Row[]
  readonly #places: readonly Place[]
  /** For each word, which rows have it. */
  readonly #having = new Map<string, number[]>()

  /** @param describe What a row is found by. */
  constructor(rows: readonly Row[], describe: (row: Row) => { url: string; text: string }) {
    const descriptions = rows.map(describe)
    this.#rows = rows
    this.#places = descriptions.map(({ url }) => placeOf(url))
    descriptions.forEach(({ text }, at) => {
      for (const key of subjectKeys(text)) {
        const having = this.#having.get(key)
        if (having) having.push(at)
        else this.#having.set(key, [at])
      }
    })
  }

  /**
   * The rows that share most words with the question first, in their own order where they share as many. Rows
   * that share none come last, and still come.
   */
  find({ question, limit, passes }: Query, allows: (row: Row) => boolean = () => true): Row[] {
    const found: Row[] = []
    for (const at of this.#ranked(question)) {
      if (found.length >= limit) break
      const row = this.#rows[at] as Row
      if (passes(this.#places[at] as Place) && allows(row)) found.push(row)
    }
    return found
  }

  *#ranked(question: string): Generator<number> {
    const shared = new Map<number, number>()
    for (const key of subjectKeys(question)) {
      for (const at of this.#having.get(key) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1)
    }
    for (const [at] of [...shared].sort((left, right) => right[1] - left[1] || left[0] - right[0])) yield at
    for (const at of this.#rows.keys()) if (!shared.has(at)) yield at
  }
}
