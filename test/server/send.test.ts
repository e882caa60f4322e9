import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { GatewayError } from '../../src/http/errors.ts'
import { refuse, send } from '../../src/server/send.ts'

<<<<<<< HEAD
/** Returns the reply that a client receives. */
async function asked(listener: RequestListener) {
=======
/** Returns the reply of a server with this request listener. */
async function replyOf(listener: RequestListener) {
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
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

<<<<<<< HEAD
it('sends errors in the envelope, and prints bugs', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const refusal = await asked((_, response) => refuse(response, new GatewayError(409, 'Not now')))
=======
it('refuse() sends a GatewayError as an envelope, and any other error as a logged 500', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const refusal = await replyOf((_, response) => refuse(response, new GatewayError(409, 'Not now')))
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
  expect([refusal.status, JSON.parse(refusal.text)]).toEqual([
    409,
    { error: { code: 409, message: 'Not now' } },
  ])
<<<<<<< HEAD
  expect(printed).not.toHaveBeenCalled()
=======
  expect(logged).not.toHaveBeenCalled()
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
  const mistake = new Error('of ours')
  const loud = await replyOf((_, response) => refuse(response, mistake))
  expect([loud.status, JSON.parse(loud.text)]).toEqual([
    500,
    { error: { code: 500, message: 'Bug in Understudy: Error: of ours' } },
  ])
<<<<<<< HEAD
  expect(printed).toHaveBeenCalledExactlyOnceWith(mistake.stack)
  printed.mockRestore()
})

it('aborts a reply that has begun', async () => {
  const broken = asked((_, response) => {
=======
  expect(logged).toHaveBeenCalledExactlyOnceWith(mistake.stack)
  logged.mockRestore()
})

it('refuse() aborts a reply that has started', async () => {
  const broken = replyOf((_, response) => {
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
    response.write('a')
    refuse(response, new GatewayError(409, 'Not now'))
  })
  await expect(broken).rejects.toThrow()
})

<<<<<<< HEAD
it('sends a reply with its id and length', async () => {
  const none = await asked((_, response) =>
=======
it('send() sets the request id and content-length', async () => {
  const none = await replyOf((_, response) =>
>>>>>>> 417a587 (Describe behaviour in the test titles of server, control, CLI and delivery)
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
