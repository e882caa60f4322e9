/**
 * Tapes by what they answer. Equal requests get their tapes in order, each once.
 */
import { type NamedTape, nearestTape } from './nearest-tape.ts'
import { Redactor } from './redactor.ts'
import { type KeyParts, tapedKeyParts } from './request-key.ts'
import type { KnownSecret } from './secret-finder.ts'
import type { Tape, TapeRequest } from './tape.ts'

export interface RecordingsSetup {
  /** Paths of a body that do not count. Default: `volatileFields`. */
  readonly volatile?: readonly string[] | undefined
  /** Values that were replaced when the tapes were made. Default: none. */
  readonly secrets?: readonly KnownSecret[]
}

/** A recorded request, ready to be answered. */
export interface Taken {
  /** Stands for every request like this one. */
  readonly key: string
  /** Its tapes, in the order in which they were recorded. */
  readonly tapes: readonly NamedTape[]
  /** Why there is none, or no further one, and what the nearest one is. */
  miss(taken: number): { message: string; nearest: { tape: string; field: string } | undefined }
}

export class Recordings {
  readonly #redactor: Redactor
  readonly #tapes: readonly NamedTape[]
  readonly #byKey = new Map<string, NamedTape[]>()

  /** @param tapes By the names of their files. */
  constructor(tapes: ReadonlyMap<string, Tape>, { volatile, secrets = [] }: RecordingsSetup = {}) {
    this.#redactor = new Redactor({ values: secrets, ...(volatile && { volatile }) })
    this.#tapes = [...tapes]
      .map(([name, tape]) => ({ name, tape, parts: tapedKeyParts(tape, this.#redactor.volatile) }))
      .sort((left, right) => numberOf(left.name) - numberOf(right.name))
    for (const named of this.#tapes) {
      // A request without a reply, and a reply without a request, answer nothing.
      if (!named.parts || !named.tape.end) continue
      const key = toText(named.parts)
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), named])
    }
  }

  /** How many there are. */
  get size(): number {
    return this.#tapes.length
  }

  find(request: TapeRequest): Taken {
    const { request: clean, parts } = this.#redactor.request(request)
    const key = toText(parts)
    const tapes = this.#byKey.get(key) ?? []
    return { key, tapes, miss: (taken) => this.#miss(clean, parts, taken) }
  }

  #miss(request: TapeRequest, parts: KeyParts, taken: number): ReturnType<Taken['miss']> {
    const asked = `${request.method} ${request.path}${request.query}`
    if (taken > 0) {
      const tapes = taken === 1 ? 'The only tape' : `All ${taken} tapes`
      const message = `${tapes} of this request to ${asked} ${taken === 1 ? 'has' : 'have'} been played: record it once more, or set onMiss`
      return { message, nearest: undefined }
    }
    const near = nearestTape(this.#tapes, request, parts, this.#redactor.volatile)
    if (!near) return { message: `No tape answers ${asked}: none is recorded`, nearest: undefined }
    const message = `No tape answers ${asked}. The nearest is ${near.tape}, whose ${near.reason}`
    return { message, nearest: { tape: near.tape, field: near.field } }
  }
}

function toText({ method, path, query, bodyHash }: KeyParts): string {
  return `tape ${method} ${path}?${query} ${bodyHash}`
}

/** The second of equal requests has `.2` in its name. */
function numberOf(name: string): number {
  return Number(/\.(\d+)\.tape\.jsonl$/.exec(name)?.[1] ?? 1)
}
