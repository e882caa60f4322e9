/** Remembers earlier requests: occurrence counts, prompt prefixes and stored responses. */
import { hash } from '../lib/seed.ts'

/**
 * Maximum number of distinct requests to remember. Beyond it, the oldest is evicted, and its count restarts
 * at zero.
 */
const capacity = 100_000

/** Counts repeated requests, so that identical requests can be told apart. */
export class Occurrences {
  /** Counts shared with forks. Never modified. */
  #shared: ReadonlyMap<string, number> | undefined
  /** Created for the first request, because many forks receive none. */
  #counts: Map<string, number> | undefined
  /**
   * Iterates over the counts, oldest first. Reused across evictions, because a new iterator would have to skip the
   * slots of all deleted counts.
   */
  #byAge: Iterator<string> | undefined

  /** Returns the number of earlier requests with the same content, and counts this one. */
  next(contentKey: string): number {
    this.#counts ??= new Map()
    const before = this.#counts.get(contentKey) ?? this.#shared?.get(contentKey) ?? 0
    if (before === 0 && this.#counts.size >= capacity) {
      this.#byAge ??= this.#counts.keys()
      this.#counts.delete(this.#byAge.next().value)
    }
    this.#counts.set(contentKey, before + 1)
    return before
  }

  /** Returns an independent copy. Both share the counts so far. */
  fork(): Occurrences {
    if (this.#counts) this.#shared = this.#shared ? newest(this.#shared, this.#counts) : this.#counts
    this.#counts = undefined
    this.#byAge = undefined
    const fork = new Occurrences()
    fork.#shared = this.#shared
    return fork
  }
}

function newest(older: ReadonlyMap<string, number>, newer: ReadonlyMap<string, number>): Map<string, number> {
  const merged = new Map([...older, ...newer])
  for (const key of merged.keys()) {
    if (merged.size <= capacity) break
    merged.delete(key)
  }
  return merged
}

/** A part of a prompt, with its role and tokens. */
export interface PromptPiece {
  readonly role: string
  readonly tokens: readonly string[]
}

/** Block size in tokens. Prefixes are compared at the end of each block and of each piece. */
const blockTokens = 64
/** Maximum number of prefixes. Beyond it, the oldest is evicted. */
const maxPrefixes = 100_000

/**
 * Remembers the prefixes of a sandbox's prompts. Tokens that a prompt shares with an earlier prompt to the
 * same model count as cached.
 */
export class PromptCache {
  readonly #prefixes: Set<string>
  /**
   * Iterates over the prefixes, oldest first. Reused across evictions, because a new iterator would have to skip the
   * slots of all deleted prefixes.
   */
  #byAge: Iterator<string> | undefined

  constructor(prefixes: Iterable<string> = []) {
    this.#prefixes = new Set(prefixes)
  }

  /** Returns the length in tokens of the longest prefix shared with an earlier prompt, and remembers this prompt. */
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
        isShared &&= this.#prefixes.has(key)
        if (isShared) cached = length
        else this.#add(key)
      }
    }
    return cached
  }

  copy(): PromptCache {
    return new PromptCache(this.#prefixes)
  }

  #add(key: string): void {
    if (this.#prefixes.size >= maxPrefixes) {
      this.#byAge ??= this.#prefixes.values()
      this.#prefixes.delete(this.#byAge.next().value)
    }
    this.#prefixes.add(key)
  }
}

/** Maximum number of stored responses. Beyond it, the oldest is evicted. */
const maxResponses = 1000
/** Maximum total size of stored conversations, in characters of JSON. */
const maxCharacters = 16 * 1024 * 1024

interface Stored {
  /** The conversation, including the response. Stored as JSON, so that no caller can modify it. */
  readonly items: string
  /** Ids of the conversation's items. */
  readonly ids: readonly string[]
}

/** The only field of a conversation item that this file reads. */
interface StoredItem {
  readonly id?: unknown
}

/** Responses stored for `previous_response_id` if the `storedResponses` option is set. */
export class StoredResponses {
  readonly #stored: Map<string, Stored>
  /** Id of the newest response whose conversation contains an item, by item id. */
  readonly #holders = new Map<string, string>()
  #characters: number

  constructor(stored: Iterable<[string, Stored]> = [], characters = 0) {
    this.#stored = new Map(stored)
    for (const [id, { ids }] of this.#stored) for (const item of ids) this.#holders.set(item, id)
    this.#characters = characters
  }

  /** @param items The whole conversation, including this response's output. */
  keep(id: string, items: readonly StoredItem[]): void {
    this.#drop(id)
    const ids = items.flatMap((item) => (typeof item.id === 'string' ? [item.id] : []))
    const stored = { items: JSON.stringify(items), ids }
    this.#stored.set(id, stored)
    for (const item of ids) this.#holders.set(item, id)
    this.#characters += stored.items.length
    for (const [oldest] of this.#stored) {
      if (this.#stored.size <= maxResponses && this.#characters <= maxCharacters) break
      this.#drop(oldest)
    }
  }

  /**
   * Returns the conversation that ends with a response, or undefined if the response was not stored or has been
   * evicted.
   */
  find(id: string): unknown[] | undefined {
    const stored = this.#stored.get(id)
    return stored && JSON.parse(stored.items)
  }

  /** Finds items of stored conversations by id. Unknown ids are omitted. */
  items(ids: Iterable<string>): Map<string, unknown> {
    const result = new Map<string, unknown>()
    for (const id of ids) {
      if (result.has(id)) continue
      const holder = this.#holders.get(id)
      // One conversation usually contains several of the items.
      for (const item of (holder === undefined ? [] : (this.find(holder) ?? [])) as StoredItem[])
        if (typeof item.id === 'string') result.set(item.id, item)
    }
    return result
  }

  copy(): StoredResponses {
    return new StoredResponses(this.#stored, this.#characters)
  }

  #drop(id: string): void {
    const { items = '', ids = [] } = this.#stored.get(id) ?? {}
    this.#characters -= items.length
    for (const item of ids) if (this.#holders.get(item) === id) this.#holders.delete(item)
    this.#stored.delete(id)
  }
}
