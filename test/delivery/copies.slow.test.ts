/** Tests that copies of the package in one process work together: both builds, linked and installed. */
import { once } from 'node:events'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import http from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { setupServer } from 'msw/node'
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Gateway } from '../../src/node.ts'
import { changedGlobals, orders, readGlobals } from './globals.ts'

const strict = { onUnhandledRequest: 'error' } as const

type Copy = typeof import('../../src/node.ts') & typeof import('../../src/msw.ts')

const require = createRequire(import.meta.url)
const linked = join(import.meta.dirname, '../../dist')
const installed = await mkdtemp(join(tmpdir(), 'understudy-copies-'))
await cp(inject('packed').folder, installed, { recursive: true })
await symlink(join(import.meta.dirname, '../../node_modules'), join(installed, 'node_modules'))
afterAll(() => rm(installed, { recursive: true }))

async function load(folder: string, format: 'js' | 'cjs'): Promise<Copy> {
  const [node, msw] = ['node', 'msw'].map((name) => join(folder, `${name}.${format}`)) as [string, string]
  if (format === 'cjs') return { ...require(node), ...require(msw) }
  const inFolder = (path: string) => import(/* @vite-ignore */ pathToFileURL(path).href)
  return { ...(await inFolder(node)), ...(await inFolder(msw)) }
}

const copies: Record<string, Copy> = {
  'the ES module': await load(linked, 'js'),
  'the CommonJS build': await load(linked, 'cjs'),
  'another installation': await load(join(installed, 'dist'), 'cjs'),
}
const names = Object.keys(copies)
const pairs = orders(names).map(([one, two]) => [one, two] as [string, string])

const headers = { authorization: 'Bearer any' }
const senders: Record<string, (url: string) => Promise<{ status: number; body: string }>> = {
  async fetch(url) {
    const reply = await fetch(url, { headers })
    return { status: reply.status, body: await reply.text() }
  },
  async 'node:http'(url) {
    const [reply] = await once(http.get(url, { headers }), 'response')
    return { status: reply.statusCode, body: await text(reply) }
  },
}

it('copies of the package restore all globals, in whichever order they are opened and closed', () => {
  const before = readGlobals()
  for (const opened of orders(names))
    for (const closed of orders(names)) {
      const open = new Map(
        opened.map((name) => {
          const { createGateway, intercept } = copies[name] as Copy
          return [name, intercept(createGateway())]
        }),
      )
      for (const name of closed) open.get(name)?.close()
      expect([opened, closed, changedGlobals(before)]).toEqual([opened, closed, []])
    }
})

describe.each(pairs)('%s with %s', (first, second) => {
  const [one, two] = [copies[first] as Copy, copies[second] as Copy]
  const create = ({ createGateway }: Copy, name: string) =>
    createGateway({ baseUrl: `http://${name}.example/api/v1` })

  const handlersOf: Record<string, (gateways: readonly Gateway[]) => Array<{ close(): void }>> = {
    'two interceptions': ([a, b]) => [
      one.intercept(a as Gateway, strict),
      two.intercept(b as Gateway, strict),
    ],
    'MSW handlers of both': ([a, b]) => {
      const server = setupServer(...one.handlers(a as Gateway), ...two.handlers(b as Gateway))
      server.listen({ onUnhandledFrame: 'error' })
      return [server]
    },
  }

  it.each(Object.entries(handlersOf))('with %s, routes each request to its gateway', async (_, open) => {
    const gateways = [create(one, 'one'), create(two, 'two')]
    const opened = open(gateways)
    onTestFinished(() => opened.forEach((each) => void each.close()))
    for (const send of Object.values(senders))
      for (const origin of ['http://one.example', 'http://two.example'])
        for (const base of ['/api/v1', '/sandboxes/default/api/v1'])
          expect(await send(`${origin}${base}/providers`)).toMatchObject({ status: 200 })
    expect(gateways.map(({ journal }) => journal.calls('listProviders').length)).toEqual([4, 4])
  })

  it("passes on the errors of the other's gateway", async () => {
    const gateway = create(one, 'one')
    const interception = two.intercept(gateway)
    onTestFinished(() => interception.close())
    for (const send of Object.values(senders)) {
      const { status, body } = await send('http://one.example/api/v1/presets/unknown')
      expect([status, body]).toEqual([404, expect.stringContaining('not found')])
    }
    expect(new one.GatewayError(400)).toBeInstanceOf(two.GatewayError)
  })
})
