/** A gateway in another process has the same API as a local one, but its methods are async. */
import { createGateway, type RequestBodies, type Sandbox } from 'gateway-understudy'
import { expect, test } from 'gateway-understudy/playwright'
import { connectGateway, type RemoteSandbox } from 'gateway-understudy/remote'

export async function arrange(url: string): Promise<RemoteSandbox> {
  const gateway = await connectGateway(url, { token: 'secret' })
  const sandbox = await gateway.createSandbox({ seed: 7 })
  await using inForce = await sandbox.use('flaky')
  inForce.name satisfies string
  const [call] = await sandbox.journal.calls('createResponse', { body: { stream: true } })
  call?.body.model satisfies string | undefined
  const preset = await sandbox.db.presets.get('email-copywriter')
  preset?.designated_version_id satisfies string | undefined
  // @ts-expect-error: no such operation
  await sandbox.journal.calls('createResponses')
  return sandbox
}

const here: Sandbox<RequestBodies> = createGateway().createSandbox()
here.journal.last('updateWorkspace')?.body.name satisfies string | undefined

test.use({ gatewayOptions: { latency: { perToken: 50 } } })

test('the fixtures are typed', async ({ gateway, page, sandbox }) => {
  gateway.baseUrl satisfies string
  await page.setExtraHTTPHeaders({ 'x-gateway-key': sandbox.apiKey })
  await sandbox.fail(503, { times: 1 })
  expect(await sandbox.journal.entries()).toEqual([])
})
