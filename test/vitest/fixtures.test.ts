import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpResponse, http } from 'msw'
import { describe, vi } from 'vitest'
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

describe('concurrent tests', () => {
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

test('an unmatched request to the gateway fails and is recorded in the journal', async ({ sandbox }) => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  await expect(
    fetch(`${anywhere}/provider`, { headers: { authorization: `Bearer ${sandbox.apiKey}` } }),
  ).rejects.toThrow()
  expect(errors).toHaveBeenCalledWith(
    expect.stringContaining('no operation handles GET /provider. Did you mean GET /providers?'),
  )
  errors.mockRestore()
  expect(sandbox).not.toHaveNoUnmatchedRequests()
})

describe("a test's further unmatched requests", () => {
  const lines: string[] = []
  const { error, warn } = console
  test('fail like the first one', async () => {
    console.error = console.warn = (line: string) => lines.push(line)
    for (const path of ['provider', 'users', 'users'])
      await expect(fetch(`${anywhere}/${path}`)).rejects.toThrow()
    expect(lines).toHaveLength(1)
  })
  test('are counted when the test ends', () => {
    Object.assign(console, { error, warn })
    expect(lines.slice(1)).toEqual(['[understudy] And 2 more unhandled requests to https://models.example'])
  })
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
