/**
 * Finds regular expressions that JavaScript's engine may take too long for. It tries one way to match after another,
 * so the work for a text is the number of ways in which the expression can read it.
 *
 * The expression becomes an automaton with one state for each character that it names (Glushkov). Two ways through a
 * loop that read the same text double the work with each round; otherwise the work is at most the sum over the ways out
 * of each state. Boundaries (`^`, `\b`) are taken as met: the result is an upper bound.
 */

/** Steps that a search may take: at most half a second, on a text that is made for it. */
const maxSteps = 6e7
/** Steps of a state that a counted repetition writes out: the engine counts, and a way passes many of them. */
const copySteps = 5
/** Characters that an expression searches: as many as its work allows, and the last at least. */
const lengths = [1_000_000, 100_000, 20_000, 5000]
/** Counted repetitions are written out. */
const maxStates = 4000
const maxPairs = 200_000

export type Backtracking = { readonly problem: string } | { readonly maxText: number }

const quantifier = /[*+?]\??|\{\d+(?:,\d*)?\}\??/
const group = /\((?:\?(?::|<[^=!][^>]*>)?)?|[)|]/
const character =
  /\[(?:\\.|[^\]\\])*\]|\\(?:u[dD][89abAB]..\\u[dD]...|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|k<[^>]*>|.)|./
/** The tokens of a regular expression without the flag `v`. */
export const regExpTokens = new RegExp(`${quantifier.source}|${group.source}|${character.source}`, 'gsu')

/** Returns how long a text the expression can search, or why it cannot be used. It must be valid. */
export function backtracking({ source, flags }: RegExp): Backtracking {
  const tokens: readonly string[] = source.match(regExpTokens) ?? []
  const unknown = tokens.find((token) => token === '(?' || /^\\(?:[1-9]|k)/.test(token))
  if (unknown === '(?')
    return { problem: 'it has a look-around or flags of a group, which rules cannot check' }
  if (unknown) return { problem: `${unknown} refers to a group, which rules cannot check` }
  const automaton = build(tokens)
  if (!automaton) return { problem: `its repetitions write out to more than ${maxStates} characters` }
  const overlap = overlaps(automaton.states, flags.replace(/[gmy]/g, ''))
  const work = stepsOf(automaton, overlap)
  if (typeof work === 'string') return { problem: work }
  const isAnchored = tokens[0] === '^' && !tokens.includes('|') && !flags.includes('m')
  const steps = (length: number) => work(length) * (isAnchored ? 1 : length)
  const maxText = lengths.find((length) => steps(length) <= maxSteps)
  if (maxText !== undefined) return { maxText }
  const shortest = lengths.at(-1) as number
  const power = Math.floor(Math.log10(steps(shortest)))
  return {
    problem: `it may take 10^${power} steps to match ${shortest} characters: repeat fewer parts that can match the same text`,
  }
}

/** How often each state is reached. */
type States = Map<number, number>

interface Part {
  readonly first: States
  readonly last: States
  /** In how many ways it matches nothing. */
  readonly empty: number
}

interface Automaton {
  /** What each state reads: a character, an escape or a class. */
  readonly states: readonly string[]
  readonly next: readonly States[]
  readonly first: States
  /** States that a counted repetition writes out. */
  readonly copies: ReadonlySet<number>
}

/** Undefined where there are too many states. */
function build(tokens: readonly string[]): Automaton | undefined {
  const states: string[] = []
  const next: States[] = []
  const copies = new Set<number>()
  let at = 0
  const link = (from: States, to: States) => {
    for (const [state, ways] of from) add(next[state] as States, to, ways)
  }
  const inTurn = (left: Part, right: Part): Part => {
    link(left.last, right.first)
    return {
      first: add(new Map(left.first), right.first, left.empty),
      last: add(new Map(right.last), left.last, right.empty),
      empty: left.empty * right.empty,
    }
  }
  const either = (left: Part, right: Part): Part => ({
    first: add(new Map(left.first), right.first),
    last: add(new Map(left.last), right.last),
    empty: left.empty + right.empty,
  })
  const alternatives = (): Part => {
    let part = sequence()
    while (tokens[at] === '|') {
      at++
      part = either(part, sequence())
    }
    return part
  }
  const sequence = (): Part => {
    let part = nothing
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') part = inTurn(part, quantified())
    return part
  }
  const atom = (): Part => {
    const token = tokens[at++] as string
    if (/^(?:[\^$]|\\[bB])$/.test(token)) return nothing
    if (token.startsWith('(')) {
      const part = alternatives()
      at++
      return part
    }
    if (states.length >= maxStates) throw tooLarge
    const one = new Map([[states.push(token) - 1, 1]])
    next.push(new Map())
    return { first: one, last: one, empty: 0 }
  }
  const quantified = (): Part => {
    const start = at
    const part = atom()
    const [token, sign, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(tokens[at] ?? '') ?? []
    if (token === undefined) return part
    const end = at + 1
    const min = sign ? Number(sign === '+') : Number(least)
    const max = sign ? (sign === '?' ? 1 : Infinity) : Number(comma ? most || Infinity : least)
    /** The same part once more, with states of its own. */
    const again = (): Part => {
      at = start
      const from = states.length
      const copy = atom()
      for (let state = from; state < states.length; state++) copies.add(state)
      return copy
    }
    const rest = (left: number, first?: Part): Part => {
      if (left === 0) return nothing
      const once = first ?? again()
      if (left === Infinity) link(once.last, once.first)
      return optional(left === Infinity ? once : inTurn(once, rest(left - 1)))
    }
    let all = min > 0 ? part : rest(max, part)
    for (let round = 1; round < min; round++) all = inTurn(all, again())
    if (min > 0) all = inTurn(all, rest(max - min))
    at = end
    return all
  }
  try {
    return { first: alternatives().first, states, next, copies }
  } catch (error) {
    if (error === tooLarge || error instanceof RangeError) return undefined
    throw error
  }
}

const tooLarge = new Error('too large')
const nothing: Part = { first: new Map(), last: new Map(), empty: 1 }

/** A repetition ends at a round that matches nothing: that is one way, however many the part has. */
function optional(part: Part): Part {
  return { ...part, empty: 1 }
}

function add(into: States, from: States, times = 1): States {
  if (times > 0) for (const [state, ways] of from) into.set(state, (into.get(state) ?? 0) + ways * times)
  return into
}

type Overlap = (left: number, right: number) => boolean

/** Whether two states read a common character: JavaScript's engine decides, on a sample of characters. */
function overlaps(states: readonly string[], flags: string): Overlap {
  const kinds = [...new Set(states)]
  const named = kinds.flatMap((kind) => [...kind].map((each) => each.codePointAt(0) as number))
  const codes = kinds.flatMap((kind) =>
    [...kind.matchAll(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/gi)].map(([, ...found]) =>
      Math.min(0x10ffff, Number.parseInt(found.find(Boolean) as string, 16)),
    ),
  )
  const near = [...named, ...codes].flatMap((code) => [code - 1, code, code + 1])
  const sample = [...new Set([...common, ...near.filter((code) => code >= 0 && code <= 0x10ffff)])].map(
    (code) => String.fromCodePoint(code),
  )
  const read = kinds.map((kind) => {
    const expression = new RegExp(`^${/^[\])}{]$/.test(kind) ? `\\${kind}` : kind}$`, flags)
    return new Set(sample.filter((each) => expression.test(each)))
  })
  const table = read.map((left) =>
    read.map((right) => left.size === 0 || right.size === 0 || [...left].some((each) => right.has(each))),
  )
  const kindOf = states.map((state) => kinds.indexOf(state))
  return (left, right) => table[kindOf[left] as number]?.[kindOf[right] as number] as boolean
}

/** Latin, Greek, Cyrillic, Hebrew and Arabic, spaces, and some of everything else. */
const common = [
  ...Array.from({ length: 0x600 }, (_, code) => code),
  ...Array.from({ length: 1000 }, (_, index) => 0x600 + index * 61).filter(
    (code) => code < 0xd800 || code > 0xdfff,
  ),
  ...[0x2028, 0x2029, 0x202f, 0x3000, 0xfeff, 0x1f600],
]

/** The work for a text by its length; a reason where it doubles with each round. */
function stepsOf(
  { states, next, first, copies }: Automaton,
  overlap: Overlap,
): string | ((length: number) => number) {
  const inOrder = componentsOf(next)
  const components: (readonly number[])[] = []
  for (const component of inOrder) for (const state of component) components[state] = component
  const isLoop = (state: number) =>
    (components[state] as readonly number[]).length > 1 || (next[state] as States).has(state)
  /** The ways on that stay in the loop of a state. */
  const inside = (state: number) =>
    [...(next[state] as States)].filter(([to]) => isLoop(state) && components[to] === components[state])
  const together = new Map<number, Set<number>>(states.map((_, state) => [state, new Set([state])]))
  let pairs = 0
  const queue = states.flatMap((_, state) => (isLoop(state) ? [[state, state] as const] : []))
  for (const [left, right] of queue) {
    for (const [to, ways] of inside(left)) {
      for (const [other] of inside(right)) {
        if (!overlap(to, other)) continue
        const isSame = to === other
        if (isSame && (left !== right || ways > 1))
          return `it backtracks without end: a repetition with ${states[to]} can read the same text in two ways`
        if (isSame || together.get(to)?.has(other)) continue
        if (++pairs > maxPairs) return 'it is too complex to be checked'
        together.get(to)?.add(other)
        queue.push([to, other])
      }
    }
  }
  return (length) => {
    const work: number[] = []
    /** Of the states that read a common character, those with the most work. */
    const worst = (to: readonly (readonly [number, number])[]): number => {
      const each = to.map(([state, ways]) => [state, ways * (work[state] as number)] as const)
      const sums = each.map(([state]) =>
        each.reduce((sum, [other, cost]) => (overlap(state, other) ? sum + cost : sum), 0),
      )
      return Math.max(1, ...sums)
    }
    /** It may be left after every round, where what follows can also be read by the loop. */
    const loop = (component: readonly number[]): number => {
      const exits = component.flatMap((from) => {
        const staying = [...(together.get(from) as Set<number>)].flatMap(inside)
        return [...(next[from] as States)].flatMap(([to, ways]) => {
          if (components[to] === component) return []
          return [[to, staying.some(([inner]) => overlap(inner, to)) ? ways * length : ways] as const]
        })
      })
      return length + worst(exits)
    }
    // Components come after those that they lead to.
    for (const component of inOrder) {
      const [state] = component as [number]
      const total = isLoop(state)
        ? loop(component)
        : (copies.has(state) ? copySteps : 0) + worst([...(next[state] as States)])
      for (const member of component) work[member] = total
    }
    return worst([...first])
  }
}

/** States that reach each other, from the last to the first: a way back makes one loop of all states between. */
function componentsOf(next: readonly States[]): number[][] {
  const components: number[][] = []
  let least = Infinity
  for (const [state, to] of [...next.entries()].reverse()) {
    if (state < least) components.push([])
    components.at(-1)?.push(state)
    least = Math.min(state < least ? state : least, ...to.keys())
  }
  return components
}
