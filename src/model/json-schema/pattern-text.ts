/**
 * Texts that a pattern may find: drawn part by part. Whether it does is for the judge to say, as what looks ahead, or
 * at the edges, is left to chance.
 */
import type { Budget } from './budget.ts'
import type { PatternNode } from './pattern.ts'

/**
 * @param draw Numbers in [0, 1).
 * @param extra How many rounds more than it must a repetition may take.
 */
export function textLike(pattern: PatternNode, draw: () => number, extra: number, budget: Budget): string {
  const captured = new Map<string, string>()
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(draw() * items.length)] as Item

  const write = (node: PatternNode): string => {
    budget.step()
    switch (node.kind) {
      case 'one': {
        budget.characters(1)
        if (node.candidates.length === 0)
          throw new Error('a class of its pattern has no character known here')
        const plain = node.candidates.filter((character) => /^[a-z\d]$/i.test(character))
        return pick(plain.length > 0 && draw() < 0.9 ? plain : node.candidates)
      }
      case 'all':
        return node.parts.map(write).join('')
      case 'any':
        return write(pick(node.options))
      case 'repeat': {
        const most = Math.min(node.max, node.min + extra)
        let text = ''
        for (let left = node.min + Math.floor(draw() * (most - node.min + 1)); left > 0; left--)
          text += write(node.part)
        return text
      }
      case 'group': {
        const text = write(node.part)
        for (const name of node.names) captured.set(name, text)
        return text
      }
      case 'same': {
        const text = captured.get(node.name) ?? ''
        budget.characters(text.length)
        return text
      }
      default:
        return ''
    }
  }
  return write(pattern)
}
