/** Solves linear equations such as `8x + 31 = 2`, and computes arithmetic such as `12 * 4`, step by step. */

import type { ValuePlace } from '../../resources/json-schema.ts'
import { ownName } from './catalog.ts'
import type { Leaf } from './fields.ts'

interface Solution {
  readonly steps: readonly { readonly explanation: string; readonly output: string }[]
  readonly answer: string
}

/** Returns a source for steps and answers, which is empty if the prompt has no exercise. */
export function solutionOf(prompt: string, leaves: ReadonlyMap<string, Leaf>) {
  const solution = solve(prompt)
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
  { steps, answer }: Solution,
  leaf: Leaf,
  { path, type }: ValuePlace,
): string | number | undefined {
  const own = ownName(leaf)
  const value = answer.replace(/^.*= /, '')
  const isAnswer = /\b(?:answer|result|solution|value|sum|total|count|number|x)$/.test(own)
  if (type === 'number' || type === 'integer')
    return isAnswer && /^-?[\d.]+$/.test(value) ? Number(value) : undefined
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
const equation = new RegExp(
  `(?<![\\w.])(-?)(${number})?\\s?\\*?\\s?([a-z])(?:\\s?([+-])\\s?(${number}))?\\s?=\\s?(-?${number})(?![\\w.]*\\d)`,
  'i',
)
const sum = new RegExp(
  `(-?${number})\\s?(\\+|-|−|\\*|×|x|/|÷|plus|minus|times|multiplied by|divided by)\\s?(-?${number})`,
  'i',
)

function solve(prompt: string): Solution | undefined {
  const text = prompt.slice(0, 3000)
  const [, letter = '', word = ''] =
    /\bhow many ([a-z])['’]?s?\b.{0,20}? in (?:the word )?["'“]?(\p{L}{3,})/iu.exec(text) ?? []
  if (letter) return countLetters(letter, word)
  const [whole, minus, factor = '1', name = 'x', sign, offset = '0', right = '0'] = equation.exec(text) ?? []
  if (whole)
    return solveLinear(name, Number(`${minus}${factor}`), Number(`${sign ?? '+'}${offset}`), Number(right))
  const [, first = '0', operator, second = '0'] = sum.exec(text) ?? []
  return operator ? compute(Number(first), operator.toLowerCase(), Number(second)) : undefined
}

function solveLinear(name: string, factor: number, offset: number, right: number): Solution | undefined {
  if (factor === 0) return undefined
  const term = factor === 1 ? name : factor === -1 ? `-${name}` : `${factor}${name}`
  const rest = tidy(right - offset)
  const answer = `${name} = ${ratio(rest, factor)}`
  const moved = `${offset < 0 ? 'Add' : 'Subtract'} ${Math.abs(offset)} ${offset < 0 ? 'to' : 'from'} both sides.`
  return {
    steps: [
      ...(offset === 0 ? [] : [{ explanation: moved, output: `${term} = ${rest}` }]),
      ...(factor === 1 ? [] : [{ explanation: `Divide both sides by ${factor}.`, output: answer }]),
    ],
    answer,
  }
}

function countLetters(letter: string, word: string): Solution {
  const count = word.toLowerCase().split(letter.toLowerCase()).length - 1
  const spelled = [...word].join('-')
  return {
    steps: [
      { explanation: `Spell the word: ${spelled}.`, output: `The letter "${letter}" occurs ${count} times` },
    ],
    answer: String(count),
  }
}

/** Returns a whole number, or a fraction such as `-29/8`. */
function ratio(over: number, under: number): string {
  const value = tidy(over / under)
  if (Number.isInteger(value) || !Number.isInteger(over) || !Number.isInteger(under)) return String(value)
  const divisor = commonDivisor(Math.abs(over), Math.abs(under)) * Math.sign(under)
  return `${over / divisor}/${under / divisor}`
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}

function compute(first: number, operator: string, second: number): Solution | undefined {
  const [sign, verb, result] = /^(?:\+|plus)$/.test(operator)
    ? ['+', `Add ${first} and ${second}.`, first + second]
    : /^(?:-|−|minus)$/.test(operator)
      ? ['-', `Subtract ${second} from ${first}.`, first - second]
      : /^(?:\/|÷|div)/.test(operator)
        ? ['/', `Divide ${first} by ${second}.`, first / second]
        : ['*', `Multiply ${first} by ${second}.`, first * second]
  if (!Number.isFinite(result)) return undefined
  const answer = String(tidy(Number(result)))
  return { steps: [{ explanation: String(verb), output: `${first} ${sign} ${second} = ${answer}` }], answer }
}

function tidy(value: number): number {
  return Number(value.toFixed(6))
}
