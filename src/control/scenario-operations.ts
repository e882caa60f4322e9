/** Control operations for bundled and active scenarios. */
import * as z from 'zod'
import type { GatewayCore } from '../gateway/gateway.ts'
import { GatewayError } from '../http/errors.ts'
import { hideInValue } from '../http/secrets.ts'
import { SandboxUsage } from '../journal/ledger.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { ScenarioProgress, ScriptProgress, UnusedRule } from '../scenarios/activation.ts'
import { HoldOptions } from '../scenarios/gate.ts'
import type { OperationName } from '../scenarios/names.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { Wait } from './journal-operations.ts'
import { sandboxOperation } from './operation.ts'

const Name = z.string().min(1)
const Use = z.strictObject({
  id: z.string().describe('Activation id. Pass it to deactivate only this activation.'),
  name: z.string(),
})

/** Scenarios are fully validated when they are used. */
const ScenarioReference = z
  .union([z.string(), z.looseObject({})])
  .describe('A scenario, a single rule, or the name of a fault or bundled scenario.')

const Hold = z.strictObject({
  on: z
    .union([z.string(), z.array(z.string()), z.looseObject({})])
    .describe('Operation to hold, or a rule without an effect.'),
  options: HoldOptions.optional(),
})

export const scenarioOperations = [
  sandboxOperation('useScenario', 'POST /sandboxes/{sandbox}/scenarios', {
    doc: {
      summary: 'Activate a scenario in addition to those already active',
      status: 201,
    },
    input: { body: ScenarioReference },
    output: z.object({ data: Use }),
    resolve: (sandbox, { gateway, body }) => ({ data: use(gateway, sandbox, body) }),
  }),
  sandboxOperation('putScenario', 'PUT /sandboxes/{sandbox}/scenarios/{name}', {
    doc: {
      summary: 'Replace all active scenarios with this name. Without a body, activate the bundled scenario',
    },
    input: {
      params: { name: Name },
      body: z.looseObject({}).optional().describe('A scenario. Its name is taken from the path.'),
      bodyIsOptional: true,
    },
    output: z.object({ data: Use }),
    resolve(sandbox, { gateway, params: { name }, body }) {
      const scenario = gateway.checkScenario(body ? { ...body, name } : name)
      sandbox.rules.end(name)
      return { data: use(gateway, sandbox, scenario) }
    },
  }),
  sandboxOperation('deleteScenario', 'DELETE /sandboxes/{sandbox}/scenarios/{name}', {
    doc: { summary: 'Deactivate scenarios by name, or one activation by id' },
    input: { params: { name: Name } },
    resolve(sandbox, { params: { name } }) {
      if (sandbox.rules.end(name) > 0) return
      const names = sandbox.rules.names()
      throw new GatewayError(
        404,
        `No active scenario '${name}'; active scenarios: ${names.join(', ') || 'none'}`,
      )
    },
  }),
  sandboxOperation('resetScenarios', 'DELETE /sandboxes/{sandbox}/scenarios', {
    remote: 'resetScenarios',
    doc: { summary: 'Deactivate all scenarios except the initial ones' },
    resolve: (sandbox) => sandbox.resetScenarios(),
  }),
  sandboxOperation('listActiveScenarios', 'GET /sandboxes/{sandbox}/scenarios', {
    remote: 'activeScenarios',
    doc: { summary: "List active scenarios with each rule's progress, newest first" },
    output: z.object({ data: z.array(ScenarioProgress) }),
    resolve: (sandbox) => ({ data: sandbox.activeScenarios() }),
  }),
  sandboxOperation('listUnusedRules', 'GET /sandboxes/{sandbox}/unused-rules', {
    remote: 'unusedRules',
    doc: { summary: 'List active rules that have never been applied' },
    output: z.object({ data: z.array(UnusedRule) }),
    resolve: (sandbox) => ({ data: sandbox.unusedRules() }),
  }),
  sandboxOperation('readUsage', 'GET /sandboxes/{sandbox}/usage', {
    remote: 'usage',
    doc: { summary: 'Read usage: requests, tokens and dollars, in total and by model', tag: 'Sandboxes' },
    output: z.object({ data: SandboxUsage }),
    resolve: (sandbox) => ({ data: hideInValue(sandbox.usage()) }),
  }),
  sandboxOperation('createGate', 'POST /sandboxes/{sandbox}/gates', {
    doc: {
      summary: 'Hold requests or streams. To release them, delete the scenario with the returned id',
      status: 201,
    },
    input: { body: Hold },
    output: z.object({ data: z.strictObject({ id: z.string().describe('Id of the gate.') }) }),
    resolve: (sandbox, { body: { on, options } }) => ({
      data: { id: sandbox.hold(on as OperationName, options).id },
    }),
  }),
  sandboxOperation('waitForArrivals', 'POST /sandboxes/{sandbox}/gates/{gate}/wait', {
    doc: { summary: 'Wait until `count` requests or events have arrived; respond with a 408 on timeout' },
    input: { params: { gate: Name }, body: Wait },
    resolve: ({ rules }, { params: { gate }, body: { count, timeout }, call }) =>
      rules.gate(gate).arrived(count, { timeout, signal: call.sink.disconnected }),
  }),
  sandboxOperation('passGate', 'POST /sandboxes/{sandbox}/gates/{gate}/next', {
    doc: { summary: 'Let one request or event through: the first one held, or the next to arrive' },
    input: { params: { gate: Name } },
    resolve: ({ rules }, { params: { gate } }) => rules.gate(gate).next(),
  }),
  sandboxOperation('listScripts', 'GET /sandboxes/{sandbox}/scripts', {
    remote: 'scripts',
    doc: { summary: "List active scripts with their conversations' progress" },
    output: z.object({ data: z.array(ScriptProgress) }),
    resolve: (sandbox) => ({ data: sandbox.scripts() }),
  }),
]

function use(gateway: GatewayCore, sandbox: Sandbox, scenario: string | object): z.infer<typeof Use> {
  // Rejects file paths. `use` validates everything else.
  if (typeof scenario === 'string') gateway.checkScenario(scenario)
  const { id, name } = sandbox.use(scenario as Scenario)
  return { id, name }
}
