/**
 * Regular expressions of schemas, read and matched here, because every step must be counted: the engine's own may take
 * years for thirty characters. Syntax and meaning are those of JavaScript with the flag `u`.
 */
import type { Budget } from './budget.ts'

export type PatternNode =
  | { kind: 'one'; test(character: string): boolean; candidates: readonly string[] }
  | { kind: 'all'; parts: readonly PatternNode[] }
  | { kind: 'any'; options: readonly PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; min: number; max: number }
  | { kind: 'group'; part: PatternNode; names: readonly string[] }
  | { kind: 'same'; name: string }
  | { kind: 'look'; part: PatternNode; behind: boolean; negated: boolean }
  | { kind: 'edge'; holds(text: readonly string[], at: number): boolean }

/** Reads a pattern. Throws a `SyntaxError` where it is none. */
export function parsePattern(source: string, budget: Budget): PatternNode {
  compiled(source)
  const characters = [...source]
  let at = 0
  let groups = 0

  const rest = (length: number) => characters.slice(at, at + length).join('')
  const take = (text: string) => {
    if (rest(text.length) !== text) return false
    at += text.length
    return true
  }
  const takeUntil = (end: string) => {
    const from = at
    while (at < characters.length && characters[at] !== end) at++
    return characters.slice(from, at++).join('')
  }

  /** Dear, as its characters are tried one by one. */
  const one = (source: string) => {
    budget.step(20)
    return anyOne(source)
  }

  const any = (): PatternNode =>
    budget.deeper(() => {
      const options = [all()]
      while (take('|')) options.push(all())
      return options.length === 1 ? (options[0] as PatternNode) : { kind: 'any', options }
    })

  const all = (): PatternNode => {
    const parts: PatternNode[] = []
    while (at < characters.length && characters[at] !== '|' && characters[at] !== ')') {
      budget.step()
      parts.push(quantified(atom()))
    }
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: 'all', parts }
  }

  const quantified = (part: PatternNode): PatternNode => {
    const bounds = quantifier()
    if (!bounds) return part
    take('?')
    return { kind: 'repeat', part, ...bounds }
  }

  const quantifier = (): { min: number; max: number } | undefined => {
    if (take('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (take('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (take('?')) return { min: 0, max: 1 }
    // No number that matters has more digits.
    const [whole, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(rest(40)) ?? []
    if (whole === undefined) return undefined
    at += whole.length
    const most = comma === '' ? min : max || Number.POSITIVE_INFINITY
    return { min: Number(min), max: Number(most) }
  }

  const atom = (): PatternNode => {
    if (take('(')) return group()
    if (take('^')) return { kind: 'edge', holds: (_, place) => place === 0 }
    if (take('$')) return { kind: 'edge', holds: (text, place) => place === text.length }
    if (take('.')) return one('.')
    if (take('[')) return characterClass()
    if (take('\\')) return escaped()
    return oneOf(characters[at++] as string)
  }

  const group = (): PatternNode => {
    const looks = ['?=', '?!', '?<=', '?<!'].find(take)
    if (looks) {
      const part = closed()
      return { kind: 'look', part, behind: looks.includes('<'), negated: looks.endsWith('!') }
    }
    if (take('?:')) return closed()
    const names = [String(++groups)]
    if (take('?<')) names.push(takeUntil('>'))
    else if (take('?')) throw new SyntaxError('groups with flags are not known here')
    return { kind: 'group', part: closed(), names }
  }

  const closed = (): PatternNode => {
    const part = any()
    take(')')
    return part
  }

  const characterClass = (): PatternNode => {
    const from = at - 1
    for (; characters[at] !== ']'; at++) if (characters[at] === '\\') at++
    at++
    return one(characters.slice(from, at).join(''))
  }

  const escaped = (): PatternNode => {
    if (take('b')) return { kind: 'edge', holds: isWordEdge }
    if (take('B')) return { kind: 'edge', holds: (text, place) => !isWordEdge(text, place) }
    if (take('k<')) return { kind: 'same', name: takeUntil('>') }
    const [number] = /^[1-9]\d*/.exec(rest(4)) ?? []
    if (number !== undefined && take(number)) return { kind: 'same', name: number }
    const [code = characters[at] as string] =
      /^(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]*\})/i.exec(rest(60)) ?? []
    at += [...code].length
    return one(`\\${code}`)
  }

  return any()
}

/** Whether a pattern is found anywhere in a text. */
export function matchesPattern(pattern: PatternNode, text: string, budget: Budget): boolean {
  const characters = [...text]
  const captured = new Map<string, readonly string[]>()
  type Next = (at: number) => boolean

  const run = (node: PatternNode, at: number, next: Next): boolean => {
    budget.step()
    switch (node.kind) {
      case 'one':
        return at < characters.length && node.test(characters[at] as string) && next(at + 1)
      case 'all':
        return inTurn(node.parts, 0, at, next)
      case 'any':
        return node.options.some((option) => budget.deeper(() => run(option, at, next)))
      case 'repeat':
        return node.part.kind === 'one' ? repeatOne(node.part, node, at, next) : repeat(node, 0, at, next)
      case 'group':
        return run(node.part, at, (end) => {
          const before = captured.get(node.names[0] as string)
          for (const name of node.names) captured.set(name, characters.slice(at, end))
          if (next(end)) return true
          for (const name of node.names) before ? captured.set(name, before) : captured.delete(name)
          return false
        })
      case 'same': {
        const wanted = captured.get(node.name) ?? []
        budget.step(wanted.length)
        return wanted.every((each, index) => characters[at + index] === each) && next(at + wanted.length)
      }
      case 'look':
        return looks(node, at) !== node.negated && next(at)
      case 'edge':
        return node.holds(characters, at) && next(at)
    }
  }

  const inTurn = (parts: readonly PatternNode[], index: number, at: number, next: Next): boolean => {
    const part = parts[index]
    if (!part) return next(at)
    return budget.deeper(() => run(part, at, (end) => inTurn(parts, index + 1, end, next)))
  }

  /** Without a level for each character. */
  const repeatOne = (
    part: PatternNode & { kind: 'one' },
    { min, max }: { min: number; max: number },
    at: number,
    next: Next,
  ): boolean => {
    let count = 0
    while (count < max && at + count < characters.length && part.test(characters[at + count] as string)) {
      budget.step()
      count++
    }
    for (; count >= min; count--) {
      budget.step()
      if (next(at + count)) return true
    }
    return false
  }

  const repeat = (node: PatternNode & { kind: 'repeat' }, count: number, at: number, next: Next): boolean => {
    const again = () =>
      run(node.part, at, (end) =>
        // A round that takes nothing can be had as often as is wanted.
        end > at ? repeat(node, count + 1, end, next) : count < node.min && next(end),
      )
    return (count < node.max && budget.deeper(again)) || (count >= node.min && next(at))
  }

  const looks = ({ part, behind }: PatternNode & { kind: 'look' }, at: number): boolean => {
    if (!behind) return run(part, at, () => true)
    for (let from = at; from >= 0; from--) if (run(part, from, (end) => end === at)) return true
    return false
  }

  for (let from = 0; from <= characters.length; from++) if (run(pattern, from, () => true)) return true
  return false
}

function isWordEdge(text: readonly string[], at: number): boolean {
  const isWord = (character = '') => /^\w$/.test(character)
  return isWord(text[at - 1]) !== isWord(text[at])
}

function oneOf(character: string): PatternNode {
  return { kind: 'one', test: (other) => other === character, candidates: [character] }
}

const printable = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index))

/** A class, a dot or an escape: one character, which the engine's own expression judges in one step. */
function anyOne(source: string): PatternNode {
  const expression = compiled(`^${source}$`)
  const test = (character: string) => expression.test(character)
  const named = source.replace(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/gi, (_, ...codes) =>
    String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(codes.find(Boolean), 16))),
  )
  return { kind: 'one', test, candidates: [...new Set([...printable, ...named, '\t', '\n'])].filter(test) }
}

function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}
