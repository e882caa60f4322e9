/** Solves linear equations such as `8x + 7 = -23` step by step. */

import type { ValuePlace } from '../../resources/json-schema.ts'
import { ownName } from './catalog.ts'
import type { Leaf } from './fields.ts'

interface Solution {
  readonly steps: readonly { readonly explanation: string; readonly output: string }[]
  /** Last line, such as `x = -15/4`. */
  readonly answer: string
  readonly value: number
}

/** Returns a source of steps and answers. It proposes nothing if the prompt has no linear equation. */
export function solutionOf(prompt: string, leaves: ReadonlyMap<string, Leaf>) {
  const solution = solve(prompt.slice(0, 3000))
  return (place: ValuePlace, key: string, leaf: Leaf | undefined): unknown => {
    if (!solution) return undefined
    if (place.type !== 'array') return leaf && partOf(solution, leaf, place)
    const isSteps =
      /step|work|reason/i.test(key) && [...leaves.keys()].some((each) => each.startsWith(`${key}/*`))
    return isSteps ? solution.steps.length : undefined
  }
}

/** Returns a step's explanation or output, or the answer. */
function partOf(
  { steps, answer, value }: Solution,
  leaf: Leaf,
  { path, type }: ValuePlace,
): string | number | undefined {
  const own = ownName(leaf)
  const isAnswer = /\b(?:answer|result|solution|value|x)$/.test(own) || answer.startsWith(`${own} =`)
  if (type === 'number' || type === 'integer') return isAnswer ? value : undefined
  if (type !== 'string') return undefined
  const step = leaf.isMany ? steps[path.findLast((each) => typeof each === 'number') ?? 0] : undefined
  const isReason = /\b(?:explanation|description|reason|reasoning|text|thoughts?|step|action|work)$/.test(own)
  if (step && leaf.key.endsWith('/*')) return `${step.explanation.replace(/\.$/, '')}: ${step.output}`
  if (step && isReason) return step.explanation
  if (step) return /output|result|equation|expression|math/.test(own) ? step.output : undefined
  if (isReason) return steps.map(({ explanation, output }) => `${explanation} ${output}.`).join(' ')
  return isAnswer ? answer : undefined
}

const number = '\\d{1,9}(?:\\.\\d{1,6})?'
// Further terms on either side, as in `2x + 3 = 7x - 2`, prevent a match.
const equation = new RegExp(
  `(?<![\\w.)]|[+*/^(-]\\s?)(-?)(${number})?\\s?\\*?\\s?([a-z])(?:\\s?([+-])\\s?(${number}))?\\s?=\\s?(-?${number})(?![\\w.]*\\d|\\s?[*/^+-]|\\s?\\(|[a-z]|\\s[a-z]\\b)`,
  'i',
)

function solve(text: string): Solution | undefined {
  const [whole, minus, factor = '1', name = 'x', sign = '', offset = '0', right = '0'] =
    equation.exec(text.replaceAll('−', '-')) ?? []
  return whole
    ? solveLinear(name, Number(`${minus}${factor}`), Number(`${sign}${offset}`), Number(right))
    : undefined
}

function solveLinear(name: string, factor: number, offset: number, right: number): Solution | undefined {
  if (factor === 0) return undefined
  const term = factor === 1 ? name : factor === -1 ? `-${name}` : `${factor}${name}`
  const rest = tidy(right - offset)
  const answer = `${name} = ${ratio(rest, factor)}`
  const moved = `${offset < 0 ? 'Add' : 'Subtract'} ${Math.abs(offset)} ${offset < 0 ? 'to' : 'from'} both sides.`
  const steps = [
    ...(offset === 0 ? [] : [{ explanation: moved, output: `${term} = ${rest}` }]),
    ...(factor === 1 ? [] : [{ explanation: `Divide both sides by ${factor}.`, output: answer }]),
  ]
  return { steps, answer, value: tidy(rest / factor) }
}

/** Returns a whole number, a fraction of whole numbers such as `-29/8`, or a decimal. */
function ratio(over: number, under: number): string {
  const value = tidy(over / under)
  if (Number.isInteger(value) || !Number.isInteger(over) || !Number.isInteger(under)) return String(value)
  const divisor = commonDivisor(Math.abs(over), Math.abs(under)) * Math.sign(under)
  return `${over / divisor}/${under / divisor}`
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}

/** Removes errors of binary fractions, such as in 0.1 + 0.2. */
function tidy(value: number): number {
  return Number(value.toFixed(6))
}
