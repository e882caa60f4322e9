import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpResponse, http } from 'msw'
import { afterAll, describe, type TestArtifactBase, vi } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { expect, test } from '../../src/vitest.ts'
import { open } from '../call.ts'

test.override({ gatewayOptions: { seed: 'fixtures', recordCounts: { providers: 3 } } })

function listProviders(baseUrl: string, apiKey = 'any'): Promise<Response> {
  return open({ baseUrl, apiKey }, 'GET /providers')
}

const anywhere = 'https://models.example/api/v1'

test("a file's gatewayOptions configure its gateway", async ({ gateway, sandbox }) => {
  expect(gateway.options.seed).toBe('fixtures')
  expect(await sandbox.db.providers.list()).toHaveLength(3)
})

test.extend('user', () => 'Ann')("an extended test has the file's options", ({ gateway, user }) => {
  expect([gateway.options.seed, user]).toEqual(['fixtures', 'Ann'])
})

test('a test next to an extended one receives its requests', async ({ sandbox }) => {
  await listProviders(anywhere)
  expect(sandbox).toHaveReceivedTimes('listProviders', 1)
})

test('a misspelt fixture is an error', () => {
  const message = "test.override: unknown option 'onUnhandledRequests'; did you mean 'onUnhandledRequest'?"
  expect(() => test.override({ onUnhandledRequests: 'error' } as never)).toThrow(message)
})

describe('concurrent tests', () => {
  test('name their sandboxes', ({ sandbox, expect }) => {
    expect(sandbox.name).toBe('concurrent tests > name their sandboxes')
  })
  test('x'.repeat(250), ({ sandbox, expect }) => expect(sandbox.name).toHaveLength(200))
  for (const status of [500, 502, 503]) {
    test.concurrent(`reach only their own sandbox by key (${status})`, async ({ sandbox, expect }) => {
      sandbox.fail(status)
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect((await listProviders(anywhere, sandbox.apiKey)).status).toBe(status)
      expect(sandbox).toHaveReceivedTimes('listProviders', 1)
    })
    test.concurrent(`reach only their own sandbox by base URL (${status})`, async ({ sandbox, expect }) => {
      sandbox.fail(status)
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect((await listProviders(sandbox.baseUrl)).status).toBe(status)
      expect(sandbox).toHaveReceivedTimes('listProviders', 1)
    })
  }
})

describe('serial tests', () => {
  test.override({ serial: true })
  for (const status of [500, 502, 503]) {
    test.concurrent(`run one at a time with the default sandbox (${status})`, async ({ sandbox, expect }) => {
      expect(sandbox).toHaveReceivedTimes('listProviders', 0)
      sandbox.fail(status)
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect((await listProviders(anywhere)).status).toBe(status)
      expect((await listProviders(sandbox.baseUrl)).status).toBe(status)
      expect(sandbox).toHaveReceivedTimes('listProviders', 2)
    })
  }
})

describe.each([false, true])('the end of a test with serial: %s', (serial) => {
  test.override({ serial })
  let reply: Promise<Response> | undefined
  test('releases its gates', async ({ sandbox }) => {
    const gate = sandbox.hold('listProviders')
    reply = listProviders(sandbox.baseUrl)
    await gate.arrived()
  })
  afterAll(async () => expect((await reply)?.status).toBe(200))
})

test('an unmatched request to the gateway fails and is recorded in the journal', async ({ sandbox }) => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  const headers = { authorization: `Bearer ${sandbox.apiKey}` }
  expect((await fetch(`${anywhere}/provider`, { headers })).status).toBe(404)
  expect(errors).toHaveBeenCalledWith(
    expect.stringContaining('no operation handles GET /provider. Did you mean GET /providers?'),
  )
  errors.mockRestore()
  expect(sandbox).not.toHaveNoUnmatchedRequests()
})

test("the application's local servers stay reachable, even under /api/v1", async ({ sandbox }) => {
  const server = createServer((_, response) => response.end('ours'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/users`)
  expect(await response.text()).toBe('ours')
  expect(sandbox).toHaveNoUnmatchedRequests()
  server.close()
})

test('other services can be mocked with `server`', async ({ server }) => {
  server.use(http.get('https://mail.example/inbox', () => HttpResponse.json(['Hello'])))
  expect(await (await fetch('https://mail.example/inbox')).json()).toEqual(['Hello'])
})

describe('calls that cannot be attributed to a test', () => {
  const lines: string[] = []
  const { error, warn } = console
  const print = (line: string) => void lines.push(line.replace(/\d+ ms/g, '0 ms').replace(/\bs\d+\b/g, 's1'))
  /** Sends a request outside of any test, like a queue. */
  const listLater = async ({ sandboxes }: Gateway, apiKey?: string) => {
    const reply = await sandboxes.current?.run(undefined, () => listProviders(anywhere, apiKey))
    return reply as Response
  }

  test('are not those of finished tests', async ({ gateway }) => {
    Object.assign(console, { error: print, warn: print })
    const finished = gateway.createSandbox()
    finished.dispose()
    expect((await listLater(gateway, finished.apiKey)).status).toBe(410)
  })

  test.fails('are printed with those of a failing test', async ({ gateway, sandbox }) => {
    sandbox.use({ on: 'getPreset', reply: { body: `sk-${'a1b2'.repeat(8)}` } })
    await listProviders(sandbox.baseUrl)
    await listLater(gateway)
    await listLater(gateway)
    throw new Error('on purpose')
  })

  test('are reported once per file', async ({ gateway }) => {
    await listLater(gateway)
  })

  describe('with serial tests', () => {
    test.override({ serial: true })
    test.fails('are attributed to the only test', async ({ gateway }) => {
      await listLater(gateway)
      throw new Error('on purpose')
    })
  })

  test('do not hide the output of failing tests', ({ task }) => {
    Object.assign(console, { error, warn })
    expect(lines.toSorted()).toEqual([
      `[understudy] 'calls that cannot be attributed to a test > are printed with those of a failing test' failed. Sandbox s1 has 1 call:
  1. GET /sandboxes/s1/api/v1/providers (listProviders): 200, 0 ms
  the inline rule matches getPreset, but only listProviders was called
In addition, the default sandbox received 2 calls meanwhile: GET /providers with an unknown key, GET /providers with an unknown key. To send them to this sandbox, use sandbox.baseUrl or sandbox.apiKey or, in process, sandbox.run(work) or Vitest's test.override({ serial: true }).`,
      `[understudy] 'calls that cannot be attributed to a test > with serial tests > are attributed to the only test' failed. Sandbox default has 1 call:
  1. GET /api/v1/providers (listProviders): 200, 0 ms`,
      '[understudy] THIS TEST SHARES ITS STATE. The default sandbox, which all tests of the file share, received 2 calls (such as GET /api/v1/providers) that could not be attributed to a test. Such calls come from work that is not awaited, or from a server, queue, timer or process started outside of a test. Await the work, or pass it sandbox.apiKey or sandbox.baseUrl. If requests cannot be attributed, use test.override({ serial: true }): the tests then run one at a time, and the default sandbox is reset before each.',
    ])
    const [, failed] = task.suite?.tasks ?? []
    const [artifact] = (failed as typeof task).artifacts as TestArtifactBase[]
    const [attachment] = artifact?.attachments ?? []
    expect(attachment?.contentType).toBe('application/json')
    expect(JSON.parse(Buffer.from(String(attachment?.body), 'base64').toString())).toMatchObject({
      format: 'understudy-failed-test',
      test: 'calls that cannot be attributed to a test > are printed with those of a failing test',
      entries: [{ operation: 'listProviders' }],
      scenarios: [{ rules: [{ source: { reply: { body: '(hidden)' } } }] }],
    })
  })
})
