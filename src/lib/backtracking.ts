/**
 * Detects regular expressions that backtrack too much. The engine tries one match path after another, so the number of
 * paths that match the same text bounds its work.
 *
 * The expression is compiled to a Glushkov automaton, which has one state per character in the expression. If two
 * paths through a loop match the same text, the work doubles with each iteration. Otherwise, it is polynomial in the
 * length of the text. Assertions (`^`, `\b`) are assumed to hold, and `{2,5}` is read as `{2,}`, so the result is an
 * upper bound.
 */

/** Maximum number of steps per search: up to a second on worst-case input. */
const maxSteps = 1.5e8
/** Steps charged for each copy of a character in a counted repetition. */
const copySteps = 5
/** Candidate limits for the length of searched text. Uses the largest one that stays within `maxSteps`. */
const textLengths = [1_000_000, 100_000, 5000]
const maxStates = 4000
const maxPairs = 200_000

const quantifier = /[*+?]\??|\{\d+(?:,\d*)?\}\??/
const group = /\((?:\?(?::|<?[=!]|<[^>]*>)?)?|[)|]/
const character =
  /\[(?:\\.|[^\]\\])*\]|\\(?:u[dD][89abAB]..\\u[dD]...|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|k<[^>]*>|.)|./
const token = new RegExp(`${quantifier.source}|${group.source}|${character.source}`, 'gsu')

/**
 * Returns the maximum length of text that a valid expression may search, or the reason for rejecting the expression.
 * Does not support the `v` flag.
 */
export function backtracking({ source, flags }: RegExp): { problem: string } | { maxText: number } {
  const tokens = Array.from(source.matchAll(token), ([text]) => text)
  const unsupported = tokens.find((token) => token === '(?' || /^\\(?:[1-9]|k)/.test(token))
  if (unsupported === '(?') return { problem: 'inline flags are not supported' }
  if (unsupported) return { problem: `the backreference ${unsupported} is not supported` }
  const automaton = build(tokens)
  if (!automaton) return { problem: `its repetitions expand to more than ${maxStates} characters` }
  const work = stepsOf(automaton, overlaps(automaton.states, flags.replace(/[gmy]/g, '')))
  if (typeof work === 'string') return { problem: work }
  const isAnchored = tokens[0] === '^' && !tokens.includes('|') && !flags.includes('m')
  const steps = (length: number) => work(length) * (isAnchored ? 1 : length)
  const maxText = textLengths.find((length) => steps(length) <= maxSteps)
  if (maxText !== undefined) return { maxText }
  const power = Math.floor(Math.log10(steps(5000)))
  return {
    problem: `it may take 10^${power} steps on 5000 characters: use fewer repetitions that can match the same text`,
  }
}

/** Number of paths to each state. */
type States = Map<number, number>

interface Part {
  readonly first: States
  readonly last: States
  /** Number of ways to match the empty string. */
  readonly empty: number
}

interface Automaton {
  /** Token that each state matches: a character, an escape or a class. */
  readonly states: readonly string[]
  readonly next: readonly States[]
  readonly first: States
  /** States added by counted repetitions. */
  readonly copies: ReadonlySet<number>
}

const tooLarge = new RangeError('too large')
const nothing: Part = { first: new Map(), last: new Map(), empty: 1 }

/** Builds the automaton. Returns undefined if it has too many states. */
function build(tokens: readonly string[]): Automaton | undefined {
  const states: string[] = []
  const next: States[] = []
  const copies = new Set<number>()
  let at = 0
  let atoms = 0
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
  const alternatives = (): Part => {
    let part = sequence()
    while (tokens[at] === '|') {
      at++
      const other = sequence()
      add(part.first, other.first)
      add(part.last, other.last)
      part = { ...part, empty: part.empty + other.empty }
    }
    return part
  }
  const sequence = (): Part => {
    let part: Part = { first: new Map(), last: new Map(), empty: 1 }
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') part = inTurn(part, quantified())
    return part
  }
  const atom = (): Part => {
    const token = tokens[at++] as string
    // Groups count, too, because `(){1000000000}` has no states.
    if (states.length >= maxStates || ++atoms > 2 * maxStates) throw tooLarge
    if (/^(?:[\^$]|\\[bB])$/.test(token)) return nothing
    if (token.startsWith('(')) {
      const part = alternatives()
      at++
      // A lookaround is tried in addition to what follows it, and never continues.
      return /[=!]$/.test(token) ? { first: part.first, last: new Map(), empty: 1 } : part
    }
    const one = new Map([[states.push(token) - 1, 1]])
    next.push(new Map())
    return { first: one, last: one, empty: 0 }
  }
  const quantified = (): Part => {
    const start = at
    let copy = atom()
    const [token, sign, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(tokens[at] ?? '') ?? []
    if (token === undefined) return copy
    const end = at + 1
    const min = sign ? Number(sign === '+') : Number(least)
    const max = sign ? (sign === '?' ? 1 : Infinity) : Number(comma ? most || Infinity : least)
    let all = copy
    for (let round = 1; round < min; round++) {
      at = start
      const from = states.length
      copy = atom()
      for (let state = from; state < states.length; state++) copies.add(state)
      all = inTurn(all, copy)
    }
    at = end
    if (max > Math.max(min, 1)) link(copy.last, copy.first)
    // A repetition stops at an empty iteration, so it can match the empty string in only one way.
    return min === 0 ? { ...all, empty: 1 } : all
  }
  try {
    return { first: alternatives().first, states, next, copies }
  } catch (error) {
    // The other possible error is a stack overflow.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function add(into: States, from: States, times = 1): States {
  if (times > 0) for (const [state, ways] of from) into.set(state, (into.get(state) ?? 0) + ways * times)
  return into
}

type Overlap = (left: number, right: number) => boolean

/** Returns a predicate for pairs of states that match a common character, based on a sample of characters. */
function overlaps(states: readonly string[], flags: string): Overlap {
  const kinds = [...new Set(states)]
  const codes = kinds.flatMap((kind) => [
    ...Array.from(kind, (each) => each.codePointAt(0) as number),
    ...Array.from(kind.matchAll(/\\(?:u\{?|x)([\da-f]+)/gi), ([, digits]) =>
      Number.parseInt(digits as string, 16),
    ),
  ])
  const near = codes
    .flatMap((code) => [code - 1, code, code + 1])
    .filter((code) => code >= 0 && code <= 0x10ffff)
  const sample = Array.from(new Set([...common, ...near]), (code) => String.fromCodePoint(code))
  const read = kinds.map((kind) => {
    const expression = new RegExp(`^${/^[\])}{]$/.test(kind) ? `\\${kind}` : kind}$`, flags)
    return new Set(sample.filter((each) => expression.test(each)))
  })
  // A class without a sampled character may match any.
  const table = read.map((left) =>
    read.map((right) => left.size === 0 || right.size === 0 || [...left].some((each) => right.has(each))),
  )
  const kindOf = states.map((state) => kinds.indexOf(state))
  return (left, right) => table[kindOf[left] as number]?.[kindOf[right] as number] as boolean
}

/** Sample characters: all below U+0600, such as Latin, Greek, Cyrillic and Hebrew, and a selection of the rest. */
const common = [
  ...Array.from({ length: 0x600 }, (_, code) => code),
  ...Array.from({ length: 1000 }, (_, index) => 0x600 + index * 61),
  ...[0x2028, 0x2029, 0x202f, 0x3000, 0xfeff, 0x1f600],
]

/** Returns the number of steps as a function of text length, or the reason for rejecting the expression. */
function stepsOf(
  { states, next, first, copies }: Automaton,
  overlap: Overlap,
): string | ((length: number) => number) {
  const inOrder = componentsOf(next)
  const components: (readonly number[])[] = []
  for (const component of inOrder) for (const state of component) components[state] = component
  const isLoop = (state: number) =>
    (components[state] as readonly number[]).length > 1 || (next[state] as States).has(state)
  /** Transitions from a state that stay in its loop. */
  const inside = (state: number) =>
    [...(next[state] as States)].filter(([to]) => isLoop(state) && components[to] === components[state])
  const together = states.map((_, state) => new Set([state]))
  const queue = states.flatMap((_, state) => (isLoop(state) ? [[state, state] as const] : []))
  for (const [left, right] of queue) {
    for (const [to, ways] of inside(left)) {
      for (const [other] of inside(right)) {
        if (!overlap(to, other)) continue
        const isSame = to === other
        if (isSame && (left !== right || ways > 1))
          return `it backtracks exponentially, because nested or overlapping repetitions of '${states[to]}' can match the same text in several ways: repeat it in one place only, as in ${states[to]}+`
        if (isSame || together[to]?.has(other)) continue
        together[to]?.add(other)
        if (queue.push([to, other]) > maxPairs) return 'it is too complex to check'
      }
    }
  }
  return (length) => {
    const work: number[] = []
    /** Returns the largest total work for states that match a common character. */
    const worst = (to: readonly (readonly [number, number])[]): number => {
      const sums = to.map(([state]) =>
        to.reduce(
          (sum, [each, ways]) => (overlap(state, each) ? sum + ways * (work[each] as number) : sum),
          0,
        ),
      )
      return Math.max(1, ...sums)
    }
    // Components are in reverse topological order.
    for (const component of inOrder) {
      const [state] = component as [number]
      const exits = component.flatMap((from) => {
        const staying = [...(together[from] as Set<number>)].flatMap(inside)
        return [...(next[from] as States)].flatMap(([to, ways]) => {
          if (components[to] === component) return []
          // A loop can exit after any iteration if it can also match what follows.
          return [[to, staying.some(([inner]) => overlap(inner, to)) ? ways * length : ways] as const]
        })
      })
      const total = worst(exits) + (isLoop(state) ? length : copies.has(state) ? copySteps : 0)
      for (const member of component) work[member] = total
    }
    return worst([...first])
  }
}

/** Groups mutually reachable states, last to first. A back edge joins all states between its ends. */
function componentsOf(next: readonly States[]): number[][] {
  const components: number[][] = []
  let least = Infinity
  for (const [state, to] of [...next.entries()].reverse()) {
    if (state < least) components.push([])
    components.at(-1)?.push(state)
    least = Math.min(state, least, ...to.keys())
  }
  return components
}
