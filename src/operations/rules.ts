/** Rules for valid requests: parts that all protocols share, and the rules of POST /responses. */
import { fieldsOf, listOf, textOf } from '../lib/json.ts'
import type { RequestRules } from '../resources/request-rule.ts'

/** A call or its result, with its place in the body. */
export interface Step {
  readonly kind: 'call' | 'result'
  readonly id: string
  readonly at: string
}

/** Pairs calls with results, which must come before the user's next turn: an undefined step. */
export function pairsIn(steps: Iterable<Step | undefined>) {
  const called = new Set<string>()
  const answered = new Set<string>()
  const unanswered: Step[] = []
  const orphans: Step[] = []
  const repeated: Step[] = []
  let open: Step[] = []
  const endTurn = () => {
    unanswered.push(...open.filter(({ id }) => !answered.has(id)))
    open = []
  }
  for (const step of steps) {
    if (!step) endTurn()
    else if (step.kind === 'call') {
      if (called.has(step.id)) repeated.push(step)
      else open.push(step)
      called.add(step.id)
    } else {
      if (!called.has(step.id)) orphans.push(step)
      else if (answered.has(step.id)) repeated.push(step)
      answered.add(step.id)
    }
  }
  endTurn()
  return { unanswered, orphans, repeated }
}

export const responsesRules: RequestRules<unknown> = {
  'tool-result-without-call': {
    source: 'https://github.com/continuedev/continue/issues/10092',
    *find(body, { stored }) {
      const { previous_response_id: previous } = fieldsOf(body)
      // A stored response that is unknown here could contain the call.
      if (previous != null && !stored?.find(textOf(previous))) return
      for (const { id } of pairsIn(stepsIn(body)).orphans)
        yield { param: 'input', message: `No tool call found for function call output with call_id ${id}.` }
    },
  },
}

function stepsIn(body: unknown): (Step | undefined)[] {
  return listOf(fieldsOf(body)['input']).map((item, place) => {
    const { type, call_id } = fieldsOf(item)
    const kind = /_call$/.test(textOf(type))
      ? 'call'
      : /_call_output$/.test(textOf(type))
        ? 'result'
        : undefined
    return kind && { kind, id: textOf(call_id), at: `input[${place}]` }
  })
}
