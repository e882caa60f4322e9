/**
 * Which beginnings of prompts a sandbox has seen: what a prompt shares with an earlier one of the same model counts as
 * read from a cache.
 */
import { hash } from '../lib/seed.ts'

/** A piece of a prompt: a role or a place in it, and its tokens. */
export interface PromptPiece {
  readonly role: string
  readonly tokens: readonly string[]
}

/** Tokens after which a prompt may differ from an earlier one: at the end of a piece, and after so many inside it. */
const blockTokens = 64
/** How many beginnings are known; then the oldest are forgotten. */
const maxKnown = 100_000

export class PromptCache {
  readonly #known: Set<string>
  /** Goes through them, the oldest first: a new iterator would pass the places of all that are forgotten. */
  #byAge: Iterator<string> | undefined

  constructor(known: Iterable<string> = []) {
    this.#known = new Set(known)
  }

  /** How many tokens at its beginning an earlier prompt had; from now on this prompt is an earlier one. */
  read(model: string, pieces: readonly PromptPiece[]): number {
    let key = hash('prompt', model)
    let length = 0
    let cached = 0
    let isShared = true
    for (const { role, tokens } of pieces) {
      key = hash(key, role)
      for (let at = 0; at < tokens.length; at += blockTokens) {
        const block = tokens.slice(at, at + blockTokens)
        key = hash(key, block.join(''))
        length += block.length
        isShared &&= this.#known.has(key)
        if (isShared) cached = length
        else this.#add(key)
      }
    }
    return cached
  }

  copy(): PromptCache {
    return new PromptCache(this.#known)
  }

  #add(key: string): void {
    if (this.#known.size >= maxKnown) {
      this.#byAge ??= this.#known.values()
      this.#known.delete(this.#byAge.next().value)
    }
    this.#known.add(key)
  }
}
