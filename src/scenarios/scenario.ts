/**
 * Scenarios: named lists of rules, as plain data. One schema checks them wherever they come from.
 */
import * as z from 'zod'
import { amount, count, Duration } from '../lib/numbers.ts'
import { When } from './condition.ts'
import type { CustomOperationId, OperationName } from './names.ts'
import { RateLimit } from './rate-limit.ts'
import { Script } from './script.ts'
import { faultFields, TextOrReply } from './scripted-reply.ts'

/** What a rule does at one call: `pass` leaves the call to older rules and to the operation. */
export const Step = z.lazy(() =>
  z.union(
    [
      z.literal('pass'),
      z.strictObject({
        reply: TextOrReply.optional().describe('Replaces the reply to this call.'),
        ...faultFields(),
      }),
    ],
    { error: "a step is 'pass', a fault or a reply" },
  ),
)
export type Step = z.infer<typeof Step>
/** What a rule does at one call; `pass` leaves the call to older rules and to the operation. */
export type StepInput = z.input<typeof Step>

export const OnEnd = z
  .lazy(() => z.enum(['pass', 'fail', 'repeat', 'repeat-last']))
  .describe(
    'What follows the last turn of a script, the last step of a sequence, or the last of `times`: `pass` leaves calls to other rules and the operation, `fail` refuses them with 400, `repeat` begins again, for new conversations too, `repeat-last` repeats the last turn or step. Default: `fail` for a script, otherwise `pass`.',
  )
export type OnEnd = z.infer<typeof OnEnd>

export const Rule = z.lazy(() =>
  z.strictObject({
    name: z.string().min(1).optional().describe('For people; messages use it.'),
    // Typed by the names that editors complete. A gateway checks them, as it knows its operations.
    on: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
        error: 'give an operation, several of them, or *',
      })
      .describe(
        'An operation, `text` for every operation that answers with text, `*` for every request, or `POST /path` for a path that no operation describes.',
      ) as z.ZodType<
      string | string[],
      OperationName | CustomOperationId | (OperationName | CustomOperationId)[]
    >,
    when: When.optional().describe('Which of these requests it is about: all that is named must hold.'),
    times: z.int().optional().describe('How often it happens at most. Default: no end.'),
    after: count()
      .optional()
      .describe(
        'Calls that pass before it starts; one that a rule before it answers is none of them. Default: 0.',
      ),
    every: count(1).optional().describe('It happens at every so-many-th call. Default: 1.'),
    probability: z
      .number()
      .optional()
      .describe('Share of calls, 0 to 1, drawn from the seed; the same for the same call. Default: 1.'),
    rateLimit: RateLimit.optional().describe(
      'At most these requests and tokens pass in each window of sandbox time; it happens to the others. Without an effect of its own, these get the fault `rate-limit`.',
    ),
    budgetUsd: amount()
      .optional()
      .describe(
        'It happens once the calls of the sandbox have cost so many dollars. Without an effect of its own, it refuses with 402.',
      ),
    setState: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The state of the sandbox after it has happened, for `when.state`. It may be all that happens.',
      ),
    during: z
      .strictObject({
        fromMs: Duration.default(0).describe('Its start.'),
        toMs: Duration.optional().describe('Its end. Default: none.'),
      })
      .optional()
      .describe('Only in this part of the elapsed time of the sandbox.'),
    ...faultFields(),
    reply: TextOrReply.optional().describe('Replaces the reply of the operation: a text, or a whole reply.'),
    script: Script.optional().describe('The turns of one conversation: one request each.'),
    sequence: z.array(Step).optional().describe('One step a call.'),
    onEnd: OnEnd.optional(),
  }),
)
export type Rule = z.infer<typeof Rule>
/** When something happens, and what. */
export type RuleInput = z.input<typeof Rule>

export const Scenario = z.lazy(() =>
  z.strictObject({
    $schema: z.string().optional().describe('For editors: where the JSON Schema of scenarios is.'),
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][\w.-]{0,99}$/,
        'a name is letters, digits, dots, dashes and underscores, 100 at most',
      )
      .describe('Letters, digits, dots, dashes and underscores: it travels in headers.'),
    description: z.string().optional().describe('What the client sees.'),
    rules: z.array(Rule).min(1).max(10_000).describe('The first that is about a call happens.'),
  }),
)
export type Scenario = z.infer<typeof Scenario>
/** A named list of rules. */
export type ScenarioInput = z.input<typeof Scenario>
/** Types a scenario as it is written; checked when it is used. */
export function defineScenario<const Input extends ScenarioInput>(scenario: Input): Input {
  return scenario
}
