/** Uses the public API as a consumer would. `@ts-expect-error` marks mistakes that must not compile. */
import {
  createGateway,
  defineScenario,
  type Gateway,
  type GatewayOptions,
  type JournalEntry,
  type Sandbox,
  type Scenario,
} from 'gateway-understudy'
import providers from 'gateway-understudy/fixtures/providers.json' with { type: 'json' }
import { handlers } from 'gateway-understudy/msw'
import flaky from 'gateway-understudy/scenarios/flaky.json' with { type: 'json' }
import { type RunningServer, startServer } from 'gateway-understudy/serve'
import { setupServer } from 'msw/node'

const options: GatewayOptions = {
  seed: 7,
  recordCounts: { providers: 20 },
  scenarios: ['flaky'],
  fixtures: { providers },
}
// @ts-expect-error: no such option
const misspelt: GatewayOptions = { sead: 7 }
// @ts-expect-error: seeds are numbers or strings
const wrong: GatewayOptions = { seed: true }

const gateway: Gateway = createGateway(options)
setupServer(...handlers(gateway), ...handlers(gateway, 'createResponse'))
// @ts-expect-error: no such operation
handlers(gateway, 'createResponses')

const scenario = defineScenario({
  name: 'slow-then-broken',
  rules: [
    {
      on: 'createResponse',
      when: { model: 'aurora/*', stream: true },
      fault: { name: 'stream-cut', afterEvents: 3 },
    },
    { on: 'GET /credits', reply: { status: 200, body: { data: { total_credits: 1 } } } },
  ],
})
const known: Scenario['name'] = scenario.name
{
  using inForce = gateway.use(scenario)
  inForce.name satisfies string
}
gateway.use(flaky.name)

const sandbox: Sandbox = gateway.createSandbox({ seed: 'other' })
sandbox.apiKey satisfies string
sandbox.reply('Hello', { times: 1, citations: [{ url: 'https://oceans.example/' }] })
sandbox.fail(429, { headers: { 'retry-after': '1' } })

export async function look(): Promise<JournalEntry[]> {
  const [call] = gateway.journal.calls('createResponse', { body: { stream: true } })
  const model: string | undefined = call?.body.model
  const workspace = await gateway.db.workspaces.update('production', { name: `Asked ${model}` })
  workspace.description satisfies string | null
  // @ts-expect-error: no such field
  await gateway.db.workspaces.update('production', { nam: 'Production' })
  return gateway.journal.entries()
}

export async function serve(): Promise<RunningServer> {
  await using server = await startServer({ port: 0, seed: 7 })
  server.baseUrl satisfies string
  return server
}

export { known, misspelt, wrong }
