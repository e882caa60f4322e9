/** Defines the schemas of scenarios: named lists of rules, as plain data. */
import * as z from 'zod'
import { count, Duration } from '../lib/numbers.ts'
import { mustBe } from '../lib/schema-messages.ts'
import { list } from '../resources/list.ts'
import { When } from './condition.ts'
import { field, lazyObject, text } from './field.ts'
import type { CustomOperationId, OperationName } from './names.ts'
import { RateLimit } from './rate-limit.ts'
import { Script } from './script.ts'
import { faultFields, TextOrReply } from './scripted-reply.ts'

export const Step = z.lazy(() =>
  z.union(
    [
      z.literal('pass'),
      z.strictObject({ reply: field(TextOrReply, 'Replaces the reply to this call.'), ...faultFields() }),
    ],
    mustBe("'pass', or an object with a fault or a reply"),
  ),
)
export type Step = z.infer<typeof Step>
/** One step of a sequence: `pass` leaves the call to other rules and the operation. */
export type StepInput = z.input<typeof Step>

export const OnEnd = z
  .lazy(() => z.enum(['pass', 'fail', 'repeat', 'repeat-last']))
  .describe(
    "Behaviour after a script's last turn, a sequence's last step, or the last of `times`: `pass` leaves calls to other rules and the operation, `fail` rejects them with a 400, `repeat` starts over, and `repeat-last` repeats the last turn or step. Default: `fail` for a script, otherwise `pass`.",
  )
export type OnEnd = z.infer<typeof OnEnd>

const fraction = {
  error({ input }: { readonly input?: unknown }) {
    const percent = Number(input)
    const hint = percent >= 2 && percent <= 100 ? `; write ${percent / 100} for ${percent} %` : ''
    const fix = percent === 0 ? ': to disable a rule, remove it' : hint
    return `Must be more than 0 and at most 1, got ${input}${fix}`
  },
}

const Period = z.lazy(() =>
  z
    .strictObject(
      {
        from: Duration.default(0).describe('Start of the period. Default: 0.'),
        to: field(Duration, 'End of the period, exclusive. Default: none.'),
      },
      mustBe('{ from, to }'),
    )
    .refine(({ from, to = Number.POSITIVE_INFINITY }) => from < to, {
      error: 'Must start before its end: from < to',
    }),
)

export const Rule = lazyObject(() => ({
  name: field(text, 'Name to show in messages.'),
  // Typed so that editors complete the names. Only the gateway can check them, because operations differ
  // between gateways.
  on: z
    .union(
      [text, list(text).min(1).max(1000)],
      mustBe("an operation such as 'createResponse', 'text' or '*', or a list of them"),
    )
    .describe(
      'An operation id, `text` for all operations that generate text, `*` for all requests, or `POST /path` for a path without an operation.',
    ) as z.ZodType<
    string | string[],
    OperationName | CustomOperationId | (OperationName | CustomOperationId)[]
  >,
  when: field(When, 'Conditions on the request, all of which must match.'),
  times: field(
    z.int().min(1, { error: ({ input }) => `Must be 1 or more, got ${input}: to disable a rule, remove it` }),
    'Maximum number of times that the rule applies. Default: unlimited.',
  ),
  after: field(count(), 'Matches to skip, not counting requests handled by earlier rules. Default: 0.'),
  probability: field(
    z.number().gt(0, fraction).max(1, fraction),
    'Fraction of requests (more than 0, at most 1) that the rule applies to, chosen by seed and request content. Default: 1.',
  ),
  rateLimit: field(RateLimit, 'The rule applies above this limit, by default with a `rate-limit` fault.'),
  setState: field(text, 'Sandbox state (`when.state`) to set. No other effect is required.'),
  during: field(Period, 'Period of elapsed time since the sandbox was created or reset.'),
  ...faultFields(),
  reply: field(TextOrReply, "Replaces the operation's reply: text, or a full reply object."),
  script: field(Script, 'The turns of one conversation, one request each.'),
  sequence: field(
    list(Step).min(1, { error: 'Needs a step: add one, or remove the rule' }),
    'Steps, one per matching request.',
  ),
  onEnd: OnEnd.optional(),
}))
export type ParsedRule = z.infer<typeof Rule>
/** A rule: the requests that it matches, how often it applies, and its effect. */
export type Rule = z.input<typeof Rule>
/** A rule, as returned by the control API. Not validated again. */
export const RuleSource = z.lazy(() => z.looseObject({})) as unknown as z.ZodType<Rule>

export const Scenario = z.lazy(() =>
  z.strictObject(
    {
      $schema: field(z.string(), 'URL or path of the JSON Schema, for editors.'),
      name: z
        .string()
        .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'Must be 1 to 100 letters, digits, dots, dashes or underscores')
        .describe('Scenario name, which is sent in headers.'),
      description: field(z.string(), 'Effect that a client observes.'),
      rules: list(Rule).min(1).max(10_000).describe('The first rule that matches a request applies.'),
    },
    mustBe('{ name, rules: […] }'),
  ),
)
export type ParsedScenario = z.infer<typeof Scenario>
export type Scenario = z.input<typeof Scenario>
