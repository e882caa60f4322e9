/**
 * Detects regular expressions that backtrack too much, using an upper bound on the number of steps. A loop
 * that can match the same text in two ways doubles the steps with each iteration, and a loop that can match
 * what follows it multiplies the steps by the length of the text. Assertions such as `\b` are assumed to hold.
 */
import regjsparser, { type AstNode, type Quantifier } from 'regjsparser'

/** Maximum number of steps per search: one or two seconds on worst-case input. */
const maxSteps = 1.5e8
/** Candidate limits for the length of searched text. The largest limit that stays within `maxSteps` is used. */
const textLengths = [1_000_000, 100_000, 5000, 100]
/** Maximum number of repetitions that are analysed one by one, as in `(?:25[0-5]|2\d\d){3}`. */
const maxCopies = 3
const maxVisits = 10_000
const syntax = { lookbehind: true, namedGroups: true, unicodePropertyEscape: true, modifiers: true } as const

type Node = AstNode<typeof syntax>

/** Possible next characters after a part of the expression, as bits, and the number of steps from there. */
interface Rest {
  readonly next: bigint
  readonly steps: number
}

const endBit = 1n
const end: Rest = { next: endBit, steps: 1 }

class Rejected extends Error {}

/** Returns the maximum length of text that an expression may search. Does not support the `v` flag. */
export function backtracking(
  { source, flags }: RegExp,
  leastText = 5000,
): { problem: string } | { maxText: number } {
  try {
    const root = regjsparser.parse(source, flags, syntax)
    const charactersOf = characterSets(source, flags)
    const starts = root.type === 'disjunction' ? root.body : [root]
    const isAnchored = !flags.includes('m') && starts.every(({ raw }) => raw.startsWith('^'))
    const steps = (length: number) => stepsOf(root, length, charactersOf) * (isAnchored ? 1 : length)
    const maxText = textLengths.find((length) => steps(length) <= maxSteps) ?? 0
    if (maxText >= leastText) return { maxText }
    const power = Math.floor(Math.log10(steps(leastText)))
    return {
      problem: `it may take 10^${power} steps on ${leastText} characters: use fewer repetitions that can match the same text`,
    }
  } catch (error) {
    // The other possible errors are a stack overflow, and syntax that the parser does not know.
    return { problem: error instanceof Rejected ? error.message : 'it is too complex to check' }
  }
}

function stepsOf(root: Node, length: number, charactersOf: (token: string) => bigint): number {
  let visits = 0

  const visit = (node: Node, rest: Rest, loop?: string): Rest => {
    if (++visits > maxVisits) throw new Rejected('it is too complex to check')
    switch (node.type) {
      case 'alternative':
        return sequence(node.body, rest, loop)
      case 'disjunction': {
        const options = node.body.map((option) => visit(option, rest, loop))
        return choose(options, loop)
      }
      case 'quantifier':
        return repeat(node, rest, loop)
      case 'anchor':
        return rest
      case 'reference':
        throw new Rejected(`the backreference ${node.raw} is not supported`)
      case 'group': {
        if (node.behavior === 'ignore' && node.modifierFlags)
          throw new Rejected('inline flags are not supported')
        if (node.behavior === 'normal' || node.behavior === 'ignore') return sequence(node.body, rest, loop)
        // A lookaround is tried in addition to what follows, in a loop at each position.
        const { steps } = sequence(node.body, end)
        return { ...rest, steps: rest.steps + steps * (loop === undefined ? 1 : length) }
      }
      default:
        return { ...rest, next: charactersOf(node.raw) }
    }
  }

  const sequence = (nodes: readonly Node[], rest: Rest, loop?: string): Rest =>
    nodes.reduceRight((following, node) => visit(node, following, loop), rest)

  const choose = (options: readonly Rest[], loop?: string): Rest => {
    const steps = options.map((option) => option.steps)
    const next = options.reduce((all, option) => all | option.next, 0n)
    const isDecided = decides(options, loop)
    return { next, steps: isDecided ? Math.max(...steps) : steps.reduce((sum, each) => sum + each, 0) }
  }

  /** Returns true if the next character leaves only one option. Throws if a loop has several options. */
  const decides = (options: readonly Rest[], loop?: string): boolean => {
    let before = 0n
    for (const { next } of options) {
      if ((before & next) !== 0n && loop === undefined) return false
      if ((before & next) !== 0n)
        throw new Rejected(
          `it may backtrack exponentially, because the repetition ${loop} can match the same text in several ways`,
        )
      before |= next
    }
    return true
  }

  const repeat = (quantifier: Quantifier<typeof syntax>, rest: Rest, loop?: string): Rest => {
    const { body, min, max = Infinity, raw } = quantifier
    const [part] = body
    let following = rest
    if (max <= maxCopies) {
      for (let copy = max; copy > 0; copy--) {
        const taken = visit(part, following, loop)
        following = copy > min ? choose([taken, rest], loop) : taken
      }
      return following
    }
    const first = visit(part, end)
    const next = first.next | rest.next
    const round = visit(part, { next, steps: 1 }, raw)
    const rounds = Math.min(max, length)
    const exits = max === min || decides([first, rest], loop) ? 1 : Math.max(1, rounds - min + 1)
    return {
      next: min > 0 ? round.next : next,
      steps: Math.max(round.steps, rounds) + exits * rest.steps,
    }
  }

  return visit(root, end).steps
}

/** Returns a function that maps a token to its characters, as a bit mask over sample characters. */
function characterSets(source: string, flags: string): (token: string) => bigint {
  const codes = Array.from(source, (each) => Number(each.codePointAt(0)))
  const escaped = source.matchAll(/\\(?:u\{?|x)([\da-f]+)/gi)
  for (const [, digits] of escaped) codes.push(Number(`0x${digits}`))
  const near = codes.flatMap((code) => [code - 1, code, code + 1])
  const sample = [...common, ...near.filter((code) => code >= 0 && code <= 0x10ffff)]
  const sets = new Map<string, bigint>()
  return (token) => {
    const known = sets.get(token)
    if (known !== undefined) return known
    const expression = new RegExp(`^(?:${token})$`, flags.replace(/[gmy]/g, ''))
    const bits = sample.map((code) => (expression.test(String.fromCodePoint(code)) ? '1' : '0')).join('')
    // A class without a sampled character may match any.
    const set = BigInt(`0b${bits}0`) || ~endBit
    sets.set(token, set)
    return set
  }
}

/** All characters below U+0600, such as Latin, Greek, Cyrillic and Hebrew, and a selection of the rest. */
const common = [
  ...Array.from({ length: 0x600 }, (_, code) => code),
  ...Array.from({ length: 1000 }, (_, index) => 0x600 + index * 61),
]
