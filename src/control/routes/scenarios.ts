/**
 * Scenarios over HTTP: those that there are, and those in force in a sandbox.
 */
import * as z from 'zod'
import { toScenario } from '../../gateway/to-scenario.ts'
import { GatewayError } from '../../http/errors.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { bundledScenarios } from '../../rules/bundled.ts'
import { Scenario } from '../../rules/scenario.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { type ControlContext, gatewayRoute, sandboxRoute } from '../route.ts'

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

/** Checked in full, with messages of its own, where it is used. */
const Given = z
  .union([z.string(), z.looseObject({})])
  .describe('A bundled scenario by name, a scenario, or a single rule.')

export const scenarioRoutes = [
  gatewayRoute({
    id: 'listBundledScenarios',
    method: 'get',
    path: '/scenarios',
    summary: 'List the scenarios that come with the double',
    tag: 'Scenarios',
    response: z.object({ data: z.array(Summary) }),
    run: () => ({
      data: [...bundledScenarios.values()].map(({ name, description }) => ({ name, description })),
    }),
  }),
  gatewayRoute({
    id: 'getBundledScenario',
    method: 'get',
    path: '/scenarios/{name}',
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
    method: 'get',
    path: '/scenarios',
    summary: 'List the scenarios in force by name, newest first',
    tag: 'Scenarios',
    response: z.object({ data: z.array(z.string()) }),
    run: (sandbox) => ({ data: sandbox.rules.names() }),
  }),
  sandboxRoute({
    id: 'useScenario',
    method: 'post',
    path: '/scenarios',
    summary: 'Put a scenario in force, before all that are',
    tag: 'Scenarios',
    status: 201,
    body: Given,
    response: z.object({ data: Use }),
    run: (sandbox, { uses, body }) => ({ data: use(sandbox, body, uses) }),
  }),
  sandboxRoute({
    id: 'putScenario',
    method: 'put',
    path: '/scenarios/{name}',
    summary: 'Put a scenario in force, in the place of those of its name; without a body, the bundled one',
    tag: 'Scenarios',
    params: { name: Name },
    body: z.looseObject({}).optional().describe('A scenario; its name is that of the path.'),
    response: z.object({ data: Use }),
    run(sandbox, { uses, params: { name }, body }) {
      const scenario = toScenario(body ? { ...body, name } : name)
      sandbox.rules.end(name)
      return { data: use(sandbox, scenario, uses) }
    },
  }),
  sandboxRoute({
    id: 'deleteScenario',
    method: 'delete',
    path: '/scenarios/{name}',
    summary: 'End the scenarios of a name, or the one use with this id',
    tag: 'Scenarios',
    params: { name: Name },
    run(sandbox, { uses, params: { name } }) {
      const inForce = uses.find(sandbox, name)
      inForce?.[Symbol.dispose]()
      uses.drop(sandbox, name)
      if (inForce || sandbox.rules.end(name) > 0) return
      const names = sandbox.rules.names()
      throw new GatewayError(
        404,
        `No scenario '${name}' is in force; there are ${names.join(', ') || 'none'}`,
      )
    },
  }),
  sandboxRoute({
    id: 'resetScenarios',
    method: 'delete',
    path: '/scenarios',
    summary: 'End every scenario but those that the sandbox began with',
    tag: 'Scenarios',
    run: (sandbox) => sandbox.resetScenarios(),
  }),
  sandboxRoute({
    id: 'listUnusedRules',
    method: 'get',
    path: '/unused-rules',
    summary: 'List the rules in force that have not happened once',
    tag: 'Scenarios',
    response: z.object({ data: z.array(UnusedRule) }),
    run: (sandbox) => ({ data: sandbox.unusedRules() }),
  }),
  sandboxRoute({
    id: 'listScripts',
    method: 'get',
    path: '/scripts',
    summary: 'List the scripts in use, and how far the conversations that follow them are',
    tag: 'Scenarios',
    response: z.object({ data: z.array(ScriptReading) }),
    run: (sandbox) => ({ data: sandbox.scripts() }),
  }),
]

let used = 0

function use(sandbox: Sandbox, given: string | object, uses: ControlContext['uses']): z.infer<typeof Use> {
  // A path is refused here, and what has passed is a name or a scenario, checked where it is used.
  if (typeof given === 'string') toScenario(given)
  const inForce = sandbox.use(given as string)
  // No name has a `~`, so no id is a name.
  const id = `${inForce.name}~${++used}`
  uses.keep(sandbox, id, inForce)
  return { id, name: inForce.name }
}
