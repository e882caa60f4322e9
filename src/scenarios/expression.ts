/**
 * Regular expressions of rules. They run in RE2, in time linear in the text: the engine of JavaScript may take years
 * for thirty characters. It is loaded when the first rule has one; a call that comes earlier waits for it.
 */
import type { RE2JS } from 're2js'

let engine: typeof RE2JS | undefined
let loading: Promise<void> | undefined

/** What a call has to wait for before its rules are asked; nothing, most times. */
export function expressionsLoading(): Promise<void> | undefined {
  return engine ? undefined : loading
}

/** Where RE2 gives up counting. */
const maxCount = 1000

/** What speaks against an expression, with the place; undefined where it can be used. */
export function expressionProblem(source: string, flags = ''): string | undefined {
  try {
    new RegExp(source, flags)
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/, '')
  }
  return notLinear(source)
}

export class Expression {
  readonly #source: string
  readonly #flags: string
  #compiled: Pick<RE2JS, 'test'> | undefined

  /** Starts to load the engine, where that has not happened yet. */
  constructor(source: string, flags = '') {
    this.#source = source
    this.#flags = flags
    loading ??= import('re2js').then((module) => {
      engine = module.RE2JS
    })
  }

  /** Whether it is found in a text. Never, where RE2 does not know something in it. */
  test(text: string): boolean {
    this.#compiled ??= this.#compile()
    return this.#compiled.test(text)
  }

  #compile(): Pick<RE2JS, 'test'> {
    if (!engine) throw new Error('regular expressions are not loaded yet')
    const flags = { i: engine.CASE_INSENSITIVE, m: engine.MULTILINE, s: engine.DOTALL }
    const bits = Object.entries(flags).reduce(
      (sum, [flag, bit]) => (this.#flags.includes(flag) ? sum | bit : sum),
      0,
    )
    try {
      return engine.compile(engine.translateRegExp(this.#source), bits)
    } catch {
      return { test: () => false }
    }
  }
}

/** Look-around and references to groups need what a linear engine cannot do. */
function notLinear(source: string): string | undefined {
  const at = (index: number) => `at character ${index + 1}`
  let isInClass = false
  for (let index = 0; index < source.length; index++) {
    const rest = source.slice(index, index + 20)
    if (rest.startsWith('\\')) {
      if (!isInClass && /^\\([1-9]|k<)/.test(rest))
        return `${rest.slice(0, 2)} ${at(index)} refers to a group, which rules cannot: say it without`
      index++
    } else if (rest.startsWith('[')) isInClass = true
    else if (rest.startsWith(']')) isInClass = false
    else if (!isInClass && /^\(\?<?[=!]/.test(rest))
      return `(? ${at(index)} looks around, which rules cannot: say it without, or by two conditions`
    else if (!isInClass && countIn(rest) > maxCount) return `the count ${at(index)} is above ${maxCount}`
  }
  return undefined
}

/** The larger number of `{2,30}` at the start of a text; 0 where it starts otherwise. */
function countIn(text: string): number {
  const [, min = 0, max = 0] = /^\{(\d+)(?:,(\d*))?\}/.exec(text) ?? []
  return Math.max(Number(min), Number(max))
}
