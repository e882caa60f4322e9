/**
 * Scenarios over HTTP: those that there are, and those in force in a sandbox.
 */
import * as z from 'zod'
import { toScenario } from '../../gateway/to-scenario.ts'
import { GatewayError } from '../../http/errors.ts'
import { dryRun } from '../../journal/dry-run.ts'
import { toYaml } from '../../lib/data-file.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { bundledScenario, bundledScenarios } from '../../scenarios/bundled.ts'
import { expressionsLoading } from '../../scenarios/expression.ts'
import { Scenario } from '../../scenarios/scenario.ts'
import type { ScenarioInput } from '../../scenarios/scenario-input.ts'
import { checkText } from '../check-text.ts'
import { gatewayRoute, sandboxRoute } from '../route.ts'

const Name = z.string().min(1)
const Summary = z.strictObject({ name: z.string(), description: z.string() })
const UnusedRule = z.strictObject({
  scenario: z.string(),
  rule: z.int().describe('Its place in the scenario, from 1.'),
  name: z.string().optional(),
  on: z.array(z.string()),
})

const ScriptReading = z.strictObject({
  scenario: z.string(),
  rule: z.int().describe("Its rule's place in the scenario, from 1."),
  turns: z.int().describe('How many turns it has.'),
  conversations: z.array(
    z.strictObject({
      conversation: z.int().describe('Its number among the scripted conversations of the sandbox, from 1.'),
      turns: z.int().describe('How many turns it has taken.'),
      problem: z.string().nullable().describe('How its last request differed from what the turn expects.'),
    }),
  ),
  problem: z.string().nullable().describe('How the last new conversation differed from its first turn.'),
})

const Use = z.strictObject({
  id: z.string().describe('Ends this use of the scenario, and no other.'),
  name: z.string(),
})

const Active = z.strictObject({
  id: z.string().describe('Ends this use of the scenario, and no other.'),
  name: z.string(),
  description: z.string().nullable(),
  rules: z.array(
    z.strictObject({
      rule: z.int().describe('Its place in the scenario, from 1.'),
      name: z.string().nullable(),
      on: z.array(z.string()),
      seen: z.int().describe('Calls that met its conditions.'),
      happened: z.int().describe('Calls to which it has happened.'),
      left: z.int().nullable().describe('How often it can still happen; null for any number of times.'),
      source: z.looseObject({}).describe('As it was given, with defaults filled in.'),
    }),
  ),
})

/** Checked in full, with messages of its own, where it is used. */
const Given = z
  .union([z.string(), z.looseObject({})])
  .describe('A bundled scenario by name, a scenario, or a single rule.')

const sums = {
  requests: z.int(),
  inputTokens: z.int(),
  cachedTokens: z.int().describe('Of the input: those that were read from a cache.'),
  outputTokens: z.int(),
  reasoningTokens: z.int().describe('Of the output: those of thinking.'),
  totalTokens: z.int(),
  cost: z.number().describe('Dollars.'),
  unpriced: z.int().describe('Requests to models without a price: they add nothing to the cost.'),
}
const Usage = z
  .strictObject({ ...sums, models: z.record(z.string(), z.strictObject(sums)) })
  .meta({ id: 'Usage', description: 'What the calls of a sandbox have used.' })

export const scenarioRoutes = [
  gatewayRoute({
    id: 'listBundledScenarios',
    summary: 'List the scenarios that come with the double',
    tag: 'Scenarios',
    response: z.object({ data: z.array(Summary) }),
    run: () => ({
      data: [...bundledScenarios.values()].map(({ name, description }) => ({ name, description })),
    }),
  }),
  gatewayRoute({
    id: 'getBundledScenario',
    summary: 'Read a scenario that comes with the double',
    tag: 'Scenarios',
    params: z.object({ name: Name }),
    response: z.object({ data: Scenario }),
    run({ params: { name } }) {
      const data = bundledScenarios.get(name)
      if (data) return { data }
      throw new GatewayError(
        404,
        `Unknown scenario '${name}'${didYouMean(name, [...bundledScenarios.keys()])}`,
      )
    },
  }),
  sandboxRoute({
    id: 'listScenarios',
    summary: 'List the scenarios in force by name, newest first',
    tag: 'Scenarios',
    response: z.object({ data: z.array(z.string()) }),
    run: (sandbox) => ({ data: sandbox.rules.names() }),
  }),
  sandboxRoute({
    id: 'useScenario',
    summary: 'Put a scenario in force, before all that are',
    tag: 'Scenarios',
    status: 201,
    body: Given,
    response: z.object({ data: Use }),
    run: (sandbox, { body }) => ({ data: use(sandbox, body) }),
  }),
  sandboxRoute({
    id: 'putScenario',
    summary: 'Put a scenario in force, in the place of those of its name; without a body, the bundled one',
    tag: 'Scenarios',
    params: { name: Name },
    body: z.looseObject({}).optional().describe('A scenario; its name is that of the path.'),
    response: z.object({ data: Use }),
    run(sandbox, { params: { name }, body }) {
      const scenario = toScenario(body ? { ...body, name } : name)
      sandbox.rules.end(name)
      return { data: use(sandbox, scenario) }
    },
  }),
  sandboxRoute({
    id: 'deleteScenario',
    summary: 'End the scenarios of a name, or the one use with this id',
    tag: 'Scenarios',
    params: { name: Name },
    run(sandbox, { params: { name } }) {
      if (sandbox.rules.end(name) > 0) return
      const names = sandbox.rules.names()
      throw new GatewayError(
        404,
        `No scenario '${name}' is in force; there are ${names.join(', ') || 'none'}`,
      )
    },
  }),
  sandboxRoute({
    id: 'resetScenarios',
    summary: 'End every scenario but those that the sandbox began with',
    tag: 'Scenarios',
    run: (sandbox) => sandbox.resetScenarios(),
  }),
  gatewayRoute({
    id: 'getBundledScenarioText',
    summary: 'Read a scenario that comes with the double as YAML, to begin your own with',
    tag: 'Scenarios',
    params: z.object({ name: Name }),
    type: 'text/yaml; charset=utf-8',
    response: z.string(),
    run: ({ params: { name } }) => toYaml(bundledScenario(name)),
  }),
  gatewayRoute({
    id: 'checkScenario',
    summary: 'Check a scenario that is written in YAML or JSON: every problem with its line and column',
    tag: 'Scenarios',
    body: z.strictObject({ text: z.string().describe('As the file has it; a single rule does as well.') }),
    response: z.object({
      data: z.strictObject({
        scenario: z
          .looseObject({})
          .nullable()
          .describe('With defaults filled in; null where there are problems.'),
        problems: z.array(
          z.strictObject({
            line: z.int().describe('From 1.'),
            column: z.int().describe('From 1.'),
            message: z.string(),
          }),
        ),
      }),
    }),
    run: ({ body: { text } }) => ({ data: checkText(text) }),
  }),
  sandboxRoute({
    id: 'dryRunScenario',
    summary: 'Say which of the calls that have been a scenario would have met; nothing changes',
    tag: 'Scenarios',
    body: z.strictObject({
      scenario: Given,
      last: z.int().min(1).max(10_000).optional().describe('Of so many of the newest calls. Default: 1,000.'),
    }),
    response: z.object({
      data: z.strictObject({
        looked: z.int().describe('How many calls were looked at.'),
        met: z.int().describe('How many of them a rule would have met.'),
        rules: z.array(z.strictObject({ rule: z.int().describe('From 1.'), met: z.int() })),
        calls: z
          .array(z.strictObject({ id: z.string(), rule: z.int() }))
          .describe('Those met, oldest first.'),
      }),
    }),
    async run(sandbox, { gateway, body: { scenario, last = 1000 } }) {
      const given = toScenario(scenario)
      await expressionsLoading()
      const { seed, options } = sandbox
      return {
        data: dryRun(given, sandbox.journal.records(last), {
          seed,
          timeScale: options.timeScale,
          readConversation: (operation, body) =>
            gateway.operations.find(({ id }) => id === operation)?.protocol?.conversation?.(body),
        }),
      }
    },
  }),
  sandboxRoute({
    id: 'listActiveScenarios',
    summary: 'List the scenarios in force with how often each rule has happened, newest first',
    tag: 'Scenarios',
    response: z.object({ data: z.array(Active) }),
    run: (sandbox) => ({ data: sandbox.activeScenarios() }),
  }),
  sandboxRoute({
    id: 'listUnusedRules',
    summary: 'List the rules in force that have not happened once',
    tag: 'Scenarios',
    response: z.object({ data: z.array(UnusedRule) }),
    run: (sandbox) => ({ data: sandbox.unusedRules() }),
  }),
  sandboxRoute({
    id: 'readUsage',
    summary: 'Read what the calls have used: requests, tokens and dollars, in sum and by model',
    tag: 'Sandboxes',
    response: z.object({ data: Usage }),
    run: (sandbox) => ({ data: sandbox.usage() }),
  }),
  sandboxRoute({
    id: 'listScripts',
    summary: 'List the scripts in use, and how far the conversations that follow them are',
    tag: 'Scenarios',
    response: z.object({ data: z.array(ScriptReading) }),
    run: (sandbox) => ({ data: sandbox.scripts() }),
  }),
]

function use(sandbox: Sandbox, given: string | object): z.infer<typeof Use> {
  // A path is refused here, and what has passed is a name or a scenario, checked where it is used.
  if (typeof given === 'string') toScenario(given)
  const { id, name } = sandbox.use(given as ScenarioInput)
  return { id, name }
}
