/**
 * Scenarios over HTTP: the bundled ones, and the active ones of a sandbox.
 */
import * as z from 'zod'
import type { GatewayCore } from '../gateway/gateway.ts'
import { GatewayError } from '../http/errors.ts'
import { dryRun } from '../journal/dry-run.ts'
import { toYaml } from '../lib/data-file.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { bundledScenario, bundledScenarios } from '../scenarios/bundled.ts'
import type { ScenarioInput } from '../scenarios/scenario.ts'
import { Scenario } from '../scenarios/scenario.ts'
import { checkText } from './check-text.ts'
import { gatewayOperation, sandboxOperation } from './operation.ts'

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

export const scenarioOperations = [
  gatewayOperation({
    id: 'listBundledScenarios',
    route: 'GET /scenarios',
    doc: { summary: 'List the scenarios that come with the double', tag: 'Scenarios' },
    output: z.object({ data: z.array(Summary) }),
    resolve: () => ({
      data: [...bundledScenarios.values()].map(({ name, description }) => ({ name, description })),
    }),
  }),
  gatewayOperation({
    id: 'getBundledScenario',
    route: 'GET /scenarios/{name}',
    doc: { summary: 'Read a scenario that comes with the double', tag: 'Scenarios' },
    input: { params: z.object({ name: Name }) },
    output: z.object({ data: Scenario }),
    resolve({ params: { name } }) {
      const data = bundledScenarios.get(name)
      if (data) return { data }
      throw new GatewayError(
        404,
        `Unknown scenario '${name}'${didYouMean(name, [...bundledScenarios.keys()])}`,
      )
    },
  }),
  sandboxOperation({
    id: 'listScenarios',
    route: 'GET /sandboxes/{sandbox}/scenarios',
    remote: 'scenarioNames',
    doc: { summary: 'List the scenarios in force by name, newest first', tag: 'Scenarios' },
    output: z.object({ data: z.array(z.string()) }),
    resolve: (sandbox) => ({ data: sandbox.rules.names() }),
  }),
  sandboxOperation({
    id: 'useScenario',
    route: 'POST /sandboxes/{sandbox}/scenarios',
    doc: { summary: 'Put a scenario in force, before all that are', tag: 'Scenarios', status: 201 },
    input: { body: Given },
    output: z.object({ data: Use }),
    resolve: (sandbox, { gateway, body }) => ({ data: use(gateway, sandbox, body) }),
  }),
  sandboxOperation({
    id: 'putScenario',
    route: 'PUT /sandboxes/{sandbox}/scenarios/{name}',
    doc: {
      summary: 'Put a scenario in force, in the place of those of its name; without a body, the bundled one',
      tag: 'Scenarios',
    },
    input: {
      params: { name: Name },
      body: z.looseObject({}).optional().describe('A scenario; its name is that of the path.'),
      bodyIsOptional: true,
    },
    output: z.object({ data: Use }),
    resolve(sandbox, { gateway, params: { name }, body }) {
      const scenario = gateway.checkScenario(body ? { ...body, name } : name)
      sandbox.rules.end(name)
      return { data: use(gateway, sandbox, scenario) }
    },
  }),
  sandboxOperation({
    id: 'deleteScenario',
    route: 'DELETE /sandboxes/{sandbox}/scenarios/{name}',
    doc: { summary: 'End the scenarios of a name, or the one use with this id', tag: 'Scenarios' },
    input: { params: { name: Name } },
    resolve(sandbox, { params: { name } }) {
      if (sandbox.rules.end(name) > 0) return
      const names = sandbox.rules.names()
      throw new GatewayError(
        404,
        `No scenario '${name}' is in force; there are ${names.join(', ') || 'none'}`,
      )
    },
  }),
  sandboxOperation({
    id: 'resetScenarios',
    route: 'DELETE /sandboxes/{sandbox}/scenarios',
    remote: 'resetScenarios',
    doc: { summary: 'End every scenario but those that the sandbox began with', tag: 'Scenarios' },
    resolve: (sandbox) => sandbox.resetScenarios(),
  }),
  gatewayOperation({
    id: 'getBundledScenarioText',
    route: 'GET /scenarios/{name}/yaml',
    doc: {
      summary: 'Read a scenario that comes with the double as YAML, to begin your own with',
      tag: 'Scenarios',
      type: 'text/yaml; charset=utf-8',
    },
    input: { params: z.object({ name: Name }) },
    output: z.string(),
    resolve: ({ params: { name } }) => toYaml(bundledScenario(name)),
  }),
  gatewayOperation({
    id: 'checkScenario',
    route: 'POST /scenario-checks',
    doc: {
      summary: 'Check a scenario that is written in YAML or JSON: every problem with its line and column',
      tag: 'Scenarios',
    },
    input: {
      body: z.strictObject({ text: z.string().describe('As the file has it; a single rule does as well.') }),
    },
    output: z.object({
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
    resolve: ({ gateway, body: { text } }) => ({ data: checkText(text, gateway) }),
  }),
  sandboxOperation({
    id: 'dryRunScenario',
    route: 'POST /sandboxes/{sandbox}/dry-runs',
    doc: {
      summary: 'Say which of the calls that have been a scenario would have met; nothing changes',
      tag: 'Scenarios',
    },
    input: {
      body: z.strictObject({
        scenario: Given,
        last: z
          .int()
          .min(1)
          .max(10_000)
          .optional()
          .describe('Of so many of the newest calls. Default: 1,000.'),
      }),
    },
    output: z.object({
      data: z.strictObject({
        looked: z.int().describe('How many calls were looked at.'),
        met: z.int().describe('How many of them a rule would have met.'),
        rules: z.array(z.strictObject({ rule: z.int().describe('From 1.'), met: z.int() })),
        calls: z
          .array(z.strictObject({ id: z.string(), rule: z.int() }))
          .describe('Those met, oldest first.'),
      }),
    }),
    async resolve(sandbox, { gateway, body: { scenario, last = 1000 } }) {
      const given = gateway.checkScenario(scenario)
      const { seed, options } = sandbox
      return {
        data: dryRun(given, sandbox.journal.records(last), {
          seed,
          timeScale: options.timeScale,
          protocolOf: (operation) => gateway.operations.find(({ id }) => id === operation)?.protocol,
        }),
      }
    },
  }),
  sandboxOperation({
    id: 'listActiveScenarios',
    route: 'GET /sandboxes/{sandbox}/active-scenarios',
    remote: 'activeScenarios',
    doc: {
      summary: 'List the scenarios in force with how often each rule has happened, newest first',
      tag: 'Scenarios',
    },
    output: z.object({ data: z.array(Active) }),
    resolve: (sandbox) => ({ data: sandbox.activeScenarios() }),
  }),
  sandboxOperation({
    id: 'listUnusedRules',
    route: 'GET /sandboxes/{sandbox}/unused-rules',
    remote: 'unusedRules',
    doc: { summary: 'List the rules in force that have not happened once', tag: 'Scenarios' },
    output: z.object({ data: z.array(UnusedRule) }),
    resolve: (sandbox) => ({ data: sandbox.unusedRules() }),
  }),
  sandboxOperation({
    id: 'readUsage',
    route: 'GET /sandboxes/{sandbox}/usage',
    remote: 'usage',
    doc: {
      summary: 'Read what the calls have used: requests, tokens and dollars, in sum and by model',
      tag: 'Sandboxes',
    },
    output: z.object({ data: Usage }),
    resolve: (sandbox) => ({ data: sandbox.usage() }),
  }),
  sandboxOperation({
    id: 'listScripts',
    route: 'GET /sandboxes/{sandbox}/scripts',
    remote: 'scripts',
    doc: {
      summary: 'List the scripts in use, and how far the conversations that follow them are',
      tag: 'Scenarios',
    },
    output: z.object({ data: z.array(ScriptReading) }),
    resolve: (sandbox) => ({ data: sandbox.scripts() }),
  }),
]

function use(gateway: GatewayCore, sandbox: Sandbox, given: string | object): z.infer<typeof Use> {
  // A path is refused here, and what has passed is a name or a scenario, checked where it is used.
  if (typeof given === 'string') gateway.checkScenario(given)
  const { id, name } = sandbox.use(given as ScenarioInput)
  return { id, name }
}
