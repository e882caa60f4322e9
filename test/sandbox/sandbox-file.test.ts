/**
 * A sandbox saved as a file, and opened again by a gateway that knows nothing of it.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'

async function ask(gateway: { fetch: typeof fetch }, apiKey: string, line: string, body?: object) {
  const [method = '', path] = line.split(' ')
  const response = await gateway.fetch(`https://gateway.example/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, id: response.headers.get('x-request-id'), body: await response.json() }
}

const question = { model: 'aurora/dawn-2', input: 'Hello' }

describe('A sandbox file', () => {
  it('is opened by another gateway, which answers as the first would have gone on', async () => {
    const first = createGateway({ timeScale: 0 })
    const sandbox = first.createSandbox()
    for (const slug of ['own', 'other'])
      await sandbox.db.providers.create({ name: 'Own', slug, privacy_policy_url: null })
    await sandbox.db.providers.update('own', { name: 'Changed' })
    await sandbox.db.workspaces.update('production', { name: 'Changed' })
    const providers = await sandbox.db.providers.list()
    for (const place of [5, 3]) await sandbox.db.providers.delete(providers[place]?.slug ?? '')
    for (const place of [9, 7])
      await sandbox.db.providers.update(providers[place]?.slug ?? '', { name: 'New' })
    sandbox.use({
      name: 'twice',
      rules: [{ on: 'createResponse', times: 2, fault: { name: 'status', status: 529 } }],
    })
    await ask(first, sandbox.apiKey, 'POST /responses', question)
    sandbox.clock.advance(5000)

    const second = createGateway({ timeScale: 0 })
    const opened = await second.openSandbox(JSON.parse(JSON.stringify(sandbox.save())))
    expect(await opened.db.providers.list()).toEqual(await sandbox.db.providers.list())
    expect(await opened.db.workspaces.list()).toEqual(await sandbox.db.workspaces.list())
    expect(opened.activeScenarios()).toMatchObject([{ name: 'twice', rules: [{ happened: 1, left: 1 }] }])
    for (let turn = 0; turn < 2; turn++)
      expect(await ask(second, opened.apiKey, 'POST /responses', question)).toEqual(
        await ask(first, sandbox.apiKey, 'POST /responses', question),
      )
    expect(opened.clock.read().now).toBe(sandbox.clock.read().now)
  })

  it('brings the calls along, secrets hidden, to be looked at', async () => {
    const gateway = createGateway({ timeScale: 0 })
    await ask(gateway, 'a-secret-key', 'POST /responses', question)
    const file = gateway.save()
    expect(JSON.stringify(file)).not.toContain('a-secret-key')
    const opened = await createGateway().openSandbox(file)
    const [entry] = opened.journal.entries()
    expect(entry).toMatchObject({ operation: 'createResponse', body: question, status: 200 })
    expect(entry?.id).toBe(gateway.journal.entries()[0]?.id)
    expect(entry?.replyBody.text).toContain('"object":"response"')
    expect(entry?.replyBody).toEqual(gateway.journal.entries()[0]?.replyBody)
    expect((await createGateway().openSandbox(gateway.save({ calls: false }))).journal.entries()).toEqual([])
  })

  it('brings along why a call was refused, and what its reply rests on', async () => {
    const gateway = createGateway()
    await ask(gateway, 'any', 'GET /provider')
    const opened = await createGateway().openSandbox(gateway.save())
    const [before] = gateway.journal.entries()
    const [after] = opened.journal.entries()
    expect(after).toMatchObject({ reason: before?.reason, assumptions: ['unknownPath'] })
    expect(opened.journal.explain(after ?? '')).toBe(gateway.journal.explain(before ?? ''))
  })

  it('is refused where it is none, of another version, or does not fit the seed', async () => {
    const gateway = createGateway()
    await expect(gateway.openSandbox({})).rejects.toMatchObject({ status: 400 })
    await expect(gateway.openSandbox({ ...gateway.save(), version: 2 })).rejects.toMatchObject({
      status: 400,
    })
    const file = {
      ...gateway.save(),
      changes: { providers: { created: [], changed: [], deleted: ['nobody'] } },
    }
    await expect(gateway.openSandbox(file)).rejects.toMatchObject({ status: 409 })
  })

  it('travels by the control API', async () => {
    await using server = await startServer({ timeScale: 0 })
    const gateway = await connectGateway(server.url)
    await fetch(`${server.baseUrl}/providers`, { headers: { authorization: 'Bearer any' } })
    const opened = await gateway.openSandbox(await gateway.save())
    const [call] = await opened.journal.entries()
    expect(call?.operation).toBe('listProviders')
    expect(await opened.journal.resend(call ?? '')).toMatchObject({ status: 200 })
  })
})
