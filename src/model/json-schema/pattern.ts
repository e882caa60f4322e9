/**
 * Simple regular expressions in schemas: characters, classes, `.`, escapes, groups, alternatives, repetitions, `^`
 * and `$`, with JavaScript's syntax and semantics. Lookarounds, backreferences, `\b` and groups with flags are not
 * supported. Matching tracks all possibilities in parallel, because JavaScript's own engine can take years for 30
 * characters.
 */
import { tokensOf } from '../../lib/backtracking.ts'
import type { Budget } from './budget.ts'

type Random = () => number

export interface Pattern {
  /** Returns a string that matches the pattern, ignoring its anchors. */
  write(random: Random, maxExtraRounds: number): string
  /** Returns true if the pattern matches anywhere in the text. */
  test(text: string): boolean
}

/** A node of the parsed pattern. */
interface Part {
  write(random: Random, maxExtraRounds: number): string
  /** Returns all end positions of matches that start at one of the given positions. */
  ends(text: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number>
}

/** Parses a pattern. Returns undefined if it is not simple. Throws a `SyntaxError` if it is invalid. */
export function readPattern(source: string, budget: Budget): Pattern | undefined {
  compiled(source)
  const part = parse(tokensOf(source), budget)
  return (
    part && {
      write: part.write,
      test(text) {
        const characters = [...text]
        return part.ends(characters, new Set([...characters.keys(), characters.length])).size > 0
      },
    }
  )
}

function parse(tokens: readonly string[], budget: Budget): Part | undefined {
  if (tokens.some((token) => token === '(?' || /^\\(?:[bB1-9]|k)/.test(token))) return undefined
  let at = 0
  const alternatives = (): Part =>
    budget.deeper(() => {
      const options = [sequence()]
      for (; tokens[at] === '|'; options.push(sequence())) at++
      return anyOf(options)
    })
  const sequence = (): Part => {
    const parts: Part[] = []
    for (let token = tokens[at]; token !== undefined && token !== '|' && token !== ')'; token = tokens[at]) {
      at++
      parts.push(quantified(atom(token)))
    }
    return sequenceOf(parts)
  }
  const atom = (token: string): Part => {
    if (token === '^') return anchor((at) => at === 0)
    if (token === '$') return anchor((at, length) => at === length)
    if (!token.startsWith('(')) return character(token, budget)
    const inner = alternatives()
    at++
    return inner
  }
  const quantified = (part: Part): Part => {
    const [rounds, sign, min, comma, max] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(tokens[at] ?? '') ?? []
    if (rounds === undefined) return part
    at++
    if (sign) return repeated(part, sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity, budget)
    return repeated(part, Number(min), Number(comma ? max || Infinity : min), budget)
  }
  return alternatives()
}

function sequenceOf(parts: readonly Part[]): Part {
  return {
    write: (random, extra) => parts.map((part) => part.write(random, extra)).join(''),
    ends: (text, starts) => parts.reduce((places, part) => part.ends(text, places), starts),
  }
}

function anyOf(options: readonly Part[]): Part {
  return {
    write: (random, extra) => pick(options, random).write(random, extra),
    ends: (text, starts) => new Set(options.flatMap((option) => [...option.ends(text, starts)])),
  }
}

function anchor(isEdge: (at: number, length: number) => boolean): Part {
  return {
    write: () => '',
    ends: (text, starts) => new Set([...starts].filter((at) => isEdge(at, text.length))),
  }
}

function repeated(part: Part, min: number, max: number, budget: Budget): Part {
  return {
    write(random, extra) {
      let text = ''
      const rounds = min + Math.floor(random() * (Math.min(max - min, extra) + 1))
      for (let round = 0; round < rounds; round++) {
        budget.step()
        text += part.write(random, extra)
      }
      return text
    },
    ends(text, starts) {
      const ends = new Set(min === 0 ? starts : [])
      let places = starts
      for (let round = 1; round <= max && places.size > 0; round++) {
        budget.step(places.size)
        const next = part.ends(text, places)
        // Rounds that match nothing can be repeated as often as needed.
        const isEnough =
          round >= min || (next.size === places.size && [...next].every((at) => places.has(at)))
        places = isEnough ? new Set([...next].filter((at) => !ends.has(at))) : next
        if (isEnough) for (const at of places) ends.add(at)
      }
      return ends
    },
  }
}

const printable = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index))

/**
 * Matches one character. Leaves classes and escapes to JavaScript's engine, which evaluates them in a single step.
 */
function character(source: string, budget: Budget): Part {
  const isLiteral = [...source].length === 1 && source !== '.'
  const expression = compiled(isLiteral ? '' : `^${source}$`)
  const test = (each: string) => (isLiteral ? each === source : expression.test(each))
  const named = source.replace(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/gi, (_, ...codes) =>
    String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(codes.find(Boolean), 16))),
  )
  budget.step(20)
  const candidates = [...new Set([...printable, ...named, '\t', '\n'])].filter(test)
  const plain = candidates.filter((each) => /^[a-z\d]$/i.test(each))
  return {
    write(random) {
      return pick(plain.length > 0 && random() < 0.9 ? plain : candidates, random) ?? ''
    },
    ends(text, starts) {
      budget.step(starts.size)
      const matched = [...starts].filter((at) => text[at] !== undefined && test(text[at]))
      return new Set(matched.map((at) => at + 1))
    },
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item
}

function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}
