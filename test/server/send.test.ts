import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { GatewayError } from '../../src/http/errors.ts'
import { refuse, send } from '../../src/server/send.ts'

/** Returns the reply that a client receives. */
async function replyOf(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return { status: response.status, headers: response.headers, text: await response.text() }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it('refuse() sends errors in the envelope, and prints bugs', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const refusal = await replyOf((_, response) => refuse(response, new GatewayError(409, 'Not now')))
  expect([refusal.status, JSON.parse(refusal.text)]).toEqual([
    409,
    { error: { code: 409, message: 'Not now' } },
  ])
  expect(printed).not.toHaveBeenCalled()
  const mistake = new Error('of ours')
  const loud = await replyOf((_, response) => refuse(response, mistake))
  expect([loud.status, JSON.parse(loud.text)]).toEqual([
    500,
    { error: { code: 500, message: 'Bug in Understudy: Error: of ours' } },
  ])
  expect(printed).toHaveBeenCalledExactlyOnceWith(mistake.stack)
  printed.mockRestore()
})

it('refuse() aborts a reply that has begun', async () => {
  const broken = replyOf((_, response) => {
    response.write('a')
    refuse(response, new GatewayError(409, 'Not now'))
  })
  await expect(broken).rejects.toThrow()
})

it('send() sends a reply with its id and length', async () => {
  const none = await replyOf((_, response) =>
    send(response, { status: 204, headers: { a: 'b' }, body: { kind: 'none' } }),
  )
  expect([none.status, none.headers.get('a'), none.headers.get('content-length'), none.text]).toEqual([
    204,
    'b',
    null,
    '',
  ])
  const written = await replyOf((_, response) =>
    send(response, { status: 200, headers: { 'x-request-id': 'own' }, body: { kind: 'json', value: 'ü' } }),
  )
  expect([written.headers.get('x-request-id'), written.headers.get('content-length'), written.text]).toEqual([
    'own',
    '4',
    '"ü"',
  ])
})
