/** Runs one specification against sandboxes in this process and remote sandboxes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { OpenRouter } from '@openrouter/sdk'
import { resetEnv } from '@openrouter/sdk/lib/env.js'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { GatewayOptions, RequestBodies, SandboxOptions } from '../../src/index.ts'
import { connectGateway, type RemoteSandbox } from '../../src/remote.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { call as send } from '../call.ts'

/** Either kind of sandbox, for code that awaits every call. */
type AnySandbox = Sandbox<RequestBodies> | RemoteSandbox
type Create = (options?: SandboxOptions) => AnySandbox | Promise<AnySandbox>

const options: GatewayOptions = { seed: 7, timeScale: 0, limits: { journalEntries: 20 } }

let server: RunningServer
beforeAll(async () => {
  server = await startServer(options)
})
afterAll(() => server.close())

describeSandbox('Sandbox', () => (given) => server.gateway.createSandbox(given))
describeSandbox('RemoteSandbox', async () => {
  const gateway = await connectGateway(server.url)
  return (given) => gateway.createSandbox(given)
})

describe('connectGateway()', () => {
  const isOther = (url: string) =>
    `No Understudy server at ${url}: another server replied. Use the address printed at startup`
  it.each<[number, string, message: (url: string) => string]>([
    [200, '<html>', isOther],
    [200, '{"data":null}', isOther],
    [404, 'Not found', isOther],
    [403, '{"error":{"message":"Not here"}}', () => 'Not here'],
    [500, 'Broken', () => 'Internal Server Error: Broken'],
    [
      401,
      '{"error":{"message":"No"}}',
      () =>
        'The server requires a token: pass connectGateway(url, { token }) with the token passed to the server or printed at startup',
    ],
  ])('explains the reply %i %s', async (status, text, message) => {
    const other = createServer((_, response) => response.writeHead(status).end(text))
    onTestFinished(() => void other.close())
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const error = await connectGateway(url).catch((thrown) => thrown)
    expect(error.message).toBe(`connectGateway: ${message(url)}`)
  })
})

function describeSandbox(title: string, connect: () => Create | Promise<Create>): void {
  let create: Create
  let sandbox: AnySandbox

  const call = async (line: string, body?: unknown, { apiKey } = sandbox) => {
    const reply = await send({ baseUrl: server.baseUrl, apiKey }, line, { body })
    return { status: reply.status, id: reply.headers.get('x-request-id'), body: reply.body }
  }
  const ask = (input: string, more: object = {}) =>
    call('POST /responses', { model: 'aurora/dawn-2', input, ...more })
  const nameOf = async (each: AnySandbox) => (await each.db.workspaces.get('production'))?.name

  describe(title, () => {
    beforeAll(async () => {
      create = await connect()
    })
    beforeEach(async () => {
      sandbox = await create()
    })

    it("env() sends the requests of the SDKs' default clients to the sandbox", async () => {
      for (const [name, value] of Object.entries(sandbox.env())) vi.stubEnv(name, value)
      onTestFinished(() => void vi.unstubAllEnvs())
      resetEnv()
      const model = 'aurora/dawn-2'
      await new OpenAI().responses.create({ model, input: 'Hello' })
      const messages = [{ role: 'user' as const, content: 'Hello' }]
      await new Anthropic().messages.create({ model, messages, max_tokens: 100 }).catch(() => {})
      await new OpenRouter().models.list().catch(() => {})
      const paths = (await sandbox.journal.entries()).map(({ path }) => path.replace(/.*\/api\//, ''))
      expect(paths).toEqual(['v1/responses', 'v1/messages', 'v1/models'])
    })

    describe('creation and disposal', () => {
      it('gives each sandbox its own id and key', async () => {
        const other = await create()
        expect(sandbox.apiKey).toMatch(new RegExp(`^us-${sandbox.id}-[0-9a-f]{16}$`))
        expect(other.id).not.toBe(sandbox.id)
        expect(other.apiKey).not.toBe(sandbox.apiKey)
      })

      it('accepts a seed', async () => {
        const seeded = await create({ seed: 'another' })
        const mine = await ask('Hello?')
        const theirs = await call('POST /responses', { model: 'aurora/dawn-2', input: 'Hello?' }, seeded)
        expect(theirs.body.id).not.toBe(mine.body.id)
      })

      it('accepts fixtures', async () => {
        const provider = { name: 'Only One', slug: 'only-one', privacy_policy_url: null }
        const own = await create({ fixtures: { providers: [provider] } })
        expect((await call('GET /providers', undefined, own)).body).toEqual({ data: [provider] })
      })

      it('rejects an invalid fixture with collection, index and path', async () => {
        const made = async () => create({ fixtures: { providers: [{ name: 'x' } as never] } })
        await expect(made()).rejects.toMatchObject({
          status: 400,
          message: expect.stringContaining('providers[0].slug'),
        })
      })

      it('returns 410 after disposal, which is idempotent', async () => {
        await sandbox.dispose()
        await sandbox.dispose()
        expect(await call('GET /providers')).toMatchObject({
          status: 410,
          body: {
            error: {
              code: 410,
              message: expect.stringContaining(`Sandbox '${sandbox.id}' was disposed, expired`),
            },
          },
        })
        // Reading a record must also fail, instead of reporting the record as missing.
        if (title === 'RemoteSandbox')
          await expect(sandbox.db.workspaces.get('production')).rejects.toMatchObject({ status: 410 })
      })

      it('disposes a sandbox at the end of its block', async () => {
        {
          await using own = await create()
          sandbox = own
        }
        expect((await call('GET /providers')).status).toBe(410)
      })
    })

    describe('fork, snapshot, restore and reset', () => {
      it('forks the data, and keeps later writes separate', async () => {
        await call('PATCH /workspaces/production', { name: 'Before' })
        const fork = await sandbox.fork()
        await call('PATCH /workspaces/production', { name: 'Mine' })
        await call('PATCH /workspaces/production', { name: 'Theirs' }, fork)
        expect([await nameOf(sandbox), await nameOf(fork)]).toEqual(['Mine', 'Theirs'])
      })

      it('forks with createSandbox(), from a sandbox or its id', async () => {
        await call('PATCH /workspaces/production', { name: 'Before' })
        const forks = [await create({ fork: sandbox }), await create({ fork: sandbox.id })]
        expect(await Promise.all(forks.map(nameOf))).toEqual(['Before', 'Before'])
      })

      it('rejects a fork with a seed, and a fork of a disposed sandbox', async () => {
        await expect((async () => create({ fork: sandbox, seed: 3 }))()).rejects.toMatchObject({
          status: 400,
        })
        await expect((async () => create({ fork: 's999999' }))()).rejects.toMatchObject({ status: 410 })
      })

      it('forks rules with their progress', async () => {
        await sandbox.fail(503, { times: 2 })
        await call('GET /providers')
        const fork = await sandbox.fork()
        const statuses = [1, 2].map(() => call('GET /providers', undefined, fork))
        expect((await Promise.all(statuses)).map(({ status }) => status).sort()).toEqual([200, 503])
      })

      it('does not fork the journal', async () => {
        await call('GET /providers')
        expect(await (await sandbox.fork()).journal.entries()).toEqual([])
      })

      it('restores a snapshot any number of times', async () => {
        await call('PATCH /workspaces/production', { name: 'Before' })
        const snapshot = await sandbox.snapshot()
        for (const name of ['After', 'Later']) {
          await call('PATCH /workspaces/production', { name })
          expect(await nameOf(sandbox)).toBe(name)
          await sandbox.restore(snapshot)
          expect(await nameOf(sandbox)).toBe('Before')
        }
      })

      it('restores rules, clock and counters, and keeps the journal', async () => {
        const snapshot = await sandbox.snapshot()
        const { now } = await sandbox.clock.read()
        await sandbox.fail(503)
        await sandbox.clock.advance(60_000)
        const first = await ask('Hello?')
        await sandbox.restore(snapshot)
        expect((await sandbox.clock.read()).now).toBe(now)
        const second = await ask('Hello?')
        expect([first.status, second.status]).toEqual([503, 200])
        expect(second.id).toBe(first.id)
        expect(await sandbox.journal.calls('createResponse')).toHaveLength(2)
      })

      it("rejects another sandbox's snapshot", async () => {
        const other = await create()
        const snapshot = await other.snapshot()
        const restored = (async () => sandbox.restore(snapshot))()
        await expect(restored).rejects.toMatchObject({
          status: 409,
          message: `restore(): Sandbox '${sandbox.id}' has no snapshot '${snapshot.id}': it belongs to sandbox '${other.id}'`,
        })
      })

      it('resets data, scenarios, journal, clock and counters to the seed', async () => {
        const seeded = await nameOf(sandbox)
        const before = await sandbox.clock.read()
        const first = await ask('Hello?')
        await call('PATCH /workspaces/production', { name: 'Changed' })
        await sandbox.use('provider-outage')
        await sandbox.reset()
        expect(await nameOf(sandbox)).toBe(seeded)
        expect((await sandbox.clock.read()).now).toBe(before.now)
        expect(await sandbox.journal.entries()).toEqual([])
        expect((await ask('Hello?')).id).toBe(first.id)
      })
    })

    describe('rules', () => {
      it('activates a bundled scenario, a scenario or a rule, of which the newest applies first', async () => {
        await sandbox.use('provider-outage')
        await sandbox.use({ name: 'busy', rules: [{ on: '*', fault: { name: 'status', status: 503 } }] })
        await sandbox.use({ on: 'listProviders', fault: { name: 'status', status: 402 } })
        expect((await call('GET /providers')).status).toBe(402)
        expect((await call('GET /benchmarks')).status).toBe(503)
      })

      it('activates several scenarios and deactivates them together', async () => {
        {
          await using both = await sandbox.use('provider-outage', {
            on: 'listProviders',
            fault: { name: 'status', status: 402 },
          })
          expect(both.name).toBe('provider-outage, rule')
          expect((await call('GET /providers')).status).toBe(402)
          expect((await call('GET /benchmarks')).status).toBe(500)
        }
        expect((await call('GET /providers')).status).toBe(200)
        expect((await call('GET /benchmarks')).status).toBe(200)
      })

      it('activates no scenario if one of several is invalid', async () => {
        const used = (async () => sandbox.use('provider-outage', 'nope' as never))()
        await expect(used).rejects.toThrow("Unknown scenario 'nope'")
        expect((await call('GET /providers')).status).toBe(200)
      })

      it('deactivates a disposed scenario, but no others', async () => {
        await sandbox.fail(503)
        {
          await using outage = await sandbox.use('provider-outage')
          expect(outage.name).toBe('provider-outage')
          expect((await call('GET /providers')).status).toBe(500)
        }
        expect((await call('GET /providers')).status).toBe(503)
      })

      it('replies with text and fails with a status', async () => {
        await sandbox.reply('Hello there', { citations: [{ url: 'https://one.example/' }] })
        expect((await ask('Hi')).body.output.at(-1).content[0].text).toContain('Hello there')
        await sandbox.fail(429, { times: 1, headers: { 'retry-after': '2' } })
        expect((await ask('Hi')).status).toBe(429)
      })

      it('returns unused rules and deactivates all scenarios', async () => {
        await sandbox.fail(503, { on: 'getPreset' })
        expect(await sandbox.unusedRules()).toMatchObject([{ scenario: 'fail', rule: 1, on: ['getPreset'] }])
        await sandbox.resetScenarios()
        expect(await sandbox.unusedRules()).toEqual([])
      })
    })

    it('names the call that fails', async () => {
      const any = sandbox as never as Record<string, (input?: unknown) => Promise<unknown>>
      const failures: Record<string, () => unknown> = {
        'use(): a scenario must be': () => any['use']?.([{ on: '*', fault: 'timeout' }]),
        'restore()': () => any['restore']?.({}),
        'journal.calls()': () => sandbox.journal.calls('nope' as never),
        'journal.explain()': () => sandbox.journal.explain('nope'),
        'clock.advance()': () => sandbox.clock.advance(-1),
        'db.presets.list()': () => sandbox.db.presets.list({ slgu: 'x' } as never),
        'db.presets.get() expects a key such as an id, got undefined': () =>
          (sandbox.db.presets as never as typeof any)['get']?.(),
      }
      for (const [start, fail] of Object.entries(failures))
        await expect((async () => fail())()).rejects.toThrow(start)
    })

    describe('the journal', () => {
      it('returns entries, calls by operation and fields, and the last call', async () => {
        await ask('One')
        await ask('Two', { stream: false })
        await call('GET /providers')
        expect(await sandbox.journal.entries()).toHaveLength(3)
        const matching = await sandbox.journal.calls('createResponse', { body: { input: 'Two' } })
        expect(matching.map(({ body }) => body)).toEqual([
          { model: 'aurora/dawn-2', input: 'Two', stream: false },
        ])
        const mistake = async () => sandbox.journal.calls('createResponse', { requestText: 'Two' } as never)
        await expect(mistake()).rejects.toThrow('write { requestText: { text: … } }')
        expect((await sandbox.journal.last('createResponse'))?.body.input).toBe('Two')
        expect(await sandbox.journal.last('getPreset')).toBeUndefined()
      })

      it('returns unmatched calls and near misses, and explains them', async () => {
        await sandbox.fail(503, { on: 'listProviders', after: 2 })
        await call('GET /providers')
        await call('GET /provider')
        const [unmatched] = await sandbox.journal.unmatched()
        const [missed] = await sandbox.journal.nearMisses()
        expect(unmatched?.path).toBe('/api/v1/provider')
        expect(await sandbox.journal.explain(unmatched as never)).toContain('Did you mean GET /providers?')
        expect(await sandbox.journal.explain(missed?.id as string)).toContain(
          'fail() skips the first 2 calls, but this is call 1',
        )
      })

      it('throws when asked to explain an unknown call', async () => {
        const explained = (async () => sandbox.journal.explain('req_none'))()
        await expect(explained).rejects.toMatchObject({ status: 404 })
      })

      it('waits for calls, including earlier ones', async () => {
        await call('GET /providers')
        const waiting = sandbox.journal.waitFor('listProviders', { count: 2 })
        await call('GET /providers')
        expect(await waiting).toHaveLength(2)
      })

      it('stops waiting after the timeout and lists the calls received', async () => {
        await call('GET /providers')
        await call('GET /providers')
        await expect(sandbox.journal.waitFor('createResponse', { timeout: 20 })).rejects.toThrow(
          /Waited 20 ms for 1 × createResponse: received 0. The journal has 2 calls:\n.*\(listProviders\): 200.*\n.*\(listProviders\): 200/,
        )
      })

      it('rejects pending waits when the sandbox is disposed', async () => {
        const waiting = sandbox.journal.waitFor('createResponse', { timeout: 60_000 })
        const outcome = expect(waiting).rejects.toMatchObject({ status: 410 })
        await sandbox.journal.entries()
        await sandbox.dispose()
        await outcome
      })

      it('keeps the newest entries and counts the evicted ones', async () => {
        for (let index = 0; index < 25; index++) await call(`GET /presets/number-${index}`)
        const entries = await sandbox.journal.entries()
        expect(entries.map(({ params }) => params['slug'])).toEqual(
          Array.from({ length: 20 }, (_, index) => `number-${index + 5}`),
        )
        expect(await sandbox.journal.evictedCount).toBe(5)
        await sandbox.journal.clear()
        expect([await sandbox.journal.entries(), await sandbox.journal.evictedCount]).toEqual([[], 0])
      })

      it('exports the journal as HAR', async () => {
        await call('GET /providers')
        const { log } = await sandbox.journal.har()
        expect(log.version).toBe('1.2')
        expect(log.entries).toMatchObject([{ request: { url: `${server.baseUrl}/providers` } }])
      })
    })

    describe('the database', () => {
      const record = { name: 'Tidewater', slug: 'tidewater', privacy_policy_url: null }

      it('creates, reads, lists, updates and deletes records', async () => {
        const { providers } = sandbox.db
        expect(await providers.create(record)).toEqual(record)
        expect(await providers.get('tidewater')).toEqual(record)
        expect(await providers.list({ slug: 'tidewater' })).toEqual([record])
        expect(await providers.update('tidewater', { headquarters: 'NL' })).toMatchObject({
          headquarters: 'NL',
        })
        expect((await call('GET /providers')).body.data.at(-1)).toEqual({ ...record, headquarters: 'NL' })
        expect(await providers.delete('tidewater')).toMatchObject({ slug: 'tidewater' })
        expect(await providers.get('tidewater')).toBeUndefined()
      })

      it('filters records by null, arrays, nested fields and array items', async () => {
        const { providers, embeddingsModels } = sandbox.db
        const all = await providers.list({ slug: undefined })
        expect(await providers.list({ headquarters: null })).toEqual(
          all.filter(({ headquarters }) => headquarters === null),
        )
        const [first] = all
        expect(await providers.list({ datacenters: first?.datacenters ?? null })).toContainEqual(first)
        const condition = { architecture: { input_modalities: { some: 'image' }, instruct_type: null } }
        const found = await embeddingsModels.list(condition)
        expect(found.length).toBeGreaterThan(0)
        expect(found).toEqual(
          (await embeddingsModels.list()).filter((row) =>
            row.architecture.input_modalities.includes('image'),
          ),
        )
      })

      it('finds keys that contain slashes and percent signs', async () => {
        const [page] = await sandbox.db.pages.list()
        const odd = { ...page, url: 'https://one.example/100%25/a?b=c&d#e' } as NonNullable<typeof page>
        await sandbox.db.pages.create(odd)
        expect(await sandbox.db.pages.get(odd.url)).toEqual(odd)
        const [model] = await sandbox.db.embeddingsModels.list()
        expect(await sandbox.db.embeddingsModels.get(model?.id as string)).toEqual(model)
      })

      it('rejects an invalid record, a duplicate key and an unknown key', async () => {
        const { providers } = sandbox.db
        const [taken] = await providers.list()
        await expect(providers.create({ ...record, slug: 'not a slug' })).rejects.toMatchObject({
          status: 400,
          message: expect.stringContaining('providers.slug'),
        })
        await expect(providers.create(taken as typeof record)).rejects.toMatchObject({ status: 409 })
        await expect(providers.update('nobody', {})).rejects.toMatchObject({ status: 404 })
        await expect(providers.delete('__proto__')).rejects.toMatchObject({ status: 404 })
      })
    })

    describe('the clock', () => {
      it('advances the timestamps in replies', async () => {
        const { now } = await sandbox.clock.read()
        const advanced = await sandbox.clock.advance(86_400_000)
        expect(Date.parse(advanced.now) - Date.parse(now)).toBe(86_400_000)
        const { data } = (await call('PATCH /workspaces/production', { name: 'Later' })).body
        expect(Date.parse(data.updated_at)).toBeGreaterThan(Date.parse(advanced.now) - 1)
      })
    })
  })
}
