/**
 * Earlier requests as a sandbox remembers them: how often each came, beginnings of prompts, and stored responses.
 */
import { hash } from '../lib/seed.ts'

/** Distinct requests that are remembered; the one that came first goes first, and would then count anew. */
const capacity = 100_000

/** How often the same request came before: tells equal requests apart, whenever they came. */
export class Occurrences {
  /** Counts that a fork looks at too, and so nobody changes. */
  #shared: ReadonlyMap<string, number> | undefined
  /** Made for the first request: many a fork gets none. */
  #counts: Map<string, number> | undefined
  /** Goes through the counts, the oldest first: a new iterator would pass the places of all that are forgotten. */
  #byAge: Iterator<string> | undefined

  /** How often this came before; 0 the first time. */
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

  /** The counts, as data. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...(this.#shared ?? []), ...(this.#counts ?? [])])
  }

  static from(counts: Readonly<Record<string, number>>): Occurrences {
    const occurrences = new Occurrences()
    occurrences.#counts = new Map(Object.entries(counts).slice(-capacity))
    return occurrences
  }

  /** The same counts, which go their own way from now on. */
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

/** A piece of a prompt: a role or a place in it, and its tokens. */
export interface PromptPiece {
  readonly role: string
  readonly tokens: readonly string[]
}

/** Tokens after which a prompt may differ from an earlier one: at the end of a piece, and after so many inside it. */
const blockTokens = 64
/** How many beginnings are known; then the oldest are forgotten. */
const maxKnown = 100_000

/**
 * Beginnings of prompts that a sandbox has seen: tokens that a prompt shares with an earlier one of the same model count
 * as read from a cache.
 */
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

/** How many are kept; then the oldest go. */
const maxResponses = 1000
/** How many characters of conversations, as JSON. */
const maxCharacters = 16 * 1024 * 1024

interface Stored {
  /** The conversation up to and with the response, as JSON: what is kept is nobody else's object. */
  readonly items: string
  /** The ids of its items. */
  readonly ids: readonly string[]
}

/** An item of a conversation, as far as it is looked at here. */
interface StoredItem {
  readonly id?: unknown
}

/** Responses that a sandbox keeps for `previous_response_id`, with the option `storedResponses` only. */
export class StoredResponses {
  readonly #stored: Map<string, Stored>
  /** The newest response whose conversation has the item, by the id of the item. */
  readonly #holders = new Map<string, string>()
  #characters: number

  constructor(stored: Iterable<[string, Stored]> = [], characters = 0) {
    this.#stored = new Map(stored)
    for (const [id, { ids }] of this.#stored) for (const item of ids) this.#holders.set(item, id)
    this.#characters = characters
  }

  /** @param items The conversation, from its beginning to the output of this response. */
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

  /** The conversation that a response ends; undefined for one that is not kept, or not any more. */
  find(id: string): unknown[] | undefined {
    const stored = this.#stored.get(id)
    return stored && JSON.parse(stored.items)
  }

  /** Items of kept conversations by their ids; those that are not kept are left out. */
  items(ids: Iterable<string>): Map<string, unknown> {
    const found = new Map<string, unknown>()
    for (const id of ids) {
      if (found.has(id)) continue
      const holder = this.#holders.get(id)
      // One conversation has many of the items that are asked for together.
      // mutation: equivalent: for the types; the holder of an item is stored
      for (const item of (holder === undefined ? [] : (this.find(holder) ?? [])) as StoredItem[])
        if (typeof item.id === 'string') found.set(item.id, item)
    }
    return found
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
