import { expect, it } from 'vitest'
import { connectGateway } from '../../../src/remote.ts'
import { startServer } from '../../../src/serve.ts'
import { open } from '../../call.ts'

it('journal.exportAs() exports a scenario, a fixture or a recording, or rejects if the call has no records', async () => {
  await using server = await startServer()
  const gateway = await connectGateway(server.url)
  const sandbox = await gateway.createSandbox()
  await open(sandbox, 'GET /providers')
  const [{ id } = { id: '' }] = await sandbox.journal.summaries(1)
  const rule = await sandbox.journal.exportAs(id, 'rule')
  expect(await gateway.checkScenario(rule)).toMatchObject({ problems: [] })
  expect(JSON.parse(await sandbox.journal.exportAs(id, 'fixture'))).toEqual({ providers: expect.any(Array) })
  expect(await sandbox.journal.exportAs(id, 'recording')).toContain('listProviders')
  await (await open(sandbox, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello' } })).text()
  const asked = await sandbox.journal.last('createResponse')
  await expect(sandbox.journal.exportAs(asked ?? '', 'fixture')).rejects.toMatchObject({ status: 409 })
})
