/**
 * The one rule by which tokens are counted, in what is read, in what is written and in the deltas of a stream:
 *
 * A token is up to eight characters of one kind, together with the one space before them. The kinds are letters
 * and digits; white space; and everything else, where `[` begins a new token. A Markdown link is one token as a
 * whole, so that no cut and no delta ever falls inside a link.
 *
 * A character is what a person sees as one (a grapheme cluster): tokens never split an emoji, nor a letter from
 * its accent. Joined, the tokens of a text are the text.
 */

/** A link whose address may hold brackets one level deep, as some encyclopedias' do. */
const linkHere = / ?\[[^[\]\r\n]{1,200}\]\((?:[^\s()]|\([^\s()]*\))+\)/y

const maxCharacters = 8

/** Tells the tokens of a text, each when it is asked for. */
export class Tokenizer {
  readonly #characters: Characters
  #at = 0

  constructor(text: string) {
    this.#characters = new Characters(text)
  }

  /** Undefined at the end. */
  next(): string | undefined {
    const { text } = this.#characters
    const start = this.#at
    if (start >= text.length) return undefined
    this.#at = tokenEnd(this.#characters, start)
    return text.slice(start, this.#at)
  }
}

export function tokenize(text: string): readonly string[] {
  const tokenizer = new Tokenizer(text)
  const tokens: string[] = []
  for (let token = tokenizer.next(); token !== undefined; token = tokenizer.next()) tokens.push(token)
  return tokens
}

/** How many tokens a text has. */
export function countTokens(text: string): number {
  const characters = new Characters(text)
  let count = 0
  for (let at = 0; at < text.length; count++) at = tokenEnd(characters, at)
  return count
}

function tokenEnd(characters: Characters, at: number): number {
  return linkEnd(characters, at) ?? runEnd(characters, at)
}

/** Where a link that starts here ends, if one does, and ends with a whole character. */
function linkEnd(characters: Characters, at: number): number | undefined {
  const { text } = characters
  const code = text.charCodeAt(at)
  if (code !== bracket && (code !== blank || text.charCodeAt(at + 1) !== bracket)) return undefined
  linkHere.lastIndex = at
  if (!linkHere.test(text)) return undefined
  let end = at
  while (end < linkHere.lastIndex) end = characters.end(end)
  return end === linkHere.lastIndex ? end : undefined
}

function runEnd(characters: Characters, at: number): number {
  const { text } = characters
  const next = characters.end(at)
  const isBlank = text.charCodeAt(at) === blank && next === at + 1 && next < text.length
  const first = isBlank && characters.kind(next) !== 'space' ? next : at
  const kind = characters.kind(first)
  let end = characters.end(first)
  for (let count = 1; count < maxCharacters && end < text.length; count++) {
    if (text.charCodeAt(end) === bracket || characters.kind(end) !== kind) break
    end = characters.end(end)
  }
  return end
}

const blank = 0x20
const bracket = 0x5b

type Kind = 'word' | 'space' | 'other'

/** The characters of a text, each by the place where it starts. */
class Characters {
  readonly text: string
  /** Only ASCII, and no CR LF: each unit is a character. Most texts are; with a segmenter they take ten times as long. */
  readonly #isPlain: boolean
  readonly #asciiKinds: readonly Kind[]
  #segments: Intl.Segments | undefined

  constructor(text: string) {
    this.text = text
    this.#isPlain = !/[\r\u0080-\uffff]/.test(text)
    this.#asciiKinds = kindsOfAscii()
  }

  end(at: number): number {
    return this.#isPlain ? at + 1 : this.#clusterEnd(at)
  }

  kind(at: number): Kind {
    if (this.#isPlain) return this.#asciiKinds[this.text.charCodeAt(at)] as Kind
    return readKind(this.text.slice(at, this.#clusterEnd(at)))
  }

  #clusterEnd(at: number): number {
    this.#segments ??= segmenter().segment(this.text)
    return at + (this.#segments.containing(at)?.segment.length ?? 1)
  }
}

let segmenterMade: Intl.Segmenter | undefined

/** Made for the first text that needs it: it loads tables of its own. */
function segmenter(): Intl.Segmenter {
  segmenterMade ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenterMade
}

function readKind(character: string): Kind {
  if (/^\s+$/.test(character)) return 'space'
  return /^[\p{L}\p{N}]/u.test(character) ? 'word' : 'other'
}

let asciiKinds: readonly Kind[] | undefined

/** Made for the first text: the expression takes 3 ms, which no import should. */
function kindsOfAscii(): readonly Kind[] {
  asciiKinds ??= Array.from({ length: 0x80 }, (_, code) => readKind(String.fromCharCode(code)))
  return asciiKinds
}
