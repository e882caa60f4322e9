import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { Guard } from '../../src/server/guard.ts'
import { rootReply } from '../../src/server/root.ts'

const guardFor = (host: string, token?: string) => new Guard({ host, allowedHosts: [], token })

it.each([
  ['127.0.0.1', false],
  ['localhost', false],
  ['::1', false],
  ['0.0.0.0', true],
  ['::', true],
  ['192.0.2.1', true],
])('a server on %s generates a token of 24 bytes unless it listens on loopback: %s', (host, isGenerated) => {
  const { token } = guardFor(host)
  expect(token === undefined ? undefined : Buffer.from(token, 'base64url').length).toBe(
    isGenerated ? 24 : undefined,
  )
  expect(guardFor(host, 'set').token).toBe('set')
})

it.each([
  ['127.0.0.1', false],
  ['0.0.0.0', true],
  ['::', true],
])('a server on %s accepts any IP address as a host name: %s', (address, accepts) => {
  const check = (host: string) => () =>
    guardFor(address).assertHost({
      headers: { host },
      rawHeaders: ['Host', host],
      httpVersion: '1.1',
      url: '/',
    } as unknown as IncomingMessage)
  for (const host of ['192.0.2.1:4141', '[2001:db8::1]:4141'])
    if (accepts) expect(check(host)).not.toThrow()
    else expect(check(host)).toThrow('is not allowed')
  expect(check('a.example')).toThrow(
    "Host 'a.example' is not allowed: add it with --allowed-host a.example, or allowedHosts: ['a.example']",
  )
})

it('the root path lists links, with the console only if it is served, and redirects browsers to it', () => {
  const get = (hasConsole: boolean, accept?: string) =>
    rootReply({ method: 'GET', headers: { accept } } as IncomingMessage, hasConsole)
  const links = {
    api: '/api/v1',
    openapi: '/openapi.json',
    health: '/__understudy/health',
    control: '/__understudy/openapi.json',
  }
  const reply = (data: object) => ({ status: 200, body: { kind: 'json', value: { data } } })
  expect(get(false)).toMatchObject(reply(links))
  const send = (method: string) => rootReply({ method, headers: {} } as IncomingMessage, false)
  expect([send('HEAD'), send('POST')]).toEqual([get(false), undefined])
  expect(get(false, 'text/html')).toMatchObject(reply(links))
  expect(get(false)?.body).not.toHaveProperty('value.data.console')
  expect(get(true)).toMatchObject(reply({ ...links, console: '/__understudy/' }))
  expect(get(true, 'text/html')).toEqual({
    status: 302,
    headers: { location: '/__understudy/', vary: 'accept' },
    body: { kind: 'none' },
  })
})
