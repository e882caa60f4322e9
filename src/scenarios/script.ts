/**
 * Scripts: the turns of one conversation, as data. Each request of the conversation takes the next turn.
 */
import * as z from 'zod'
import { TextCondition } from './condition.ts'
import { Pattern } from './pattern.ts'
import { Faults, ScriptedReply } from './scripted-reply.ts'

const names = z.lazy(() => z.array(z.string().min(1)).min(1))

/** What a function must have returned. */
export const ResultCheck = z.lazy(() =>
  z
    .union(
      [
        z.string().min(1).describe('A part of the text.'),
        Pattern,
        z.looseObject({}).describe('Fields of the JSON, those inside objects too; more fields may be there.'),
      ],
      { error: 'give a part of the text, { matches }, or fields of the JSON' },
    )
    .describe('A part of the text, a regular expression, or fields of the JSON.'),
)
export type ResultCheck = z.infer<typeof ResultCheck>
/** A part of the text, a regular expression, or fields of the JSON. */
export type ResultCheckInput = z.input<typeof ResultCheck>

export const TurnExpectation = z.lazy(() =>
  z.strictObject({
    input: TextCondition.optional().describe(
      'A part of the last user message, or a regular expression that finds it.',
    ),
    tools: names.optional().describe('Functions that the request must offer; it may offer more.'),
    result: z
      .record(z.string().min(1), z.union([ResultCheck, z.array(ResultCheck).min(1)]))
      .optional()
      .describe(
        'What the functions that the turn before called have returned, by name. A list has one check for each call of that function, in their order; a single check must hold for one of them.',
      ),
  }),
)
export type TurnExpectation = z.infer<typeof TurnExpectation>
/** What the request of a turn must look like. */
export type TurnExpectationInput = z.input<typeof TurnExpectation>

/** What a turn may say of its answer, as a scripted reply says it. */
const answerFields = {
  text: true,
  citations: true,
  output: true,
  interleave: true,
  id: true,
  responseStatus: true,
  incompleteReason: true,
  error: true,
  usage: true,
} as const

const Calls = z.lazy(() => z.record(z.string().min(1), z.record(z.string(), z.json())))

/** One request of the conversation: what it must look like, and what it gets. */
export const Turn = z.lazy(() =>
  ScriptedReply.unwrap()
    .pick(answerFields)
    .extend({
      expect: TurnExpectation.optional().describe('What the request must look like. Default: anything.'),
      text: z
        .string()
        .optional()
        .describe('The text of the reply; behind `output` and before the calls where there are such.'),
      call: z
        .union([Calls, z.array(Calls).min(1)])
        .optional()
        .describe(
          'Functions to call, with their arguments, by name. A list calls one function more than once.',
        ),
      fault: Faults.optional().describe('What goes wrong at this turn, in place of the reply or on its way.'),
    }),
)
export type Turn = z.infer<typeof Turn>
/** One request of a conversation: what it must look like, and what it gets. */
export type TurnInput = z.input<typeof Turn>

export const Script = z.lazy(() =>
  z.array(Turn).min(1).max(1000).describe('The turns of one conversation: one request each.'),
)
export type Script = z.infer<typeof Script>

export const Exhausted = z
  .lazy(() => z.enum(['fail', 'repeat', 'pass']))
  .describe(
    'What a conversation gets after the last turn: `fail` refuses, `repeat` begins again, also for new conversations, `pass` leaves it to other rules and the operation. Default: fail.',
  )
export type Exhausted = z.infer<typeof Exhausted>

/** The calls of a turn, one each. */
export function callsOf({ call = [] }: Turn): { name: string; args: Record<string, unknown> }[] {
  return [call].flat().flatMap((calls) => Object.entries(calls).map(([name, args]) => ({ name, args })))
}
